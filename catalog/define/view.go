package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// CreateView makes the view that a CREATE VIEW describes, in a schema. A view of old that
// it replaces keeps its number.
func (b Builder) CreateView(s *ast.CreateView, schema string, old *catalog.View) (*catalog.View, error) {
	v := &catalog.View{Version: 1, Schema: schema, Name: s.Name.Name, Query: s.Text, Path: slices.Clone(b.SearchPath),
		Read: b.Written()}
	if err := b.Noted(v.Read, func() error { return b.viewColumns(v, s) }); err != nil {
		return nil, err
	}
	if old != nil {
		v.ID, v.Version, v.Comment = old.ID, old.Version+1, old.Comment
		return v, sameColumns(old, v)
	}
	id, err := b.Next()
	v.ID = uint32(id)
	return v, err
}

// viewColumns plans the query of a view, and notes its columns and what it uses.
func (b Builder) viewColumns(v *catalog.View, s *ast.CreateView) error {
	b.Uses = &v.Uses
	defer func() { b.Uses = nil }()
	n, err := b.Plan(s.Query)
	if err != nil {
		return err
	}
	if len(b.Params) > 0 {
		return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1")
	}
	cols := n.Columns()
	if len(s.Columns) > len(cols) {
		return sqlerr.New(sqlerr.SyntaxError, "CREATE VIEW specifies more column names than columns")
	}
	for i, c := range cols {
		col := catalog.ViewColumn{Name: c.Name, Type: c.Type}
		if i < len(s.Columns) {
			col.Name = s.Columns[i]
		}
		if v.Column(col.Name) >= 0 {
			return sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", col.Name)
		}
		if types.InfoOf(c.Type.OID).Category == types.CategoryPseudo {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", col.Name, c.Type)
		}
		v.Columns = append(v.Columns, col)
	}
	return nil
}

// sameColumns wants a view to have the columns of the one that it replaces, and perhaps
// more behind them.
func sameColumns(old, v *catalog.View) error {
	if len(v.Columns) < len(old.Columns) {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot drop columns from view")
	}
	for i, was := range old.Columns {
		is := &v.Columns[i]
		if is.Name != was.Name {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change name of view column %q to %q",
				was.Name, is.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		}
		if !is.Type.Same(was.Type) {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change data type of view column %q from %s to %s",
				was.Name, was.Type, is.Type)
		}
		is.Comment = was.Comment
	}
	return nil
}
