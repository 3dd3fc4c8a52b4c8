package define

import (
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// AlterIndexOptions is a copy of an index whose WITH options are set, or with reset are what they
// are by default.
func AlterIndexOptions(x *catalog.Index, options []ast.Option, reset bool) (*catalog.Index, error) {
	out := *x
	if out.Options = maps.Clone(x.Options); out.Options == nil {
		out.Options = map[string]string{}
	}
	if err := once(options); err != nil {
		return nil, err
	}
	for _, o := range options {
		if err := changeableInIndex(o); err != nil {
			return nil, err
		}
		switch {
		case reset && o.Value != "":
			return nil, resetValue(o)
		case reset:
			delete(out.Options, o.Name)
			continue
		}
		if err := indexOption(&out, o); err != nil {
			return nil, err
		}
		out.Options[o.Name] = o.Value
	}
	return &out, capacityFits(out.Options, options)
}

// changeableInIndex refuses to change an option that entries are made with.
func changeableInIndex(o ast.Option) error {
	if !slices.Contains(keyOptionNames, o.Name) && o.Name != coveringOption && o.Name != coveredOption {
		return nil
	}
	return sqlerr.Unsupported("changing parameter %q of an index", o.Name).At(int(o.Pos)).
		WithDetail("Its entries are made with it.").
		WithHint("Make an index with another value, and drop this one.")
}

func resetValue(o ast.Option) error {
	return sqlerr.New(sqlerr.SyntaxError, "RESET must not include values for parameters").At(int(o.Pos))
}
