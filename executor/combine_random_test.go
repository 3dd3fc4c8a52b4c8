package executor

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// modelSetOp is a set operation by counting and crossing out.
func modelSetOp(except, all bool, left, right []string) []string {
	var out []string
	for _, row := range left {
		at := slices.Index(right, row)
		if (at >= 0) == except {
			if all && at >= 0 {
				right = slices.Delete(slices.Clone(right), at, at+1)
			}
			continue
		}
		if !all && slices.Contains(out, row) {
			continue
		}
		if all && at >= 0 {
			right = slices.Delete(slices.Clone(right), at, at+1)
		}
		out = append(out, row)
	}
	return out
}

// TestCombineRandom holds set operations, DISTINCT and UNION ALL over inputs of all sizes
// against models.
func TestCombineRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 7))
	rows := func() ([][]types.Value, []string) {
		all := randomRows(random, []int{0, 1, 30, types.BatchRows, 2*types.BatchRows + 3}[random.IntN(5)], 3)
		shown := make([]string, len(all))
		for i := range all {
			all[i] = all[i][:2]
			all[i][0] = types.NewInt(int64(random.IntN(3)))
			shown[i] = rowText(all[i])
		}
		return all, shown
	}
	for range 100 {
		left, leftText := rows()
		right, rightText := rows()
		a, b := listOf(2, left...), listOf(2, right...)
		except, all := random.IntN(2) == 0, random.IntN(2) == 0
		n := plan.SetOp{Except: except, All: all, Left: a, Right: b, Cols: cols(2)}
		if got, want := texts(runAll(t, n, newEnv())), modelSetOp(except, all, leftText, rightText); !slices.Equal(got,
			want) {
			t.Fatalf("except %v all %v: %q, not %q", except, all, got, want)
		}
		var want []string
		for _, row := range slices.Concat(leftText, rightText) {
			if !slices.Contains(want, row) {
				want = append(want, row)
			}
		}
		union := plan.Distinct{Input: plan.Append{In: []plan.Node{a, b}, Cols: cols(2)}}
		if got := texts(runAll(t, union, newEnv())); !slices.Equal(got, want) {
			t.Fatalf("union: %q, not %q", got, want)
		}
	}
}

// TestMergeAppendRandom holds the merge of inputs that are in order, NULLs at one end, against a stable sort of their
// rows.
func TestMergeAppendRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 8))
	for range 100 {
		by := []plan.SortKey{
			{Expr: column(1), Desc: random.IntN(2) == 0, NullsFirst: random.IntN(2) == 0},
			{Expr: column(0), Desc: random.IntN(2) == 0, NullsFirst: random.IntN(2) == 0},
		}[:1+random.IntN(2)]
		before := func(a, b []types.Value) int {
			for _, k := range by {
				at := k.Expr.(expr.Column).Index
				if order := compareBy(k, a[at], b[at]); order != 0 {
					return order
				}
			}
			return 0
		}
		n := plan.Append{By: by, Cols: cols(3)}
		var all [][]types.Value
		for i := range random.IntN(5) {
			rows := randomRows(random, []int{0, 1, 30, types.BatchRows, 2*types.BatchRows + 3}[random.IntN(5)], 3)
			for _, r := range rows {
				r[2] = types.NewInt(r[2].Int()*10 + int64(i))
			}
			slices.SortStableFunc(rows, before)
			n.In, all = append(n.In, listOf(3, rows...)), append(all, rows...)
		}
		slices.SortStableFunc(all, before)
		var want []string
		for _, r := range all {
			want = append(want, rowText(r))
		}
		if got := texts(runAll(t, n, newEnv())); !slices.Equal(got, want) {
			t.Fatalf("%d inputs: %q, not %q", len(n.In), got, want)
		}
	}
}

// TestStopsEarly leaves operators after their first batch and looks for what they left.
func TestStopsEarly(t *testing.T) {
	defer goleak.VerifyNone(t)
	many := plan.FunctionScan{Calls: []expr.Call{call(upTo, constant(10_000)), call(halves, constant(10_000))},
		Cols: cols(3)}
	keys := []plan.JoinKey{{Left: column(0), Right: column(0)}}
	ref := plan.Ref{Number: 1, Cols: cols(3)}
	for _, n := range []plan.Node{
		many,
		plan.ProjectSet{Input: many, Calls: many.Calls[:2], Cols: cols(5)},
		plan.With{Number: 1, Query: many, Input: plan.Append{In: []plan.Node{ref, ref}, Cols: cols(3)}},
		plan.Join{Left: many, Right: many, Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: keys}},
		plan.Join{Left: many, Right: many, Slots: []plan.Slot{{Value: column(0)}}},
		plan.Recursion{Number: 1, Base: many, Step: ref, Cols: cols(3)},
		plan.Window{Input: many, Calls: []plan.WindowCall{windowCall("row_number")}, Cols: cols(4)},
		plan.SetOp{Left: many, Right: many, Cols: cols(3)},
		plan.Append{In: []plan.Node{many, many}, By: []plan.SortKey{{Expr: column(0)}}, Cols: cols(3)},
	} {
		env := newEnv()
		for batch, err := range Run(context.Background(), n, env) {
			if err != nil || batch.Len() == 0 {
				t.Errorf("%T: %v", n, err)
			}
			break
		}
		if env.memory.used != 0 {
			t.Errorf("%T still holds %d bytes", n, env.memory.used)
		}
	}
}

// TestCancelInside cancels operators that work for long between two rows.
func TestCancelInside(t *testing.T) {
	why := errors.New("enough")
	var rows [][]types.Value
	for i := range 600 {
		rows = append(rows, row(i))
	}
	list := listOf(1, rows...)
	never := compare(expr.LT, column(1), constant(-1))
	// cancels does so when it meets the row in the middle, and is never true.
	cancels := func(cancel context.CancelCauseFunc) expr.Expr {
		fn := &expr.Function{Name: "cancels", Fn1: func(_ *expr.Context, a types.Value) (types.Value, error) {
			if a.Int() == 300 {
				cancel(why)
			}
			return types.NewBool(false), nil
		}}
		return expr.Call{Fn: fn, Args: []expr.Expr{column(0)}, T: types.Bool}
	}
	keys := []plan.JoinKey{{Left: constant(1), Right: constant(1)}}
	for name, n := range map[string]func(cond expr.Expr) plan.Node{
		"loop": func(cond expr.Expr) plan.Node {
			return plan.Join{Left: list, Right: list, On: expr.Logic{Or: true, Args: []expr.Expr{never, cond}}}
		},
		"hash": func(cond expr.Expr) plan.Node {
			return plan.Join{Left: list, Right: list,
				Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: keys, Residual: cond}}
		},
		"window": func(cond expr.Expr) plan.Node {
			call := plan.WindowCall{Aggregate: builtin.Aggregates("count")[0], Filter: cond,
				Frame: plan.Frame{Mode: plan.RowsFrame, Start: plan.FrameBound{Kind: plan.CurrentRow},
					End: plan.FrameBound{Kind: plan.UnboundedFollowing}}}
			return plan.Window{Input: list, Calls: []plan.WindowCall{call}, Cols: cols(2)}
		},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		var last error
		for _, err := range Run(ctx, n(cancels(cancel)), newEnv()) {
			last = err
		}
		if !errors.Is(last, why) {
			t.Errorf("%s: %v", name, last)
		}
		cancel(nil)
	}
}
