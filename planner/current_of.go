package planner

import (
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Cursor plans the query of a cursor. Its rows have more columns behind those of the query, by which CURRENT OF finds
// the rows of tables that they were made of.
func (p *Planner) Cursor(s *ast.Select) (plan.Node, []plan.Identity, error) {
	q := p.newQuery(bind.NewScope())
	q.current = &identities{}
	n, err := q.plan(s)
	if err != nil {
		return nil, nil, err
	}
	return n, q.current.of, p.RequireParamTypes()
}

// identities are those of the rows of a cursor.
type identities struct{ of []plan.Identity }

// add adds to a query the columns that tell of which rows of tables its rows are made.
func (l *identities) add(q *query, s *ast.Select) {
	if l == nil {
		return
	}
	for _, has := range combined(q, s) {
		if has {
			return
		}
	}
	for _, i := range q.items {
		if i.scan == nil || i.scan.Table.Foreign != nil || !simplyRead(q, i) {
			continue
		}
		t := i.scan.Table
		keys := t.KeyOrdinals()
		l.of = append(l.of, plan.Identity{Table: t.ID, Name: t.Name, Locked: i.lock != nil,
			At: len(q.list), Keys: len(keys)})
		for _, k := range keys {
			c := i.scan.Cols[k]
			q.list = append(q.list, expr.Column{Index: i.first + k, Name: c.Name, T: c.Type})
			q.cols = append(q.cols, plan.Column{Name: c.Name, Type: c.Type})
			q.pos = append(q.pos, -1)
		}
	}
}

// simplyRead says whether a row of the query is that of an item: the item is the only one, or it is locked.
func simplyRead(q *query, i lockable) bool {
	if i.lock != nil || len(q.items) == 1 {
		return i.scan.Table.Partitioning != nil || len(q.planner.Catalog.Heirs(i.scan.Table.ID)) == 0
	}
	return false
}

// currentOf are the conditions that a row of a table is the one that a cursor is on. In a function the name may be that
// of a variable whose value is the name of the cursor.
func currentOf(s *bind.Scalars, g *goal, cursor string) (expr.Expr, error) {
	if g.view != nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "WHERE CURRENT OF on a view is not implemented")
	}
	named := expr.Expr(expr.Const{Value: types.NewText(cursor), T: types.Text})
	if s.Variables != nil {
		if v := s.Variables.Named([]string{cursor}); v != nil && types.InfoOf(v.Type().OID).Name == "refcursor" {
			named = v
		}
	}
	t := g.table
	var all []expr.Expr
	for at, k := range t.KeyOrdinals() {
		c := t.Columns[k]
		key := expr.Call{Fn: system.CurrentOf(t.ID, t.Name, at, c.Type.OID), T: c.Type, Args: []expr.Expr{named}}
		same, err := s.Compare("=", s.Scope.Relations[0].At(k), key, -1)
		if err != nil {
			return nil, err
		}
		all = append(all, same)
	}
	return expr.Conjoin(all), nil
}
