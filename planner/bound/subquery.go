package bound

import (
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// subquery analyzes a query in an expression.
func (a *analyzer) subquery(e *ast.Subquery) (Node, error) {
	switch e.Kind {
	case ast.AnySubquery:
		return a.tested(e, AnyQuery)
	case ast.AllSubquery:
		return a.tested(e, AllQuery)
	}
	q, err := a.query(e.Select, false)
	if err != nil {
		return nil, err
	}
	out := &Subquery{Kind: ExistsQuery, Query: q, t: types.Bool}
	if e.Kind != ast.ExistsSubquery {
		out.Kind, out.t = ScalarQuery, q.Targets[0].Expr.typ()
	}
	if e.Kind == ast.ArraySubquery {
		out.Kind = ArrayQuery
		out.t = bind.ArrayOf(out.t)
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
	left, err := a.rowArgs(list)
	if err != nil {
		return nil, err
	}
	if len(left) != len(q.Targets) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has a wrong number of columns")
	}
	out := &Subquery{Kind: kind, Query: q, t: types.Bool}
	for i, n := range left {
		o, err := a.operation(e.Operator, []Node{n, &CaseTest{q.Targets[i].Expr.typ()}})
		if err != nil {
			return nil, err
		}
		op := o.(*Operation)
		out.Sign, out.Left = op.Sign, append(out.Left, op.Args[0])
	}
	return out, nil
}
