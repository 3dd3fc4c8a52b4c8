package bound

import (
	"zproxy/parser/ast"
	"zproxy/types"
)

// MayQuery implements analyze.Maker. It may, or it would not have been stored.
func (m maker) MayQuery(*ast.Subquery) error { return nil }

// Query implements analyze.Maker.
func (m maker) Query(s *ast.Select, _ int) (query Node, columns []Node, err error) {
	q, err := m.query(s, false)
	for _, t := range q.Targets {
		columns = append(columns, &CaseTest{typed{t.Expr.Type()}})
	}
	return &Subquery{Query: q}, columns, err
}

// Subquery implements analyze.Maker.
func (m maker) Subquery(query Node, kind ast.SubqueryKind, t types.T) Node {
	out := query.(*Subquery)
	out.Kind, out.T = map[ast.SubqueryKind]SubqueryKind{
		ast.ScalarSubquery: ScalarQuery, ast.ExistsSubquery: ExistsQuery, ast.ArraySubquery: ArrayQuery,
	}[kind], t
	return out
}

// Tested implements analyze.Maker.
func (m maker) Tested(query Node, e *ast.Subquery, left, columns []Node) (Node, error) {
	out := query.(*Subquery)
	out.Kind, out.T = map[ast.SubqueryKind]SubqueryKind{
		ast.ScalarSubquery: RowQuery, ast.AnySubquery: AnyQuery, ast.AllSubquery: AllQuery,
	}[e.Kind], types.Bool
	for i, n := range left {
		op, err := m.operation(e.Operator, n, columns[i])
		if err != nil {
			return nil, err
		}
		out.Sign, out.Left = op.Sign, append(out.Left, op.Args[0])
	}
	return out, nil
}
