package executor

import (
	"fmt"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// bind lets the expressions of a plan run their subqueries in the same transaction, and on
// the same account.
func (f frame) bind() {
	f.env.subqueries, f.env.made, f.env.memos = subqueries{f, f.hold()}, f.hold(), nil
	f.env.Expr.Subqueries, f.env.Expr.Memory = &f.env.subqueries, &f.env.made
	if f.env.MaxRead > 0 || f.env.MaxUnits > 0 {
		f.env.scans = &scanCounts{of: map[*plan.Access]int64{}}
	}
	f.interruptible()
}

// subqueries are those of one run of a plan.
type subqueries struct {
	frame
	kept hold
}

// Run implements expr.Subqueries.
func (s *subqueries) Run(number int, p expr.Subplan) expr.Set {
	sub, ok := p.(plan.Sub)
	if !ok {
		return func(yield func(types.Row, error) bool) { yield(nil, fmt.Errorf("%T is no plan of a subquery", p)) }
	}
	inner := frame{ctx: s.ctx, env: s.env, number: s.env.Profile.Subquery(number)}
	return each(rows(inner, sub.Node))
}

// Keep implements expr.Subqueries.
func (s *subqueries) Keep(row types.Row) error { return s.kept.addRow(row) }

// each is the rows of a stream one by one.
func each(in Rows) expr.Set {
	return func(yield func(types.Row, error) bool) {
		for batch, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range batch.Len() {
				if !yield(batch.Row(i), nil) {
					return
				}
			}
		}
	}
}
