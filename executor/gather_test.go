package executor

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// gatherWorld is a table of committed rows and of those of the transaction, which also has deleted some.
func gatherWorld(t *testing.T) *world {
	w := newWorld(t, tableOf("id int4, k int4", 1))
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for i := range 3 {
		var rows [][]types.Value
		for id := i; id < 3000; id += 3 {
			rows = append(rows, row(id, rng.IntN(100)))
		}
		w.insert(plan.Insert{}, rows...)
		if i == 1 {
			w.commit()
		}
	}
	some := scanOf(w.table, plan.Access{Path: plan.Whole{}})
	some.Write = true
	w.write(plan.Delete{Table: w.table,
		Input: plan.Filter{Input: some, Cond: compare(expr.LT, column(1), constant(10))}})
	return w
}

// gatherPlans are what may be below a Gather.
func gatherPlans(w *world) map[string]plan.Node {
	scan := scanOf(w.table, plan.Access{Path: plan.Whole{}})
	backward := scanOf(w.table, plan.Access{Path: plan.Whole{}, Delivery: plan.Delivery{Reverse: true}})
	some := plan.Filter{Input: scan, Cond: compare(expr.GT, column(1), constant(60))}
	return map[string]plan.Node{
		"scan": scan, "backward": backward, "filter": some,
		"project": plan.Project{Input: some, Exprs: []expr.Expr{column(1), column(0)}, Cols: cols(2)},
		"nothing": plan.Filter{Input: scan, Cond: compare(expr.GT, column(1), constant(600))},
	}
}

// TestGather wants workers to deliver the rows in the order in which they come without, and to count what they read.
func TestGather(t *testing.T) {
	w := gatherWorld(t)
	for name, n := range gatherPlans(w) {
		want := w.rows(n)
		var alone plan.NodeProfile
		for _, workers := range []int{0, 1, 2, 7} {
			g := plan.Gather{Input: n, Workers: workers}
			env := *w.env
			env.Workers, env.Profile = workers, plan.NewProfile(g)
			env.Expr = &expr.Context{Env: &types.Env{}}
			if got := show(Run(t.Context(), g, &env)); got != want {
				t.Errorf("%s, %d workers: %s, want %s", name, workers, got, want)
			}
			total, launched := env.Profile.Total(), env.Profile.Node(0).AtOnce
			if workers == 0 {
				alone = total
			}
			if total.Stats.Items != alone.Stats.Items || total.Stats.Examined != alone.Stats.Examined ||
				total.Removed != alone.Removed || total.Scans != 1 {
				t.Errorf("%s, %d workers read %+v, alone %+v", name, workers, total, alone)
			}
			if workers > 1 && launched != int64(workers) {
				t.Errorf("%s: %d workers, want %d", name, launched, workers)
			}
		}
	}
}

// TestGatherStops gives up rows early, at each batch: the transaction can be used at once.
func TestGatherStops(t *testing.T) {
	w := gatherWorld(t)
	for stop := range 12 {
		env := *w.env
		env.Workers = 3
		env.Expr = &expr.Context{Env: &types.Env{}}
		batches := 0
		for _, err := range Run(t.Context(), plan.Gather{Input: gatherPlans(w)["scan"]}, &env) {
			if err != nil {
				t.Fatal(err)
			}
			if batches++; batches > stop {
				break
			}
		}
		if got := w.insert(plan.Insert{}, row(10_000+stop, 1)); got != "1" {
			t.Fatal(got)
		}
	}
}

// TestGatherFails wants the error of a row to end all, and that of the context.
func TestGatherFails(t *testing.T) {
	w := gatherWorld(t)
	env := *w.env
	env.Workers = 3
	env.Expr = &expr.Context{Env: &types.Env{}}
	minus := call(operator4(t, "-"), column(0), constant(1500))
	quotient := call(operator4(t, "/"), constant(1), minus)
	fails := plan.Project{Input: gatherPlans(w)["scan"], Exprs: []expr.Expr{quotient}, Cols: cols(1)}
	got := show(Run(t.Context(), plan.Gather{Input: fails}, &env))
	if !strings.HasSuffix(got, "22012 division by zero") {
		t.Error(got)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := errors.New("ended")
	env.Workers = 2
	env.Expr = &expr.Context{Env: &types.Env{}}
	var last error
	for _, err := range Run(ctx, plan.Gather{Input: gatherPlans(w)["scan"]}, &env) {
		last = err
		cancel(ended)
	}
	if !errors.Is(last, ended) {
		t.Errorf("ended with %v", last)
	}
}

// operator4 is an operator of two int4.
func operator4(t *testing.T, name string) *expr.Function {
	for _, f := range builtin.Operators(name, 2) {
		if len(f.Args) == 2 && f.Args[0] == types.OIDInt4 && f.Args[1] == types.OIDInt4 {
			return f
		}
	}
	t.Fatalf("there is no operator %s", name)
	return nil
}
