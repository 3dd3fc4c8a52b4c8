package executor

import (
	"context"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestAggregateOrder adds up texts in the order that a call asks for.
func TestAggregateOrder(t *testing.T) {
	input := listOf(2, row("b", 1), row("a", 2), row("b", 2), row(nil, 0), row("c", 3), row("a", nil))
	text := expr.Column{Index: 0, T: types.Text}
	comma := expr.Const{Value: value(","), T: types.Text}
	for _, c := range []struct {
		call plan.AggregateCall
		want string
	}{
		{plan.AggregateCall{}, "(b,a,b,c,a)"},
		{plan.AggregateCall{Distinct: true}, "(a,b,c)"},
		{plan.AggregateCall{Order: []plan.SortKey{{Expr: text, Desc: true}}}, "(c,b,b,a,a)"},
		{plan.AggregateCall{Order: []plan.SortKey{{Expr: column(1), Desc: true, NullsFirst: true}}}, "(a,c,a,b,b)"},
		{plan.AggregateCall{Distinct: true, Order: []plan.SortKey{{Expr: text, Desc: true}}}, "(c,b,a)"},
	} {
		c.call.Fn, c.call.Args = builtin.Aggregates("string_agg")[0], []expr.Expr{text, comma}
		n := plan.Aggregate{Input: input, Calls: []plan.AggregateCall{c.call}, Cols: cols(1)}
		if got := show(Run(context.Background(), n, newEnv())); got != c.want {
			t.Errorf("%s: %s, not %s", c.call, got, c.want)
		}
	}
}

// TestTies lets rows out that equal the last one.
func TestTies(t *testing.T) {
	input := listOf(2, row(1, 1), row(1, 2), row(2, 3), row(2, 4), row(nil, 5), row(nil, 6))
	for _, c := range []struct {
		offset, count int
		want          string
	}{
		{0, 0, ""}, {0, 1, "(1,1) (1,2)"}, {1, 1, "(1,2)"}, {1, 2, "(1,2) (2,3) (2,4)"}, {4, 1, "(null,5) (null,6)"}, {0, 9, "(1,1) (1,2) (2,3) (2,4) (null,5) (null,6)"},
	} {
		n := plan.Limit{Input: input, Count: constant(c.count), Offset: constant(c.offset),
			Ties: []plan.SortKey{{Expr: column(0)}}}
		if got := show(Run(context.Background(), n, newEnv())); got != c.want {
			t.Errorf("%d after %d: %s, not %s", c.count, c.offset, got, c.want)
		}
	}
}
