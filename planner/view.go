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
	needs := f.Need(v, catalog.MaySelect)
	n, err := f.viewQuery(v)
	if err != nil {
		return source{}, err
	}
	n = firstColumns(n, len(v.Columns))
	rel := f.Named(v, item.Alias)
	rel.Needs = needs
	cols := slices.Clone(n.Columns())
	for i := range cols {
		if i < len(v.Columns) {
			cols[i].Name = v.Columns[i].Name
		}
		cols[i].Table, cols[i].Attribute = v.ID, int16(i+1)
	}
	rel.Cols, err = renamed(cols, item.Columns, rel.Name)
	return source{node: n, rels: []bind.Relation{rel}}, err
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
	n, err := p.newQuery(bind.NewScope()).plan(tree)
	return n, bind.InStored(err)
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
