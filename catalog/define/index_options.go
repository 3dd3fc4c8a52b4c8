package define

import (
	"maps"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/dynamic"
	"zproxy/catalog/interleave"
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
	if err := capacityFits(out.Options, options); err != nil {
		return nil, err
	}
	return &out, staysBehind(&out)
}

// changeableInIndex refuses to change an option that entries are made with.
func changeableInIndex(o ast.Option) error {
	switch {
	case slices.Contains(keyOptionNames, o.Name):
		return sqlerr.Unsupported("changing parameter %q of an index together with others", o.Name).At(int(o.Pos)).
			WithHint("Use a statement for the parameters that make its keys, and another one for the others.")
	case o.Name == interleave.Option:
		return sqlerr.Unsupported("changing the parent of an index").At(int(o.Pos))
	case o.Name == coveringOption, o.Name == dynamic.CoveredOption, o.Name == storedOption:
		return sqlerr.Unsupported("changing parameter %q of an index", o.Name).At(int(o.Pos)).
			WithDetail("Its entries depend on it.").
			WithHint("Make an index with another value, and drop this one.")
	}
	return nil
}

func resetValue(o ast.Option) error {
	return sqlerr.New(sqlerr.SyntaxError, "RESET must not include values for parameters").At(int(o.Pos))
}

// indexOptions reads the WITH options of an index, and tells those that lay out its keys, and the table behind whose
// rows entries are to lie.
func indexOptions(x *catalog.Index, options []ast.Option) (*keyOptions, *interleaving, error) {
	keys, in := &keyOptions{}, &interleaving{}
	if err := once(options); err != nil {
		return nil, nil, err
	}
	for _, o := range options {
		taken, err := keys.read(o)
		if !taken && o.Name == interleave.Option {
			taken, err = in.read(o)
		}
		if !taken {
			err = indexOption(x, o)
		}
		if err != nil {
			return nil, nil, err
		}
		x.Options[o.Name] = o.Value
	}
	if err := capacityFits(x.Options, options); err != nil {
		return nil, nil, err
	}
	return keys, in, keys.forIndex(x.Method)
}

// The WITH options that say what entries hold besides their keys.
const (
	coveringOption = "covering"
	storedOption   = "storage" // who keeps the entries
)

// What the option storage says.
const (
	storedAsTable = "table" // zproxy, in a space of their own and in the commit of the rows
	storedAsGSI   = "gsi"   // the store, if it can
)

func indexOption(x *catalog.Index, o ast.Option) error {
	if catalog.IsCapacityOption(o.Name) {
		return capacityOption(o)
	}
	switch value := strings.ToUpper(o.Value); o.Name {
	case dynamic.CoveredOption:
		if value != dynamic.CoveredSchema && value != dynamic.CoveredDynamic {
			return sqlerr.Unsupported("INDEX_COVERED_TYPE = '%s'", o.Value).At(int(o.Pos))
		}
		x.Covers = true
	case storedOption:
		return oneOf(o, storedAsTable, storedAsGSI)
	case coveringOption:
		if value != "ALL" && value != "NONE" {
			return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter \"covering\": %q", o.Value).
				WithHint("Available values: all, none.").At(int(o.Pos))
		}
		x.Covers = value == "ALL"
	case ttlOption, ttlColumnOption:
		return sqlerr.New(sqlerr.InvalidParameterValue, "an index cannot have parameter %q", o.Name).
			WithHint("Its entries live as long as the rows of the table: ALTER TABLE ... SET (%s = ...).", ttlOption).
			At(int(o.Pos))
	default:
		return storageOption(o, ofIndex)
	}
	return nil
}
