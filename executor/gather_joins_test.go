package executor

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// joinTrial makes plans of joins whose rows are driven by a scan.
type joinTrial struct {
	*rand.Rand
	w *world
}

// driven is a plan of up to so many joins, and the position of a number in its rows.
func (j joinTrial) driven(most int) (n plan.Node, k int) {
	n, k = scanOf(j.w.table, plan.Access{Path: plan.Whole{}}), 1
	for slot := range 1 + j.IntN(most) {
		if j.IntN(4) == 0 {
			n = plan.Filter{Input: n, Cond: compare(expr.GT, column(k), constant(j.IntN(40)))}
		}
		lookup := func(op plan.TermOp) plan.Join {
			by := plan.Bound{Column: 1, Terms: []plan.Term{{Op: op, Args: []expr.Expr{outer(slot)}}}}
			right := scanOf(j.w.table, plan.Access{Path: spansOf(plan.Entries{}, 1, by)})
			return plan.Join{Kind: plan.LeftJoin, Left: n, Right: right, Method: &plan.JoinMethod{Strategy: plan.Lookup,
				Slots: []plan.Slot{{Number: slot, Value: column(k)}}}}
		}
		switch j.IntN(4) {
		case 0:
			kind := []plan.JoinKind{plan.InnerJoin, plan.LeftJoin, plan.SemiJoin, plan.AntiJoin}[j.IntN(4)]
			n = plan.Join{Kind: kind, Left: n, Right: j.list(), Method: &plan.JoinMethod{
				Strategy: plan.Hash, Keys: []plan.JoinKey{{Left: column(k), Right: column(0)}}}}
		case 1:
			kind := []plan.JoinKind{plan.InnerJoin, plan.RightJoin}[j.IntN(2)]
			n = plan.Join{Kind: kind, Left: j.list(), Right: n, Method: &plan.JoinMethod{
				Strategy: plan.Hash, BuildLeft: true, Keys: []plan.JoinKey{{Left: column(0), Right: column(k)}}}}
			k++
		case 2:
			join := lookup(plan.TermEQ)
			join.Method.Keys = []plan.JoinKey{{Left: column(k), Right: column(0)}}
			n = join
		default: // of few rows, since each has several partners
			width := plan.Width(n)
			n = plan.Filter{Input: n, Cond: compare(expr.LT, column(k), constant(12))}
			join := lookup(plan.TermLT)
			join.Method.Residual = compare(expr.LT, column(width), column(k))
			n = join
		}
	}
	return n, k
}

// list is up to 60 numbers, some of them twice.
func (j joinTrial) list() plan.Node {
	var rows [][]types.Value
	for range j.IntN(60) {
		rows = append(rows, row(j.IntN(110)))
	}
	return listOf(1, rows...)
}

// env is one with workers, which may hold little in memory.
func (j joinTrial) env(t *testing.T, n plan.Node, workers int, bytes int64) *Env {
	env := *j.w.env
	env.Workers, env.Profile, env.Expr = workers, plan.NewProfile(n), &expr.Context{Env: &types.Env{}}
	env.Expr.Outer = make([]types.Value, 3) // of joins above
	env.WorkMemory, env.TempDir = bytes, t.TempDir()
	return &env
}

// TestGatherJoins wants workers to join as one goroutine does, in the same order, also where build sides go to files.
func TestGatherJoins(t *testing.T) {
	j := joinTrial{rand.New(rand.NewPCG(testseed.Of(t), 0)), gatherWorld(t)}
	launched, alone := 0, 0
	for range 60 {
		n, _ := j.driven(3)
		g := plan.Gather{Input: n}
		bytes := []int64{0, 0, 500}[j.IntN(3)]
		one := j.env(t, g, 0, bytes)
		want := show(Run(t.Context(), g, one))
		many := j.env(t, g, 2+j.IntN(5), bytes)
		if got := show(Run(t.Context(), g, many)); got != want {
			t.Fatalf("%d bytes, %+v:\n%s, want\n%s", bytes, n, got, want)
		}
		for _, i := range pathNumbers(frame{env: many}, g) {
			if a, b := one.Profile.Node(i), many.Profile.Node(i); a.Rows != b.Rows || a.Loops != b.Loops {
				t.Fatalf("%+v, node %d: %d rows in %d loops, want %d in %d", n, i, b.Rows, b.Loops, a.Rows, a.Loops)
			}
		}
		if many.Profile.Node(0).AtOnce > 0 {
			launched++
		} else {
			alone++
		}
		if many.built != nil || many.pushed != nil {
			t.Fatalf("%v and %v are left", many.built, many.pushed)
		}
	}
	if launched < 30 || alone < 3 {
		t.Errorf("%d plans ran in workers, %d alone", launched, alone)
	}
}

// TestGatherJoinsEnd stops joins early, and cancels them.
func TestGatherJoinsEnd(t *testing.T) {
	j := joinTrial{rand.New(rand.NewPCG(testseed.Of(t), 0)), gatherWorld(t)}
	for range 60 {
		n, _ := j.driven(2)
		g, stop := plan.Gather{Input: n}, j.IntN(5)
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := errors.New("ended")
		var last error
		for _, err := range Run(ctx, g, j.env(t, g, 3, 0)) {
			if last = err; stop == 0 {
				cancel(ended)
			} else if stop--; stop == 0 && j.IntN(2) == 0 {
				break
			}
		}
		cancel(nil)
		if last != nil && !errors.Is(last, ended) {
			t.Fatal(last)
		}
	}
	n := plan.Join{Left: scanOf(j.w.table, plan.Access{Path: plan.Whole{}}), Right: listOf(1, row(0)),
		Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: []plan.JoinKey{{Left: column(1),
			Right: call(operator4(t, "/"), constant(1), column(0))}}}}
	g := plan.Gather{Input: n}
	if got := show(Run(t.Context(), g, j.env(t, g, 3, 0))); !strings.HasSuffix(got, "22012 division by zero") {
		t.Errorf("a build side that fails: %s", got)
	}
}
