package executor

import (
	"context"
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

// windowFn finds a window function by its name and number of arguments.
func windowFn(name string, args int) *expr.WindowFunction {
	all := builtin.Windows(name)
	i := slices.IndexFunc(all, func(w *expr.WindowFunction) bool { return len(w.Args) == args })
	return all[i]
}

func windowCall(name string, args ...expr.Expr) plan.WindowCall {
	return plan.WindowCall{Fn: windowFn(name, len(args)), Args: args,
		Frame: plan.Frame{End: plan.FrameBound{Kind: plan.CurrentRow}}}
}

// TestWindowFunctions runs each function over two partitions: 1 with the order 1, 2, 2, 3,
// NULL and 2 with 7. What they should say is what PostgreSQL does.
func TestWindowFunctions(t *testing.T) {
	input := listOf(2, row(1, 1), row(1, 2), row(1, 2), row(1, 3), row(1, nil), row(2, 7))
	c := column(1)
	for _, x := range []struct {
		call plan.WindowCall
		want string
	}{
		{windowCall("row_number"), "1 2 3 4 5 1"},
		{windowCall("rank"), "1 2 2 4 5 1"},
		{windowCall("dense_rank"), "1 2 2 3 4 1"},
		{windowCall("percent_rank"), "0 0.25 0.25 0.75 1 0"},
		{windowCall("cume_dist"), "0.2 0.6 0.6 0.8 1 1"},
		{windowCall("ntile", constant(2)), "1 1 1 2 2 1"},
		{windowCall("ntile", constant(9)), "1 2 3 4 5 1"},
		{windowCall("ntile", constant(nil)), "null null null null null null"},
		{windowCall("ntile", constant(0)), "22014 argument of ntile must be greater than zero"},
		{windowCall("lag", c), "null 1 2 2 3 null"},
		{windowCall("lag", c, constant(2)), "null null 1 2 2 null"},
		{windowCall("lag", c, constant(nil)), "null null null null null null"},
		{windowCall("lag", c, constant(1), constant(0)), "0 1 2 2 3 0"},
		{windowCall("lag", c, constant(-1)), "2 2 3 null null null"},
		{windowCall("lead", c), "2 2 3 null null null"},
		{windowCall("first_value", c), "1 1 1 1 1 7"},
		{windowCall("last_value", c), "1 2 2 3 null 7"},
		{windowCall("nth_value", c, constant(2)), "null 2 2 2 2 null"},
		{windowCall("nth_value", c, constant(0)), "22016 argument of nth_value must be greater than zero"},
	} {
		n := plan.Window{Input: input, Partition: []expr.Expr{column(0)}, Order: []plan.SortKey{{Expr: c}},
			Calls: []plan.WindowCall{x.call}, Cols: cols(3)}
		if got := lastColumn(n); got != x.want {
			t.Errorf("%s: %s, not %s", x.call.Fn.Name, got, x.want)
		}
	}
}

// lastColumn shows the last column of the rows of a plan.
func lastColumn(n plan.Node) string {
	var out []string
	for batch, err := range Run(context.Background(), n, newEnv()) {
		if err != nil {
			return shown(err)
		}
		for i := range batch.Len() {
			row := batch.Row(i)
			out = append(out, valueText(row[len(row)-1]))
		}
	}
	return strings.Join(out, " ")
}

// TestFrameErrors lists the offsets that a frame cannot have.
func TestFrameErrors(t *testing.T) {
	for _, x := range []struct {
		mode plan.FrameMode
		by   any
		want string
	}{
		{plan.RowsFrame, -1, "22013 frame starting offset must not be negative"},
		{plan.GroupsFrame, nil, "22004 frame starting offset must not be null"},
		{plan.RangeFrame, -1, "22013 invalid preceding or following size in window function"},
		{plan.RowsFrame, 1, "1"},
	} {
		bound := plan.FrameBound{Kind: plan.Preceding, Offset: constant(x.by), Value: column(0)}
		call := plan.WindowCall{Aggregate: builtin.Aggregates("count")[0],
			Frame: plan.Frame{Mode: x.mode, Start: bound, End: plan.FrameBound{Kind: plan.CurrentRow}}}
		n := plan.Window{Input: listOf(1, row(1)), Order: []plan.SortKey{{Expr: column(0)}},
			Calls: []plan.WindowCall{call}, Cols: cols(2)}
		if got := lastColumn(n); got != x.want {
			t.Errorf("%d %v: %s, not %s", x.mode, x.by, got, x.want)
		}
	}
}

// trialFrame is a random frame with the model of which rows belong to it.
type trialFrame struct {
	plan.Frame
	start, end int64 // offsets
	desc       bool
	rows       [][]types.Value // sorted: a key and a number
	groups     []int           // of the rows, as far as they were asked for
}

// side places a row against a bound of the frame of another row: whether it is on the
// inner side of it.
func (f *trialFrame) inside(row, at int, b plan.FrameBound, by int64, end bool) bool {
	sign := 1
	if end {
		sign = -1
	}
	if b.Kind == plan.Preceding {
		by = -by
	}
	switch b.Kind {
	case plan.UnboundedPreceding, plan.UnboundedFollowing:
		return true
	case plan.CurrentRow:
		by = 0
	}
	switch f.Mode {
	case plan.RowsFrame:
		return sign*(row-at-int(by)) >= 0
	case plan.GroupsFrame:
		return sign*(f.groupOf(row)-f.groupOf(at)-int(by)) >= 0
	}
	a, x := f.rows[row][0], f.rows[at][0]
	if a.IsNull() || x.IsNull() || b.Kind == plan.CurrentRow {
		return sign*(f.groupOf(row)-f.groupOf(at)) >= 0
	}
	away := a.Int() - x.Int()
	if f.desc {
		away = -away
	}
	return int64(sign)*(away-by) >= 0
}

// groupOf is the number of the group of peers of a row.
func (f *trialFrame) groupOf(row int) int {
	for i := len(f.groups); i < len(f.rows); i++ {
		n := 0
		if i > 0 {
			n = f.groups[i-1]
			if !equalInts(f.rows[i][0], f.rows[i-1][0]) && !(f.rows[i][0].IsNull() && f.rows[i-1][0].IsNull()) {
				n++
			}
		}
		f.groups = append(f.groups, n)
	}
	return f.groups[row]
}

func (f *trialFrame) has(row, at int) bool {
	peers := f.groupOf(row) == f.groupOf(at)
	switch {
	case f.Exclude == plan.ExcludeCurrentRow && row == at, f.Exclude == plan.ExcludeGroup && peers,
		f.Exclude == plan.ExcludeTies && peers && row != at:
		return false
	}
	return f.inside(row, at, f.Start, f.start, false) && f.inside(row, at, f.End, f.end, true)
}

// newTrialFrame makes a frame with fewer offsets than one number, of fewer rows than another one, which have fewer keys
// than a third one.
func newTrialFrame(random *rand.Rand, offsets int64, rows, keys int) *trialFrame {
	f := &trialFrame{start: random.Int64N(offsets), end: random.Int64N(offsets), desc: random.IntN(2) == 0}
	f.Mode = plan.FrameMode(random.IntN(3))
	f.Exclude = plan.Exclusion(random.IntN(4))
	f.Start.Kind, f.End.Kind = plan.BoundKind(random.IntN(4)), plan.BoundKind(1+random.IntN(4))
	moved := func(b *plan.FrameBound, by int64) {
		b.Offset = constant(int(by))
		if (b.Kind == plan.Preceding) != f.desc {
			by = -by
		}
		b.Value = plus(column(0), int(by))
	}
	moved(&f.Start, f.start)
	moved(&f.End, f.end)
	ordered := make([]int, random.IntN(rows))
	for i := range ordered {
		ordered[i] = random.IntN(keys)
	}
	slices.Sort(ordered)
	if f.desc {
		slices.Reverse(ordered)
	}
	for i, k := range ordered {
		f.rows = append(f.rows, row(k, i))
	}
	for range random.IntN(3) {
		f.rows = append(f.rows, row(nil, len(f.rows)))
	}
	return f
}

// TestFrameRandom counts and adds up random frames, and takes their ends, in memory and in files.
func TestFrameRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 5))
	files := tight(t, 1)
	for range 500 {
		f := newTrialFrame(random, 4, 20, 12)
		var want []string
		for at := range f.rows {
			sum, first, last := 0, "null", "null"
			for row := range f.rows {
				if !f.has(row, at) {
					continue
				}
				sum += 1 << row
				if last = fmt.Sprint(row); first == "null" {
					first = last
				}
			}
			want = append(want, fmt.Sprint(sum), first, last)
		}
		set := &expr.Aggregate{New: func([]types.T) expr.Accumulator { return &bits{} }}
		n := plan.Window{Input: listOf(2, f.rows...), Order: []plan.SortKey{{Expr: column(0), Desc: f.desc}},
			Cols: cols(5), Calls: []plan.WindowCall{
				{Aggregate: set, Args: []expr.Expr{column(1)}, Frame: f.Frame},
				{Fn: windowFn("first_value", 1), Args: []expr.Expr{column(1)}, Frame: f.Frame},
				{Fn: windowFn("last_value", 1), Args: []expr.Expr{column(1)}, Frame: f.Frame},
			}}
		for _, env := range []*Env{newEnv(), files} {
			var got []string
			for _, r := range runAll(t, n, env) {
				got = append(got, valueText(r[2]), valueText(r[3]), valueText(r[4]))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v over %v: %q, not %q", f.Frame, f.rows, got, want)
			}
		}
	}
}

// bits is a set of small numbers.
type bits struct{ set int64 }

// Add implements expr.Accumulator.
func (b *bits) Add(_ *expr.Context, args []types.Value) error {
	b.set |= 1 << args[0].Int()
	return nil
}

// Result implements expr.Accumulator.
func (b *bits) Result(*expr.Context) (types.Value, error) { return types.NewInt(b.set), nil }
