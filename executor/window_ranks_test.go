package executor

import (
	"fmt"
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// TestRunConditions ends partitions by conditions on each number, with functions that look at all of their rows and
// without.
func TestRunConditions(t *testing.T) {
	input := listOf(2, row(1, 1), row(1, 2), row(1, 2), row(1, 3), row(2, 7), row(3, nil), row(3, nil))
	for _, x := range []struct {
		function, want string
		op             expr.CompareOp
		limit          any
	}{
		{"row_number", "1 2 1 1 2", expr.LE, 2},
		{"rank", "1 2 2 1 1 1", expr.LE, 2},
		{"dense_rank", "1 2 2 1 1 1", expr.LT, 3},
		{"row_number", "", expr.LE, nil},
		{"row_number", "", expr.LT, 1},
		{"rank", "1 2 2 4 1 1 1", expr.LT, 100},
	} {
		run := []expr.Compare{{Op: x.op, Left: column(0), Right: constant(x.limit)}}
		n := plan.Window{Input: input, Partition: []expr.Expr{column(0)}, Order: []plan.SortKey{{Expr: column(1)}},
			Calls: []plan.WindowCall{windowCall(x.function)}, Run: run, Cols: cols(3)}
		if got := lastColumn(n); got != x.want {
			t.Errorf("%s %s %v: %s, not %s", x.function, x.op, x.limit, got, x.want)
		}
		n.Calls = append(n.Calls, windowCall("lead", column(1)), windowCall(x.function))
		n.Cols = cols(5)
		if got := lastColumn(n); got != x.want {
			t.Errorf("%s %s %v beside lead: %s, not %s", x.function, x.op, x.limit, got, x.want)
		}
	}
}

// TestRanksReadNoMore wants a window without partitions to end its input with the first row that a condition drops.
func TestRanksReadNoMore(t *testing.T) {
	env, read := newEnv(), 0
	values := make([]any, 10000)
	for i := range values {
		values[i] = i
	}
	env.Stream = offer(values, nil, &read)
	n := plan.Window{Input: plan.Stream{Cols: cols(1)}, Order: []plan.SortKey{{Expr: column(0)}},
		Calls: []plan.WindowCall{windowCall("rank")}, Cols: cols(2),
		Run: []expr.Compare{{Op: expr.LE, Left: column(0), Right: constant(3)}}}
	if got := fmt.Sprint(len(runAll(t, n, env))); got != "3" || read > 2000 {
		t.Errorf("%s rows came of %d that were read", got, read)
	}
}
