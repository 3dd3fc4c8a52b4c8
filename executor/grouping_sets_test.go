package executor

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// randomSets are grouping sets over random rows of three columns, a number and a text among them, with aggregates of
// all kinds: those that take vectors, that keep their rows, that are DISTINCT, ordered, or leave rows out.
func randomSets(random *rand.Rand, rows [][]types.Value) plan.GroupingSets {
	text := expr.Column{Index: 1, T: types.Text}
	n := plan.GroupingSets{Input: listOf(3, rows...), Groups: []expr.Expr{column(0), text, plus(column(2), 1)},
		Asked: [][]int{{0, 1, 2}, {1}}}
	for range 1 + random.IntN(6) {
		n.Sets = append(n.Sets, random.Perm(3)[:random.IntN(4)])
	}
	odd := compare(expr.LT, column(2), constant(len(rows)/2))
	aggregate := func(name string, args ...expr.Expr) plan.AggregateCall {
		return plan.AggregateCall{Fn: builtin.Aggregates(name)[0], Args: args}
	}
	ordered, distinct, once := aggregate("array_agg", column(0)), aggregate("array_agg", text), aggregate("count", text)
	ordered.Order = []plan.SortKey{{Expr: text, Desc: true}, {Expr: column(2)}}
	distinct.Distinct, once.Distinct = true, true
	some := aggregate("sum", column(2))
	some.Filter, ordered.Filter = odd, odd
	n.Calls = []plan.AggregateCall{aggregate("count"), aggregate("max", column(2)), aggregate("array_agg", column(2)),
		ordered, distinct, once, some}
	n.Cols = cols(len(n.Groups) + len(n.Calls) + len(n.Asked))
	return n
}

// textRows are random rows whose second column is a text.
func textRows(random *rand.Rand, n int) [][]types.Value {
	rows := randomRows(random, n, 3)
	for _, r := range rows {
		if !r[1].IsNull() {
			r[1] = types.NewText(strings.Repeat("x", int(r[1].Int())%9))
		}
	}
	return rows
}

// TestGroupingSetsSpill holds grouping sets that go to files against those in memory.
func TestGroupingSetsSpill(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 11))
	spilled := 0
	for range 60 {
		n := randomSets(random, textRows(random, []int{0, 1, 40, 400, types.BatchRows + 100}[random.IntN(5)]))
		want := texts(runAll(t, n, newEnv()))
		got, p := profiled(t, n, tight(t, []int64{1, 5000, 50_000}[random.IntN(3)]))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("sets %v:\n%q, not\n%q; %+v", n.Sets, got, want, p)
		}
		if p.Spilled > 0 {
			spilled++
		}
	}
	if spilled < 10 {
		t.Errorf("%d went to files", spilled)
	}
}

// TestManySetsSpill has many sets, all of which put rows off.
func TestManySetsSpill(t *testing.T) {
	n := plan.GroupingSets{Input: listOf(3, textRows(rand.New(rand.NewPCG(1, 1)), 50)...), Cols: cols(4),
		Groups: []expr.Expr{column(0), column(1), column(2)}, Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}}}
	for i := range 200 {
		n.Sets = append(n.Sets, []int{i % 3})
	}
	want := texts(runAll(t, n, newEnv()))
	got, p := profiled(t, n, tight(t, 1))
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || p.Batches < 200 {
		t.Errorf("%d rows, not %d; %+v", len(got), len(want), p)
	}
}

// TestGroupingSetsFit wants sets of many groups to end where they hold too much, and not to where they may go to files.
func TestGroupingSetsFit(t *testing.T) {
	const rows = 10_000
	n := plan.GroupingSets{Input: plan.Stream{Cols: cols(1)}, Groups: []expr.Expr{column(0), plus(column(0), 1)},
		Sets: [][]int{{0, 1}, {0}, {1}, {}}, Cols: cols(3),
		Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}}}
	const most = 100 << 10
	if got := countedRows(n, most, rows); got[:5] != "53200" {
		t.Errorf("in memory: %s", got)
	}
	env := tight(t, most/2)
	env.MaxMemory, env.Stream = most, numberedRows(rows, func(i int) int { return i })
	if got := len(runAll(t, n, env)); got != 3*rows+1 {
		t.Errorf("%d rows", got)
	}
}
