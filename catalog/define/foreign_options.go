package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/foreign"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// ForeignTableOptions are OPTIONS of a foreign table as they are kept.
func ForeignTableOptions(given []ast.Option) ([]catalog.Option, error) {
	return foreignOptions(given, foreign.TableName, foreign.Updatable)
}

// ForeignColumnOptions are OPTIONS of a column of a foreign table.
func ForeignColumnOptions(given []ast.Option) ([]catalog.Option, error) {
	return foreignOptions(given, foreign.AttributeName, foreign.AttributeType)
}

// foreignOptions are options with known names, each given once.
func foreignOptions(given []ast.Option, known ...string) ([]catalog.Option, error) {
	var out []catalog.Option
	for _, o := range given {
		if _, again := catalog.FindOption(out, o.Name); again {
			return nil, sqlerr.New(sqlerr.DuplicateObject, "option \"%s\" provided more than once", o.Name)
		}
		switch {
		case !slices.Contains(known, o.Name):
			return nil, sqlerr.New(sqlerr.ForeignOptionName, "invalid option \"%s\"", o.Name).
				WithHint("Valid options in this context are: %s", strings.Join(known, ", "))
		case o.Name == foreign.Updatable && !slices.Contains([]string{"true", "false"}, o.Value):
			return nil, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
		}
		out = append(out, catalog.Option{Name: o.Name, Value: o.Value})
	}
	return out, nil
}

// CheckAttributeType wants a column whose new values are to be sets to be an array of what a set holds.
func CheckAttributeType(c *catalog.Column) error {
	kind, given := catalog.FindOption(c.Options, foreign.AttributeType)
	if !given {
		return nil
	}
	sets := map[string][]types.Kind{"L": nil, "SS": {types.KindText}, "BS": {types.KindBytes},
		"NS": {types.KindInt, types.KindFloat, types.KindNumeric}}
	of, known := sets[kind]
	element, array := types.ElementOf(c.Type)
	switch {
	case !known:
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for option \"%s\": \"%s\"",
			foreign.AttributeType, kind).WithHint("It is L, SS, NS or BS.")
	case !array || of != nil && !slices.Contains(of, element.Kind()):
		return sqlerr.New(sqlerr.ForeignDataType, "column %q of type %s cannot be stored as %s", c.Name, c.Type, kind)
	}
	return nil
}
