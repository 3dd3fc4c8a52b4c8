package define

import (
	"cmp"
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/interleave"
	"zproxy/catalog/keytext"
	"zproxy/catalog/part"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// keyTextOption checks an option that says how a primary key is made which a table is to have. It says false of
// another one.
func keyTextOption(o ast.Option) (bool, error) {
	key, by := o.Value, ""
	switch o.Name {
	case keytext.KeyOption:
	case keytext.PartitionOption:
		key, by = "(a)", o.Value
	default:
		return false, nil
	}
	if tree, err := parser.Key(key, by); err != nil || by != "" && tree.PartitionBy == nil {
		return true, sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", o.Name, o.Value).
			At(int(o.Pos))
	}
	return true, nil
}

// keyAsWritten is the primary key that a table gets: as its options say, where they are about just the columns that are
// named. The options are of no use any more.
func keyAsWritten(t *catalog.Table, named *ast.CreateTable) (*ast.CreateTable, error) {
	key, by := t.Options[keytext.KeyOption], t.Options[keytext.PartitionOption]
	if key == "" && by == "" {
		return named, nil
	}
	t.Options = maps.Clone(t.Options)
	delete(t.Options, keytext.KeyOption)
	delete(t.Options, keytext.PartitionOption)
	tree, err := parser.Key(cmp.Or(key, "(a)"), by)
	if err != nil {
		return nil, err
	}
	out := *named
	out.PartitionBy = tree.PartitionBy
	same := slices.EqualFunc(tree.PrimaryKey, named.PrimaryKey, func(a, b ast.KeyPart) bool {
		return a.Column == b.Column
	})
	if key != "" && same && named.KeyMethod == "" {
		out.PrimaryKey, out.KeyMethod = tree.PrimaryKey, tree.KeyMethod
	}
	return &out, nil
}

// ForKey is an option of a table without a primary key that says how it is laid out by one; "" : there is none.
func ForKey(t *catalog.Table) string {
	if t.PrimaryKey != "" {
		return ""
	}
	for _, name := range []string{keytext.KeyOption, keytext.PartitionOption, interleave.Option, heavyOption} {
		if t.Options[name] != "" {
			return name
		}
	}
	if t.Options[templateOption] != "" && t.Primary.Partition[0].Kind != part.Text {
		return templateOption
	}
	return ""
}
