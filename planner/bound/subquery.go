package bound

import (
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// RowSubquery implements analyze.Maker.
func (m maker) RowSubquery(e *ast.Subquery) (Node, error) { return m.tested(e, RowQuery) }

// Subquery implements analyze.Maker.
func (m maker) Subquery(e *ast.Subquery) (Node, error) {
	switch e.Kind {
	case ast.AnySubquery:
		return m.tested(e, AnyQuery)
	case ast.AllSubquery:
		return m.tested(e, AllQuery)
	}
	q, err := m.query(e.Select, false)
	if err != nil {
		return nil, err
	}
	out := &Subquery{Kind: ExistsQuery, Query: q, typed: typed{types.Bool}}
	if e.Kind != ast.ExistsSubquery {
		out.Kind, out.T = ScalarQuery, q.Targets[0].Expr.Type()
	}
	if e.Kind == ast.ArraySubquery {
		out.Kind = ArrayQuery
		out.T = bind.ArrayOf(out.T)
	}
	return out, nil
}

// tested is a comparison with the rows of a query.
func (a *analyzer) tested(e *ast.Subquery, kind SubqueryKind) (Node, error) {
	q, err := a.query(e.Select, false)
	if err != nil {
		return nil, err
	}
	list := []ast.Expr{e.Left}
	if r, ok := e.Left.(*ast.Row); ok {
		list = r.Args
	}
	left, err := a.analysis().Fields(list)
	if err != nil {
		return nil, err
	}
	if len(left) != len(q.Targets) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has a wrong number of columns")
	}
	out := &Subquery{Kind: kind, Query: q, typed: typed{types.Bool}}
	for i, n := range left {
		op, err := a.operation(e.Operator, n, &CaseTest{typed{q.Targets[i].Expr.Type()}})
		if err != nil {
			return nil, err
		}
		out.Sign, out.Left = op.Sign, append(out.Left, op.Args[0])
	}
	return out, nil
}
