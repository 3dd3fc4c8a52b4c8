package executor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestSortedGroups gathers groups that come one after the other, of one row up to several batches, and wants what a
// hash table makes of them.
func TestSortedGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 9))
	call := func(name string, args ...expr.Expr) plan.AggregateCall {
		return plan.AggregateCall{Fn: builtin.Aggregates(name)[0], Args: args, Type: types.Int8}
	}
	distinct, listed := call("count", column(2)), call("array_agg", column(2))
	distinct.Distinct = true
	listed.Order = []plan.SortKey{{Expr: column(2), Desc: true}}
	calls := []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}, call("max", column(2)), distinct, listed}
	for range 200 {
		var rows [][]types.Value
		for key := range random.IntN(40) {
			size := pickOf(random, 1, 1, 2, 5, types.BatchRows, types.BatchRows-1, 2*types.BatchRows+3)
			for i := range size {
				second := any(key % 3)
				if key%7 == 0 {
					second = nil
				}
				rows = append(rows, row(key/2, second, i%100))
			}
			if len(rows) > 20*types.BatchRows {
				break
			}
		}
		n := plan.Aggregate{Input: listOf(3, rows...), Groups: []expr.Expr{column(0), column(1)}, Calls: calls,
			Cols: cols(6)}
		want := texts(runAll(t, n, newEnv()))
		n.Sorted = true
		if got := texts(runAll(t, n, newEnv())); !slices.Equal(got, want) {
			t.Fatalf("%d rows: %q, not\n%q", len(rows), got, want)
		}
	}
}

func pickOf(random *rand.Rand, of ...int) int { return of[random.IntN(len(of))] }
