package executor

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// tight is an env whose sorts and joins go to files almost at once.
func tight(t *testing.T, bytes int64) *Env {
	env := newEnv()
	env.WorkMemory, env.TempDir = bytes, t.TempDir()
	t.Cleanup(func() {
		if left, err := os.ReadDir(env.TempDir); err != nil || len(left) > 0 {
			t.Errorf("%v is left: %v", left, err)
		}
	})
	return env
}

// profiled runs a plan and says what its first node took.
func profiled(t *testing.T, n plan.Node, env *Env) ([]string, *plan.NodeProfile) {
	env.Profile = plan.NewProfile(n)
	return texts(runAll(t, n, env)), env.Profile.Node(0)
}

// TestSpillRandom holds sorts and joins that go to files against those in memory.
func TestSpillRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 6))
	for range 10 {
		tr := newTrialJoin(random)
		for len(tr.keys) == 0 || len(tr.left) < 20 || len(tr.right) < 20 {
			tr = newTrialJoin(random)
		}
		for _, kind := range joinKinds {
			n := plan.Join{Kind: kind, Left: listOf(trialWidth, tr.left...), Right: listOf(trialWidth, tr.right...)}
			n.Method = &plan.JoinMethod{Strategy: plan.Hash, Keys: tr.keys, Residual: tr.residual,
				BuildLeft: random.IntN(2) == 0}
			want := texts(runAll(t, n, newEnv()))
			got, p := profiled(t, n, tight(t, []int64{1, 1000, 5000}[random.IntN(3)]))
			if !slices.Equal(got, want) || p.Spilled == 0 && len(tr.left) > 50 && len(tr.right) > 50 {
				t.Fatalf("join %d:\n%q, not\n%q; %+v", kind, got, want, p)
			}
		}
		n := plan.Sort{Input: listOf(trialWidth, tr.left...),
			Keys: []plan.SortKey{{Expr: column(0), Desc: true}, {Expr: column(1), NullsFirst: true}}}
		for _, most := range []*plan.Limit{nil, {Count: constant(15)}} {
			n.Most = most
			want := texts(runAll(t, n, newEnv()))
			got, p := profiled(t, n, tight(t, 1))
			if most != nil {
				got = got[:min(len(got), 15)]
			}
			if !slices.Equal(got, want) || p.Spilled == 0 {
				t.Fatalf("sort: %q, not %q; %+v", got, want, p)
			}
		}
	}
}

// TestSpillOneKey joins rows that no parting tells apart.
func TestSpillOneKey(t *testing.T) {
	var rows [][]types.Value
	for i := range 60 {
		rows = append(rows, row(1, i))
	}
	n := plan.Join{Kind: plan.FullJoin, Left: listOf(2, rows...), Right: listOf(2, rows...), Method: &plan.JoinMethod{
		Strategy: plan.Hash, Keys: []plan.JoinKey{{Left: column(0), Right: column(0)}},
		Residual: compare(expr.LT, column(1), column(3)),
	}}
	want := texts(runAll(t, n, newEnv()))
	got, p := profiled(t, n, tight(t, 1000))
	if !slices.Equal(got, want) || p.Batches != spillParts {
		t.Errorf("%d rows, not %d; %+v", len(got), len(want), p)
	}
}

// spilling are operators over many rows, which go to files when they may hold little.
func spilling() map[string]plan.Node {
	var rows [][]types.Value
	for i := range 3000 {
		rows = append(rows, row(i%100, i))
	}
	list := listOf(2, rows...)
	keys := []plan.JoinKey{{Left: column(0), Right: column(0)}}
	groups := []expr.Expr{column(0), column(1)}
	return map[string]plan.Node{
		"join":      plan.Join{Left: list, Right: list, Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: keys}},
		"sort":      plan.Sort{Input: list, Keys: []plan.SortKey{{Expr: column(0)}}},
		"aggregate": plan.Aggregate{Input: list, Groups: groups, Cols: cols(2)},
		"sets":      plan.GroupingSets{Input: list, Groups: groups, Sets: [][]int{{0, 1}, {1}}, Cols: cols(2)},
		"distinct":  plan.Distinct{Input: list},
		"set":       plan.SetOp{Left: list, Right: list, Cols: cols(2)},
		"window":    plan.Window{Input: list, Calls: []plan.WindowCall{windowCall("lead", column(0))}, Cols: cols(3)},
	}
}

// TestSpillStops leaves operators early, and cancels them.
func TestSpillStops(t *testing.T) {
	for name, n := range spilling() {
		env := tight(t, 10_000)
		for range Run(context.Background(), n, env) {
			break
		}
		if env.memory.used != 0 {
			t.Errorf("%s: %d bytes are still held", name, env.memory.used)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		why := errors.New("enough")
		var last error
		for _, err := range Run(ctx, n, env) {
			last = err
			cancel(why)
		}
		if !errors.Is(last, why) {
			t.Errorf("%s: %v", name, last)
		}
	}
}

// TestSpillFails lets operators find no place for files.
func TestSpillFails(t *testing.T) {
	for name, n := range spilling() {
		env := newEnv()
		env.WorkMemory, env.TempDir = 10_000, filepath.Join(t.TempDir(), "none")
		var last error
		for _, err := range Run(context.Background(), n, env) {
			last = err
		}
		if !errors.Is(last, os.ErrNotExist) || !strings.Contains(last.Error(), "create a temporary file") {
			t.Errorf("%s: %v", name, last)
		}
		if env.memory.used != 0 {
			t.Errorf("%s: %d bytes are still held", name, env.memory.used)
		}
	}
}

// TestOutOfMemory ends statements that keep too much.
func TestOutOfMemory(t *testing.T) {
	var rows [][]types.Value
	for i := range 2000 {
		rows = append(rows, row(i, strings.Repeat("x", 100)))
	}
	list := listOf(2, rows...)
	group := []expr.Expr{column(0)}
	order := []plan.SortKey{{Expr: column(0)}}
	count := []plan.WindowCall{windowCall("lag", column(0))}
	for name, n := range map[string]plan.Node{
		"aggregate": plan.Aggregate{Input: list, Groups: group, Cols: cols(1)},
		"array_agg": plan.Aggregate{Input: list, Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("array_agg")[0], Args: []expr.Expr{column(1)}}}, Cols: cols(1)},
		"sorted":    plan.Aggregate{Input: list, Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("max")[0], Args: []expr.Expr{column(1)}, Order: order}}, Cols: cols(1)},
		"distinct":  plan.Distinct{Input: list},
		"set":       plan.SetOp{Left: listOf(2), Right: list, Cols: cols(2)},
		"window":    plan.Window{Input: list, Order: order, Calls: count, Cols: cols(3)},
		"with":      plan.With{Number: 1, Query: list, Input: plan.Ref{Number: 1, Cols: cols(2)}},
		"loop":      plan.Join{Left: list, Right: list},
		"sort":      plan.Sort{Input: list, Keys: order},
		"hash":      plan.Join{Left: list, Right: list, Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: []plan.JoinKey{{Left: column(0), Right: column(0)}}}},
	} {
		env := newEnv()
		env.MaxMemory = 100 << 10
		got := show(Run(context.Background(), n, env))
		if got != "53200 out of memory The statement may hold 100 kB." &&
			!strings.HasSuffix(got, " 53200 out of memory The statement may hold 100 kB.") {
			t.Errorf("%s: %.200s", name, got)
		}
		if env.memory.used != 0 {
			t.Errorf("%s still holds %d bytes", name, env.memory.used)
		}
	}
	env := newEnv()
	env.MaxMemory = 1 << 10
	if _, _, err := Write(context.Background(), plan.Insert{Table: tableOf("id int8, b text", 1), Input: list},
		env); sqlerr.From(err).Code != sqlerr.OutOfMemory {
		t.Error(err)
	}
}
