package planner

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// distinctOn plans DISTINCT ON. ORDER BY decides which row of equal ones comes first, so
// it must begin with the same expressions.
func (q *query) distinctOn(s *ast.Select, keys *[]sortKey) ([]expr.Expr, error) {
	var on []expr.Expr
	for _, tree := range s.DistinctOn {
		e, _, err := clause.Listed(q.Analysis(), tree, clause.DistinctOn, q.selected())
		if err == nil {
			err = equatable(q, e, analyze.Start(tree))
		}
		if err != nil {
			return nil, err
		}
		if bind.IndexOf(on, e) < 0 {
			on = append(on, e)
		}
	}
	for i, k := range *keys {
		if i < len(on) && bind.IndexOf(on, k.Expr) < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference,
				"SELECT DISTINCT ON expressions must match initial ORDER BY expressions").
				At(int(analyze.Start(s.DistinctOn[0])))
		}
	}
	for _, e := range on { // without ORDER BY PostgreSQL sorts by them, too
		if len(*keys) < len(on) && !keyed(*keys, e) {
			*keys = append(*keys, sortKey{SortKey: plan.SortKey{Expr: e}, item: bind.IndexOf(q.list, e)})
		}
	}
	return on, nil
}

func keyed(keys []sortKey, e expr.Expr) bool {
	for _, k := range keys {
		if expr.Equal(k.Expr, e) {
			return true
		}
	}
	return false
}
