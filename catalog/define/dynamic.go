package define

import (
	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/dynamic"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// loosen gives a table dynamic columns if its options say so and those of before did not. A column of the name that is
// there, such as in a dump, becomes theirs.
func loosen(t *NewTable, options []ast.Option, before map[string]string) error {
	pos := int(positionOf(options, dynamic.Option))
	of, was := dynamic.Of(t.Options), dynamic.Of(before)
	switch {
	case was != "" && of != was:
		return sqlerr.Unsupported("changing DYNAMIC_COLUMNS of table %q, which has dynamic columns,", t.Name).At(pos).
			WithHint("Copy the rows to a new table.")
	case of != "" && celltime.Wanted(t.Mutability()):
		return sqlerr.Unsupported("DYNAMIC_COLUMNS of a table whose cells have timestamps").At(pos).
			WithDetail("All dynamic columns of a row are one cell.")
	case was != "" || of == "":
		return nil
	}
	at := t.Column(dynamic.Option)
	if at < 0 {
		if err := t.addColumn(ast.ColumnDef{Name: dynamic.Option, Type: ast.TypeName{Name: "jsonb"}}); err != nil {
			return err
		}
		at = len(t.Columns) - 1
	}
	if c := t.Columns[at]; c.Type.OID != types.OIDJSONB || c.NotNull || c.Default != "" {
		return sqlerr.New(sqlerr.DuplicateColumn,
			"column %q of table %q is not one of type jsonb that can have dynamic columns", c.Name, t.Name).At(pos)
	}
	return nil
}

// dynamicOption wants a value that the option has.
func dynamicOption(o ast.Option) error {
	if _, ok := dynamic.Type(valueOf(o)); !ok {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for enum option %q: %s", o.Name, o.Value).
			At(int(o.Pos)).
			WithDetail("Valid values are \"true\", \"%s\", \"%s\" and \"false\".", dynamic.Binary, dynamic.JSON)
	}
	return nil
}

// RefuseDynamic refuses a change of the column that has the dynamic columns of a table.
func RefuseDynamic(t *catalog.Table, column int) error {
	if dynamic.Of(t.Options) == "" || column != t.Column(dynamic.Option) {
		return nil
	}
	return sqlerr.Unsupported("changing column %q, which has the dynamic columns of table %q,", t.Columns[column].Name,
		t.Name)
}
