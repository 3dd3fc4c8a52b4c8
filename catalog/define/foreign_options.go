package define

import (
	"errors"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/foreign"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// ForeignTableOptions are OPTIONS of a foreign table as they are kept. Which names they may have shows when the table
// is laid out.
func ForeignTableOptions(given []ast.Option) ([]catalog.Option, error) {
	return foreignOptions(given, nil)
}

// ForeignColumnOptions are OPTIONS of a column of a foreign table.
func ForeignColumnOptions(given []ast.Option) ([]catalog.Option, error) {
	return foreignOptions(given, []string{foreign.AttributeName, foreign.AttributeType})
}

// foreignOptions are options with known names, or any, each given once.
func foreignOptions(given []ast.Option, known []string) ([]catalog.Option, error) {
	var out []catalog.Option
	for _, o := range given {
		if _, again := catalog.FindOption(out, o.Name); again {
			return nil, sqlerr.New(sqlerr.DuplicateObject, "option \"%s\" provided more than once", o.Name)
		}
		switch {
		case known != nil && !slices.Contains(known, o.Name):
			return nil, unknownOption(o.Name, known)
		case o.Name == foreign.Updatable && !slices.Contains([]string{"true", "false"}, o.Value):
			return nil, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
		}
		out = append(out, catalog.Option{Name: o.Name, Value: o.Value})
	}
	return out, nil
}

func unknownOption(name string, known []string) error {
	return sqlerr.New(sqlerr.ForeignOptionName, "invalid option \"%s\"", name).
		WithHint("Valid options in this context are: %s", strings.Join(known, ", "))
}

// checkNames wants the options of a table to be those that every table has, or attributes of keys.
func (t *ForeignTable) checkNames(d *store.OutsideTable) error {
	known := []string{foreign.TableName, foreign.Updatable, foreign.PartitionKey, foreign.SortKey, foreign.When}
	keys := slices.Concat(d.Partition, d.Sort)
	for i := range d.Indexes {
		keys = slices.Concat(keys, d.Indexes[i].Partition, d.Indexes[i].Sort)
	}
	for _, a := range keys {
		if a.Type.OID == types.OIDText && !slices.Contains(known, a.Name) {
			known = append(known, a.Name)
		}
	}
	for _, o := range t.Foreign.Options {
		if !slices.Contains(known, o.Name) || o.Name == foreign.SortKey && len(d.Sort) == 0 {
			return unknownOption(o.Name, known)
		}
	}
	return nil
}

// readWhen reads the option when: equalities of attributes with values.
func (t *ForeignTable) readWhen() error {
	t.Foreign.When = nil
	text, given := catalog.FindOption(t.Foreign.Options, foreign.When)
	if !given {
		return nil
	}
	bad := func(why string) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid %s \"%s\": %s", foreign.When, text, why).
			WithHint("Compare attributes with texts, numbers or booleans: \"type\" = 'line' AND version = 2.")
	}
	tree, err := parser.Expression(text)
	if err != nil {
		return bad(sqlerr.From(errors.Unwrap(err)).Message)
	}
	for _, term := range conjuncts(tree) {
		fixed, ok := fixedAttribute(term)
		if !ok {
			return bad("it is not an equality")
		}
		taken := func(f foreign.Fixed) bool { return f.Name == fixed.Name }
		column := func(c catalog.Column) bool { return c.Stored() == fixed.Name && t.Foreign.HasAttribute(t.Table, &c) }
		if slices.ContainsFunc(t.Foreign.When, taken) || slices.ContainsFunc(t.Columns, column) {
			return bad("\"" + fixed.Name + "\" is named twice, or is a column")
		}
		t.Foreign.When = append(t.Foreign.When, fixed)
	}
	return nil
}

// conjuncts are what AND joins.
func conjuncts(e ast.Expr) []ast.Expr {
	l, ok := e.(*ast.Logic)
	if !ok || l.Or {
		return []ast.Expr{e}
	}
	var out []ast.Expr
	for _, arg := range l.Args {
		out = append(out, conjuncts(arg)...)
	}
	return out
}

// fixedAttribute reads name = value.
func fixedAttribute(e ast.Expr) (foreign.Fixed, bool) {
	op, ok := e.(*ast.Operator)
	if !ok || op.Name != "=" {
		return foreign.Fixed{}, false
	}
	name, isName := op.Left.(*ast.Column)
	value, isValue := op.Right.(*ast.Literal)
	if !isName || !isValue || len(name.Parts) != 1 {
		return foreign.Fixed{}, false
	}
	out := foreign.Fixed{Name: name.Parts[0], Value: value.Text}
	switch value.Kind {
	case ast.LiteralString:
		out.Type = types.Text
	case ast.LiteralInt, ast.LiteralNumeric:
		out.Type = types.Numeric
	case ast.LiteralBool:
		out.Type = types.Bool
	default:
		return out, false
	}
	return out, true
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
