package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// view plans a view in FROM: its query, under the names of its columns.
func (f *from) view(v *catalog.View, item *ast.FromTable) (source, error) {
	return f.viewFor(v, item, catalog.MaySelect)
}

// viewFor plans a view for what a statement does to its rows.
func (f *from) viewFor(v *catalog.View, item *ast.FromTable, privilege catalog.Privileges) (source, error) {
	needs := f.Need(v, privilege)
	rel := f.Named(v, item.Alias)
	q := f.newQuery(bind.NewScope())
	q.locking = f.lockingOf(rel.Name)
	q.locking.view = true
	n, err := f.viewQuery(q, v)
	if err != nil {
		return source{}, err
	}
	if v.On(catalog.SecurityBarrier) {
		n = plan.Barrier{Input: n}
	}
	cols := slices.Clone(q.cols[:min(len(q.cols), len(v.Columns))])
	if !q.lifted {
		n = firstColumns(n, len(v.Columns))
		cols = slices.Clone(n.Columns())
	}
	for i := range cols {
		if i < len(v.Columns) {
			cols[i].Name = v.Columns[i].Name
		}
		cols[i].Table, cols[i].Attribute = v.ID, int16(i+1)
	}
	if cols, err = renamed(cols, item.Columns, rel.Name); err != nil {
		return source{}, err
	}
	out := itemOf(q, n, rel.Name, cols)
	rel.Cols, rel.Exprs, rel.Needs = cols, out.rels[0].Exprs, needs
	out.rels[0], out.items[0].needs = rel, needs
	return out, nil
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
func (p *Planner) viewQuery(q *query, v *catalog.View, instead ...*catalog.Table) (plan.Node, error) {
	if err := p.Nesting.EnterView(v); err != nil {
		return nil, err
	}
	defer p.Nesting.LeaveView()
	tree, err := parser.Query(v.Query)
	if err != nil {
		return nil, err
	}
	defer p.AsOf(v, instead)()
	end, err := p.Reading(v.Read)
	defer end()
	if err != nil {
		return nil, err
	}
	n, err := q.plan(tree)
	return n, bind.InStored(err)
}

// StillValid says whether a view means the same with other tables in place of some that it
// uses: it can be planned, and has columns of the same types.
func (p *Planner) StillValid(v *catalog.View, instead ...*catalog.Table) bool {
	n, err := p.viewQuery(p.newQuery(bind.NewScope()), v, instead...)
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
