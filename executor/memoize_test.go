package executor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// memoizedOf is a plan with a Memoize above it, which reads slot 0.
func memoizedOf(in plan.Node) plan.Memoize {
	return plan.Memoize{Input: in, Keys: []expr.Expr{expr.Outer{Slot: 0, T: types.Int8}}}
}

// lateralOf runs a plan for each row of another one.
func lateralOf(kind plan.JoinKind, left, right plan.Node) plan.Join {
	return plan.Join{Kind: kind, Left: left, Right: right, Slots: []plan.Slot{{Number: 0, Value: column(0)}}}
}

// TestMemoize compares lateral joins of random rows with the same ones that keep rows, in as little memory as makes
// room for others and in more, and when only some rows are wanted.
func TestMemoize(t *testing.T) {
	seed := testseed.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	var evictions, hits int64
	for range 300 {
		values := 1 + r.IntN(60)
		var outside, inside [][]types.Value
		for range r.IntN(400) {
			outside = append(outside, row([]any{r.IntN(values), nil}[min(r.IntN(9), 8)/8]))
		}
		for range r.IntN(30) {
			inside = append(inside, row(r.IntN(values)))
		}
		right := plan.Filter{Input: listOf(1, inside...), Cond: compare(expr.LE, column(0), outer(0))}
		kind := []plan.JoinKind{plan.InnerJoin, plan.LeftJoin, plan.SemiJoin, plan.AntiJoin}[r.IntN(4)]
		kept := memoizedOf(right)
		kept.Single = kind == plan.SemiJoin || kind == plan.AntiJoin
		wanted, memory := r.IntN(100), int64(1+r.IntN(1<<14))
		with := func(n plan.Node) (string, plan.NodeProfile) {
			var top plan.Node = lateralOf(kind, listOf(1, outside...), n)
			if wanted < 50 {
				top = plan.Limit{Input: top, Count: constant(wanted)}
			}
			env := newEnv()
			env.WorkMemory, env.Profile = memory, plan.NewProfile(top)
			got := show(Run(context.Background(), top, env))
			if env.memory.used != 0 {
				t.Errorf("%d bytes are held behind the run", env.memory.used)
			}
			return got, env.Profile.Total()
		}
		want, _ := with(right)
		got, p := with(kept)
		if got != want {
			t.Fatalf("-seed %d: %s\nnot\n%s", seed, got, want)
		}
		hits, evictions = hits+p.Hits, evictions+p.Evictions
	}
	if hits == 0 || evictions == 0 {
		t.Errorf("%d hits, %d evictions", hits, evictions)
	}
}

// TestMemoizeTells looks at how often the input of a Memoize runs.
func TestMemoizeTells(t *testing.T) {
	all := listOf(1, row(1), row(2), row(3))
	for name, test := range map[string]struct {
		outside []any
		memory  int64
		want    string // hits, misses, evictions
	}{
		"few values":             {[]any{1, 2, 1, 1, 2, nil, nil}, 0, "4 3 0"},
		"other values each time": {[]any{1, 2, 3, 4, 1, 2, 3, 4}, 1, "0 8 0"}, // not one fits
		"useless":                {[]any{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 1}, 4 << 10, "0 13 2"},
	} {
		var outside [][]types.Value
		for _, v := range test.outside {
			outside = append(outside, row(v))
		}
		n := lateralOf(plan.InnerJoin, listOf(1, outside...), memoizedOf(all))
		env := newEnv()
		env.WorkMemory, env.Profile = test.memory, plan.NewProfile(n)
		for _, err := range Run(context.Background(), n, env) {
			if err != nil {
				t.Fatal(err)
			}
		}
		p := env.Profile.Node(1 + plan.CountNodes(n.Left))
		if got := fmt.Sprint(p.Hits, p.Misses, p.Evictions); got != test.want {
			t.Errorf("%s: %s, not %s", name, got, test.want)
		}
	}
}

// TestMemoizeTellsEqualValues gives the rows of 1.0 for 1.0 and those of 1.00 for 1.00, which are equal.
func TestMemoizeTellsEqualValues(t *testing.T) {
	var outside [][]types.Value
	for _, text := range []string{"1.0", "1.00", "1.0", "1.00"} {
		v, err := types.ParseText(text, types.Numeric, nil)
		if err != nil {
			t.Fatal(err)
		}
		outside = append(outside, []types.Value{v})
	}
	slot := expr.Outer{Slot: 0, T: types.Numeric}
	right := plan.Project{Input: listOf(1, row(1)), Exprs: []expr.Expr{slot}, Cols: cols(1)}
	n := lateralOf(plan.InnerJoin, listOf(1, outside...), plan.Memoize{Input: right, Keys: []expr.Expr{slot}})
	want := "(1.0,1.0) (1.00,1.00) (1.0,1.0) (1.00,1.00)"
	if got := show(Run(context.Background(), n, newEnv())); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
