package executor

import (
	"fmt"
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

// windowRows are rows in order: a partition, a key with NULLs at its end, a number and a text. The partitions are of
// one row up to so many.
func windowRows(random *rand.Rand, partitions, most int, desc bool) (rows [][]types.Value) {
	for p := range partitions {
		keys := make([]int, 1+random.IntN(most))
		for i := range keys {
			keys[i] = random.IntN(1 + len(keys)/(1+random.IntN(4)))
		}
		slices.Sort(keys)
		if desc {
			slices.Reverse(keys)
		}
		nulls := len(keys) - random.IntN(4)
		for i, k := range keys {
			r := row(p, k, random.IntN(1000), strings.Repeat("t", 1+random.IntN(200)))
			if i >= nulls {
				r[1] = types.Null
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// randomFrame is a frame of any kind over the key of windowRows.
func randomFrame(random *rand.Rand, desc bool) (f plan.Frame) {
	f.Mode, f.Exclude = plan.FrameMode(random.IntN(3)), plan.Exclusion(random.IntN(4))
	if random.IntN(2) == 0 {
		f.Exclude = plan.ExcludeNothing
	}
	f.Start.Kind, f.End.Kind = plan.BoundKind(random.IntN(4)), plan.BoundKind(1+random.IntN(4))
	for _, b := range []*plan.FrameBound{&f.Start, &f.End} {
		by := random.IntN(40)
		b.Offset = constant(by)
		if (b.Kind == plan.Preceding) != desc {
			by = -by
		}
		b.Value = plus(column(1), by)
	}
	return f
}

// randomWindowCall is any function over a window, with any frame.
func randomWindowCall(random *rand.Rand, desc bool) plan.WindowCall {
	text := expr.Column{Index: 3, T: types.Text}
	number, by := column(2), constant(random.IntN(150))
	calls := []plan.WindowCall{windowCall("row_number"), windowCall("rank"), windowCall("dense_rank"),
		windowCall("percent_rank"), windowCall("cume_dist"), windowCall("ntile", constant(1+random.IntN(9))),
		windowCall("lag", text), windowCall("lag", text, by), windowCall("lag", number, by, number),
		windowCall("lead", text), windowCall("lead", text, by), windowCall("lead", number, by, number),
		windowCall("first_value", text), windowCall("last_value", text),
		windowCall("nth_value", text, constant(1+random.IntN(50)))}
	for _, name := range []string{"count", "sum", "min", "avg", "array_agg", "bool_and"} {
		fn := builtin.Aggregates(name)[0]
		arg := expr.Expr(number)
		if name == "bool_and" {
			arg = compare(expr.LT, number, constant(900))
		}
		call := plan.WindowCall{Aggregate: fn, Args: []expr.Expr{arg}}
		if random.IntN(2) == 0 {
			call.Filter = compare(expr.LT, number, constant(500))
		}
		calls = append(calls, call)
	}
	longest := plan.WindowCall{Aggregate: builtin.Aggregates("string_agg")[0], Args: []expr.Expr{text, text}}
	calls = append(calls, longest)
	call := calls[random.IntN(len(calls))]
	call.Frame = randomFrame(random, desc)
	return call
}

// TestWindowSpill holds functions over windows whose partitions go to files against those in memory.
func TestWindowSpill(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 13))
	spilled := 0
	for range 150 {
		desc := random.IntN(2) == 0
		rows := windowRows(random, 1+random.IntN(4), []int{1, 10, 400}[random.IntN(3)], desc)
		n := plan.Window{Input: listOf(4, rows...), Partition: []expr.Expr{column(0)},
			Order: []plan.SortKey{{Expr: column(1), Desc: desc}}}
		var names []string
		for range 1 + random.IntN(3) {
			call := randomWindowCall(random, desc)
			n.Calls = append(n.Calls, call)
			names = append(names, fmt.Sprintf("%v %v %+v", call.Fn, call.Aggregate, call.Frame))
		}
		n.Cols = cols(4 + len(n.Calls))
		want := texts(runAll(t, n, newEnv()))
		got, p := profiled(t, n, tight(t, []int64{1, 10_000, 50_000}[random.IntN(3)]))
		if !slices.Equal(got, want) {
			t.Fatalf("%d rows, %q:\n%q, not\n%q; %+v", len(rows), names, got, want, p)
		}
		if p.Spilled > 0 {
			spilled++
		}
	}
	if spilled < 30 {
		t.Errorf("%d went to files", spilled)
	}
}

// TestWindowFits wants a partition of many rows to end where it holds too much, and not to where it may go to a file.
// So it is when each row is a group of peers.
func TestWindowFits(t *testing.T) {
	const rows, most = 20_000, 200 << 10
	growing := plan.Frame{End: plan.FrameBound{Kind: plan.CurrentRow}}
	groups := plan.Frame{Mode: plan.GroupsFrame, Exclude: plan.ExcludeTies,
		Start: plan.FrameBound{Kind: plan.Preceding, Offset: constant(3)},
		End:   plan.FrameBound{Kind: plan.Following, Offset: constant(1000)}}
	sum := builtin.Aggregates("sum")[0]
	n := plan.Window{Input: plan.Stream{Cols: cols(1)}, Cols: cols(4), Order: []plan.SortKey{{Expr: column(0)}},
		Calls: []plan.WindowCall{windowCall("lead", column(0), constant(5000)),
			{Aggregate: sum, Args: []expr.Expr{column(0)}, Frame: growing},
			{Fn: windowFn("last_value", 1), Args: []expr.Expr{column(0)}, Frame: groups}}}
	if got := countedRows(n, most, rows); got[:5] != "53200" {
		t.Errorf("in memory: %s", got)
	}
	env := tight(t, 64<<10)
	env.MaxMemory, env.Stream = most, oneColumn(numberedRows(rows, func(i int) int { return i }))
	for i, r := range runAll(t, n, env) {
		want := row(i, nil, i*(i+1)/2, min(i+1000, rows-1))
		if i+5000 < rows {
			want[1] = types.NewInt(int64(i + 5000))
		}
		if rowText(r) != rowText(want) {
			t.Fatalf("row %d: %s, not %s", i, rowText(r), rowText(want))
		}
	}
}

// oneColumn is the first column of rows.
func oneColumn(in Rows) Rows {
	return func(yield func(*types.Batch, error) bool) {
		for batch := range in {
			out := types.NewBatch(1)
			for i := range batch.Len() {
				out.Append(batch.Row(i)[:1])
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}
