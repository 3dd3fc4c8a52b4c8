package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// ofType gives a new table the columns of a composite type, with what the statement says of them besides.
func (t *NewTable) ofType(n ast.TypeName, columns []ast.ColumnDef) error {
	of, err := compositeNamed(t.by, n)
	if err != nil {
		return err
	}
	t.OfType = of.ID
	for _, f := range of.Fields {
		d := ast.ColumnDef{Name: f.Name, Pos: -1}
		if i := slices.IndexFunc(columns, func(c ast.ColumnDef) bool { return c.Name == f.Name }); i >= 0 {
			d = columns[i]
		}
		if err := t.addColumnOf(t.by.Catalog.Defined(f.Type), d, false); err != nil {
			return err
		}
	}
	for _, d := range columns {
		if of.Field(d.Name) < 0 {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", d.Name)
		}
	}
	return nil
}

// compositeNamed is the composite type of a name, which the role must have the right to use. The type of the rows of a
// table is none.
func compositeNamed(b Builder, n ast.TypeName) (*catalog.Type, error) {
	typ, err := b.storedType(n)
	if err != nil {
		return nil, err
	}
	id, _ := typ.OID.Relation()
	if t := b.Catalog.TypeByID(id); typ.OID.IsRow() && typ.Domain == nil && t != nil {
		return t, nil
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, "type %s is not a composite type", typ)
}

// OfType makes the table one of a composite type, all of whose columns it has in the same order, and no others.
func (a *Alter) OfType(n ast.TypeName) (*catalog.Table, error) {
	of, err := compositeNamed(a.Builder, n)
	if err != nil {
		return nil, err
	}
	if a.Table.PartitionOf != nil || a.Table.Inherits != nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "typed tables cannot inherit")
	}
	if err := matchType(a, of); err != nil {
		return nil, err
	}
	t := *a.Table
	t.Version++
	t.OfType = of.ID
	return &t, nil
}

// matchType wants the table to have the columns of a composite type.
func matchType(a *Alter, of *catalog.Type) error {
	mismatch := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.DatatypeMismatch, format, args...)
	}
	left := slices.DeleteFunc(slices.Clone(a.Table.Columns), func(c catalog.Column) bool { return c.Hidden })
	for _, f := range of.Fields {
		switch {
		case len(left) == 0:
			return mismatch("table is missing column %q", f.Name)
		case left[0].Name != f.Name:
			return mismatch("table has column %q where type requires %q", left[0].Name, f.Name)
		case !left[0].Type.Same(a.Catalog.Defined(f.Type)) || left[0].Type.Collation != f.Type.Collation:
			return mismatch("table %q has different type for column %q", a.Table.Name, f.Name)
		}
		left = left[1:]
	}
	if len(left) > 0 {
		return mismatch("table has extra column %q", left[0].Name)
	}
	return nil
}
