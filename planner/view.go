package planner

import (
	"slices"
	"zproxy/planner/bind"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// view plans a view in FROM: its query, under the names of its columns.
func (f *from) view(v *catalog.View, item *ast.FromTable) (source, error) {
	needs := f.Need(v, catalog.MaySelect)
	n, err := f.viewQuery(v)
	if err != nil {
		return source{}, err
	}
	n = firstColumns(n, len(v.Columns))
	alias := item.Alias
	if alias == "" {
		alias = v.Name
	}
	cols := slices.Clone(n.Columns())
	for i := range cols {
		if i < len(v.Columns) {
			cols[i].Name = v.Columns[i].Name
		}
		cols[i].Table, cols[i].Attribute = v.ID, int16(i+1)
	}
	if cols, err = renamed(cols, item.Columns, alias); err != nil {
		return source{}, err
	}
	rel := bind.Relation{Schema: v.Schema, Name: alias, Cols: cols, Needs: needs, RowType: f.RowOf(v)}
	if alias != v.Name {
		rel.Behind = v.Name
	}
	return source{node: n, rels: []bind.Relation{rel}}, nil
}

// firstColumns is a query without the columns that a view over its view does not know, since they
// were added later.
func firstColumns(n plan.Node, count int) plan.Node {
	cols := n.Columns()
	if len(cols) <= count {
		return n
	}
	exprs := make([]expr.Expr, count)
	for i := range exprs {
		exprs[i] = expr.Column{Index: i, Name: cols[i].Name, T: cols[i].Type}
	}
	return plan.Project{Input: n, Exprs: exprs, Cols: cols[:count]}
}

// viewQuery plans the query of a view, whose names mean what they meant when the view
// was made.
func (p *Planner) viewQuery(v *catalog.View, instead ...*catalog.Table) (plan.Node, error) {
	if err := p.Nesting.EnterView(v); err != nil {
		return nil, err
	}
	defer p.Nesting.LeaveView()
	tree, err := p.ParseQuery(v.Query)
	if err != nil {
		return nil, err
	}
	defer p.AsOf(v, instead)()
	end, err := p.Reading(v.Read)
	defer end()
	if err != nil {
		return nil, err
	}
	n, err := p.newQuery(bind.NewScope()).plan(tree)
	return n, bind.InStored(err)
}

// CreateView makes the view that a CREATE VIEW describes, in a schema. A view of old that
// it replaces keeps its number.
func (p *Planner) CreateView(s *ast.CreateView, schema string, old *catalog.View, next IDs) (*catalog.View, error) {
	v := &catalog.View{Version: 1, Schema: schema, Name: s.Name.Name, Query: s.Text, Path: slices.Clone(p.SearchPath), Read: p.Written()}
	if err := p.Noted(v.Read, func() error { return p.viewColumns(v, s) }); err != nil {
		return nil, err
	}
	if old != nil {
		v.ID, v.Version, v.Comment = old.ID, old.Version+1, old.Comment
		return v, sameColumns(old, v)
	}
	id, err := next()
	v.ID = uint32(id)
	return v, err
}

// viewColumns plans the query of a view, and notes its columns and what it uses.
func (p *Planner) viewColumns(v *catalog.View, s *ast.CreateView) error {
	p.Uses = &v.Uses
	defer func() { p.Uses = nil }()
	n, err := p.Plan(s.Query)
	if err != nil {
		return err
	}
	if len(p.Params) > 0 {
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
			return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change name of view column %q to %q", was.Name, is.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		}
		if !is.Type.Same(was.Type) {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change data type of view column %q from %s to %s", was.Name, was.Type, is.Type)
		}
		is.Comment = was.Comment
	}
	return nil
}

// StillValid says whether a view means the same with another table in place of one that it
// uses: it can be planned, and has columns of the same types.
func (p *Planner) StillValid(v *catalog.View, instead *catalog.Table) bool {
	n, err := p.viewQuery(v, instead)
	if err != nil || plan.Width(n) != len(v.Columns) {
		return false
	}
	for i, c := range n.Columns() {
		if !c.Type.Same(v.Columns[i].Type) {
			return false
		}
	}
	return true
}
