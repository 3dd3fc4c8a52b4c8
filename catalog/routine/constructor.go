package routine

import (
	"zproxy/catalog"
	"zproxy/types"
)

// Constructors are the functions that make values of a type of ranges, and of its multiranges: they bear the names of
// the types.
func Constructors(ranges, multiranges *catalog.Type) []*catalog.Function {
	one, list := ranges.OIDs()
	several, _ := multiranges.OIDs()
	text, subtype := types.Text, ranges.Range.Subtype
	make := func(of *catalog.Type, result types.OID, source string, mode string, args ...types.T) *catalog.Function {
		f := &catalog.Function{
			Schema: ranges.Schema, Name: of.Name, Result: types.Of(result),
			FunctionBody:   catalog.FunctionBody{Language: InternalLanguage, Body: source},
			FunctionTraits: catalog.FunctionTraits{Volatility: "i", Strict: of == multiranges, Parallel: "s", Cost: 1},
			Rights:         catalog.Rights{Owner: catalog.BootstrapID},
		}
		for _, t := range args {
			f.Params = append(f.Params, catalog.Param{Mode: mode, Type: t})
		}
		return f
	}
	return []*catalog.Function{
		make(ranges, one, "range_constructor2", "i", subtype, subtype),
		make(ranges, one, "range_constructor3", "i", subtype, subtype, text),
		make(multiranges, several, "multirange_constructor0", "i"),
		make(multiranges, several, "multirange_constructor1", "i", types.Of(one)),
		make(multiranges, several, "multirange_constructor2", "v", types.Of(list)),
	}
}
