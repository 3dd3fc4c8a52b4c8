package executor

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/types"
)

var errEnding = errors.New("the statement is to end")

// ending is a context that has ended when it has been looked at so many times since it was armed.
type ending struct {
	context.Context
	armed atomic.Bool
	looks atomic.Int64
	most  int
}

// Err implements context.Context.
func (e *ending) Err() error {
	if !e.armed.Load() {
		return nil
	}
	if e.looks.Add(1) > int64(e.most) {
		return errEnding
	}
	return nil
}

// endingRows is how many rows the operators have.
const endingRows = 64 * types.BatchRows

// TestOperatorsEnd runs operators whose work begins when they have all of their input. While they
// work they must look at their context often, and each look must be able to end them.
func TestOperatorsEnd(t *testing.T) {
	plans := endingPlans()
	maps.Copy(plans, windowPlans())
	maps.Copy(plans, streamingPlans())
	maps.Copy(plans, setPlans())
	maps.Copy(plans, storedPlans())
	w := endingWorld(t)
	for name, c := range plans {
		t.Run(name, func(t *testing.T) {
			free := &ending{Context: t.Context(), most: 1 << 60}
			if err := runEnding(free, w, c); err != nil {
				t.Fatal(err)
			}
			looks := int(free.looks.Load())
			if want := c.work / (8 * types.BatchRows); looks < want {
				t.Fatalf("looked %d times, want %d", looks, want)
			}
			for _, most := range []int{0, 1, looks / 3, looks / 2, looks - 1} {
				if err := runEnding(&ending{Context: t.Context(), most: most}, w, c); err != errEnding {
					t.Errorf("to end after %d of %d looks: %v", most, looks, err)
				}
			}
		})
	}
}

// endingPlan is a plan over the stream of one column, and how much it compares or moves from the
// end of its input to its first rows.
type endingPlan struct {
	plan   func(in plan.Node) plan.Node
	rows   int
	value  func(i int) any
	work   int
	memory int64 // a sort or a hash join may hold
	whole  bool  // the context is armed at once and all rows are read: the input is part of the work
}

// runEnding runs a plan up to its first rows. The context is armed when the input has ended.
func runEnding(ctx *ending, w *world, p endingPlan) error {
	env := &Env{Tables: NewTables(), Expr: &expr.Context{}, Bounds: Bounds{WorkMemory: p.memory},
		Rules: Rules{System: numbersOf(p.rows)}}
	values := make([]any, p.rows)
	for i := range values {
		values[i] = p.value(i)
	}
	read := 0
	in := offer(values, nil, &read)
	env.Stream = func(yield func(*types.Batch, error) bool) {
		in(yield)
		ctx.armed.Store(true)
	}
	w.begin()
	defer w.env.Txn.Rollback()
	env.Txn, env.Store = w.env.Txn, w.store.Capabilities()
	ctx.armed.Store(p.whole)
	n := p.plan(plan.Stream{Cols: make([]plan.Column, 1)})
	if plan.Target(n) != nil {
		_, _, err := Write(ctx, n, env)
		return err
	}
	for _, err := range Run(ctx, n, env) {
		if err != nil || !p.whole {
			return err
		}
	}
	return nil
}

// numbersOf computes relations of the system, which have numbers.
func numbersOf(n int) func(*catalog.Virtual, []uint32) iter.Seq2[types.Row, error] {
	return func(*catalog.Virtual, []uint32) iter.Seq2[types.Row, error] {
		return func(yield func(types.Row, error) bool) {
			for i := 0; i < n && yield(row(i), nil); i++ {
			}
		}
	}
}

func endingPlans() map[string]endingPlan {
	scattered := func(i int) any { return i * 7919 % endingRows }
	same := func(int) any { return 1 }
	byColumn := []plan.SortKey{{Expr: column(0)}}
	aggregate := func(name string, order []plan.SortKey) plan.AggregateCall {
		return plan.AggregateCall{Fn: builtin.Aggregates(name)[0], Args: []expr.Expr{column(0)}, Order: order}
	}
	sorted := func(in plan.Node) plan.Node { return plan.Sort{Input: in, Keys: byColumn} }
	nearest := func(in plan.Node) plan.Node {
		return plan.Nearest{Near: listOf(1), All: in, Keys: byColumn, Center: expr.Const{T: types.Point}}
	}
	grouped := func(call plan.AggregateCall) func(plan.Node) plan.Node {
		return func(in plan.Node) plan.Node { return plan.Aggregate{Input: in, Calls: []plan.AggregateCall{call}} }
	}
	small := 6 * types.BatchRows
	count := aggregate("count", nil)
	count.Fn, count.Args = builtin.Aggregates("count")[0], nil
	distinct := aggregate("array_agg", nil)
	distinct.Distinct = true
	return map[string]endingPlan{
		"sort":            {sorted, endingRows, scattered, endingRows * 10, 0, false},
		"sort with files": {sorted, endingRows, scattered, endingRows / 64, 64 << 10, false},
		"nearest":         {nearest, endingRows, scattered, endingRows * 10, 0, false},
		"grouping sets": {func(in plan.Node) plan.Node {
			return plan.GroupingSets{Input: in, Groups: []expr.Expr{column(0)}, Sets: [][]int{{}, {0}},
				Calls: []plan.AggregateCall{aggregate("array_agg", byColumn)}, Cols: make([]plan.Column, 2)}
		}, endingRows, scattered, endingRows * 10, 0, false},
		"ordered aggregate":  {grouped(aggregate("array_agg", byColumn)), endingRows, scattered, endingRows * 10, 0, false},
		"distinct aggregate": {grouped(distinct), endingRows, scattered, endingRows * 10, 0, false},
		"nested loop": {func(in plan.Node) plan.Node {
			return plan.Join{Kind: plan.InnerJoin, Left: constants(same, small), Right: in,
				On: compare(expr.GT, column(0), column(1))}
		}, small, same, small * types.BatchRows / 2, 0, false},
		"hash join": {func(in plan.Node) plan.Node {
			return hashed(plan.Join{Kind: plan.InnerJoin, Left: constants(same, small), Right: in},
				compare(expr.GT, column(0), column(1)))
		}, small, same, small * types.BatchRows / 2, 0, false},
		"merge join": {func(in plan.Node) plan.Node {
			j := hashed(plan.Join{Kind: plan.InnerJoin, Left: constants(same, small), Right: in},
				compare(expr.GT, column(0), column(1)))
			j.Method.Strategy = plan.Merged
			return j
		}, small, same, small * types.BatchRows / 2, 0, false},
		"hash semi join": {func(in plan.Node) plan.Node {
			j := hashed(plan.Join{Kind: plan.SemiJoin, Left: in, Right: constants(same, small)},
				compare(expr.EQ, column(0), column(1)))
			j.Method.BuildLeft = true
			return plan.Aggregate{Input: plan.Filter{Input: j, Cond: compare(expr.GT, column(0), constant(9))},
				Calls: []plan.AggregateCall{count}}
		}, small, same, small * types.BatchRows / 2, 0, false},
		"hash join with files": {func(in plan.Node) plan.Node {
			return hashed(plan.Join{Kind: plan.InnerJoin, Left: constants(scattered, small), Right: in}, nil)
		}, small, scattered, small, 64 << 10, false},
	}
}

// windowPlans are those of functions over windows.
func windowPlans() map[string]endingPlan {
	scattered := func(i int) any { return i * 7919 % endingRows }
	same := func(int) any { return 1 }
	windowed := func(call plan.WindowCall) func(plan.Node) plan.Node {
		return func(in plan.Node) plan.Node {
			return plan.Window{Input: in, Calls: []plan.WindowCall{call}, Cols: make([]plan.Column, 2)}
		}
	}
	remaining := plan.Frame{Mode: plan.RowsFrame, Start: plan.FrameBound{Kind: plan.CurrentRow},
		End: plan.FrameBound{Kind: plan.UnboundedFollowing}}
	others := plan.Frame{Mode: plan.RowsFrame, Start: plan.FrameBound{Kind: plan.UnboundedPreceding},
		End: plan.FrameBound{Kind: plan.UnboundedFollowing}, Exclude: plan.ExcludeGroup}
	small := 6 * types.BatchRows
	count := builtin.Aggregates("count")[0]
	return map[string]endingPlan{
		"frames": {windowed(plan.WindowCall{Aggregate: count, Frame: others}), small, scattered,
			small * types.BatchRows / 2, 0, false},
		"frames that slide": {windowed(plan.WindowCall{Aggregate: count, Frame: remaining}), endingRows, scattered,
			endingRows * 2, 0, false},
		"first values": {windowed(plan.WindowCall{Fn: builtin.Windows("first_value")[0],
			Args: []expr.Expr{column(0)}, Frame: others}), small, same, small * types.BatchRows / 2, 0, false},
		"last values": {windowed(plan.WindowCall{Fn: builtin.Windows("last_value")[0], Args: []expr.Expr{column(0)},
			Frame: others}), small, same, small * types.BatchRows / 2, 0, false},
	}
}

func hashed(j plan.Join, residual expr.Expr) plan.Join {
	j.Method = &plan.JoinMethod{Strategy: plan.Hash, Keys: []plan.JoinKey{{Left: column(0), Right: column(0)}},
		Residual: residual}
	return j
}

// constants are rows of one column that no store has.
func constants(value func(i int) any, rows int) plan.Values {
	v := plan.Values{Cols: make([]plan.Column, 1)}
	for i := range rows {
		v.Rows = append(v.Rows, []expr.Expr{constant(value(i))})
	}
	return v
}

// TestSortEnds has the sorts of package slices end at any comparison, without a panic and with
// all rows still there.
func TestSortEnds(t *testing.T) {
	for _, sort := range []func([]int, func(a, b int) int){slices.SortFunc[[]int], slices.SortStableFunc[[]int]} {
		for most := 0; most < 200; most += 13 {
			list := make([]int, endingRows)
			for i := range list {
				list[i] = i * 7919 % endingRows
			}
			ctx := &ending{Context: t.Context(), most: most}
			ctx.armed.Store(true)
			err := sortBy(frame{ctx: ctx, env: &Env{}}, sort, list, func(a, b int) int { return a - b })
			if err != errEnding {
				t.Fatalf("%d: %v", most, err)
			}
			if looks := ctx.looks.Load(); looks != int64(most+2) { // the cause is one look more
				t.Fatalf("%d looks, want %d", looks, most+2)
			}
			slices.Sort(list)
			if list[0] != 0 || list[len(list)-1] != endingRows-1 || len(slices.Compact(list)) != endingRows {
				t.Fatalf("%d: rows are lost", most)
			}
		}
	}
}
