package executor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// listOf is a plan of rows of ints, texts and NULLs.
func listOf(width int, rows ...[]types.Value) plan.Values {
	v := plan.Values{Cols: make([]plan.Column, width)}
	for i := range v.Cols {
		v.Cols[i] = plan.Column{Name: fmt.Sprint("c", i), Type: types.Int8}
	}
	for _, row := range rows {
		exprs := make([]expr.Expr, len(row))
		for i, x := range row {
			exprs[i] = expr.Const{Value: x, T: types.Int8}
		}
		v.Rows = append(v.Rows, exprs)
	}
	return v
}

func newEnv() *Env { return &Env{Tables: NewTables(), Expr: &expr.Context{Env: &types.Env{}}} }

// runAll runs a plan and copies its rows.
func runAll(t testing.TB, n plan.Node, env *Env) []types.Row {
	t.Helper()
	var out []types.Row
	for batch, err := range Run(context.Background(), n, env) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Len() {
			out = append(out, slices.Clone(batch.Row(i)))
		}
	}
	if env.memory.used != 0 {
		t.Errorf("%d bytes are still held", env.memory.used)
	}
	return out
}

func texts(rows []types.Row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = rowText(r)
	}
	return out
}

// randomRows are rows of small ints, some of them NULL; the last column tells them apart.
func randomRows(random *rand.Rand, n, width int) [][]types.Value {
	rows := make([][]types.Value, n)
	for i := range rows {
		for range width - 1 {
			v := types.NewInt(int64(random.IntN(1 + n/2)))
			if random.IntN(5) == 0 {
				v = types.Null
			}
			rows[i] = append(rows[i], v)
		}
		rows[i] = append(rows[i], types.NewInt(int64(i)))
	}
	return rows
}

// modelJoin joins slices by trying every pair.
func modelJoin(kind plan.JoinKind, left, right [][]types.Value, partners func(l, r types.Row) bool,
	width [2]int) []string {
	var out []string
	show := func(l, r types.Row) { out = append(out, rowText(slices.Concat(l, r))) }
	met := make([]bool, len(right))
	for _, l := range left {
		matched := false
		for k, r := range right {
			if !partners(l, r) {
				continue
			}
			matched, met[k] = true, true
			if kind != plan.SemiJoin && kind != plan.AntiJoin {
				show(l, r)
			}
		}
		switch {
		case kind == plan.SemiJoin && matched, kind == plan.AntiJoin && !matched:
			show(l, nil)
		case !matched && (kind == plan.LeftJoin || kind == plan.FullJoin):
			show(l, make(types.Row, width[1]))
		}
	}
	for k, r := range right {
		if !met[k] && (kind == plan.RightJoin || kind == plan.FullJoin) {
			show(make(types.Row, width[0]), r)
		}
	}
	return out
}

// trialWidth is how many columns a side of a trial has: two keys, a number that tells rows apart, and values of other
// types.
const trialWidth = 6

// sideRows are random rows for a side of a trial.
func sideRows(random *rand.Rand, n int) [][]types.Value {
	rows := randomRows(random, n, 3)
	for i := range rows {
		others := []types.Value{types.NewText(strings.Repeat("x", random.IntN(20))), types.NewFloat(random.Float64()),
			types.NewInt(int64(i))}
		if random.IntN(2) == 0 {
			others[2] = types.NewText("some")
		}
		for _, v := range others {
			if random.IntN(5) == 0 {
				v = types.Null
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows
}

// trialJoin is a random join and what it should deliver.
type trialJoin struct {
	left, right [][]types.Value
	keys        []plan.JoinKey
	residual    expr.Expr
}

func newTrialJoin(random *rand.Rand) *trialJoin {
	sizes := []int{0, 1, 3, 20, types.BatchRows, types.BatchRows + 7}
	size := func() int { return sizes[random.IntN(len(sizes))] }
	tr := &trialJoin{left: sideRows(random, size()), right: sideRows(random, size())}
	for _, i := range random.Perm(2)[:random.IntN(3)] {
		tr.keys = append(tr.keys, plan.JoinKey{Left: column(i), Right: column(1 - i), NullsEqual: random.IntN(3) == 0})
	}
	if random.IntN(2) == 0 {
		tr.residual = compare(expr.LT, column(2), column(trialWidth+2))
	}
	return tr
}

// partners is the model of the join's condition.
func (tr *trialJoin) partners(l, r types.Row) bool {
	for _, k := range tr.keys {
		a, b := l[k.Left.(expr.Column).Index], r[k.Right.(expr.Column).Index]
		switch {
		case a.IsNull() && b.IsNull() && k.NullsEqual:
		case a.IsNull() || b.IsNull() || a.Int() != b.Int():
			return false
		}
	}
	return tr.residual == nil || l[2].Int() < r[2].Int()
}

// on is the whole condition as one expression.
func (tr *trialJoin) on() expr.Expr {
	var all []expr.Expr
	if tr.residual != nil {
		all = append(all, tr.residual)
	}
	for _, k := range tr.keys {
		l, r := k.Left, column(trialWidth+k.Right.(expr.Column).Index)
		if k.NullsEqual {
			all = append(all, expr.Distinct{Left: l, Right: r, Not: true})
		} else {
			all = append(all, compare(expr.EQ, l, r))
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return expr.Logic{Args: all}
}

var joinKinds = []plan.JoinKind{plan.InnerJoin, plan.LeftJoin, plan.RightJoin, plan.FullJoin, plan.SemiJoin,
	plan.AntiJoin}

// TestJoinRandom holds every strategy against the model.
func TestJoinRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 3))
	for range 30 {
		tr := newTrialJoin(random)
		for _, kind := range joinKinds {
			want := modelJoin(kind, tr.left, tr.right, tr.partners, [2]int{trialWidth, trialWidth})
			n := plan.Join{Kind: kind, Left: listOf(trialWidth, tr.left...), Right: listOf(trialWidth, tr.right...)}
			n.On = tr.on()
			if got := texts(runAll(t, n, newEnv())); !slices.Equal(got, want) {
				t.Fatalf("loop %d:\n%q, not\n%q", kind, got, want)
			}
			if len(tr.keys) == 0 {
				continue
			}
			n.Method = &plan.JoinMethod{Strategy: plan.Hash, Keys: tr.keys, Residual: tr.residual}
			if got := texts(runAll(t, n, newEnv())); !slices.Equal(got, want) {
				t.Fatalf("hash %d:\n%q, not\n%q", kind, got, want)
			}
			n.Method.BuildLeft = true
			got := texts(runAll(t, n, newEnv()))
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("hash of the left side %d:\n%q, not\n%q", kind, got, want)
			}
			got = texts(runAll(t, tr.merged(n), newEnv()))
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("merge %d:\n%q, not\n%q", kind, got, want)
			}
		}
	}
}

// merged is a join that merges its sides, which are sorted for that.
func (tr *trialJoin) merged(j plan.Join) plan.Join {
	var left, right []plan.SortKey
	for _, k := range tr.keys {
		left, right = append(left, plan.SortKey{Expr: k.Left}), append(right, plan.SortKey{Expr: k.Right})
	}
	j.Left, j.Right = plan.Sort{Input: j.Left, Keys: left}, plan.Sort{Input: j.Right, Keys: right}
	j.Method = &plan.JoinMethod{Strategy: plan.Merged, Keys: tr.keys, Residual: tr.residual}
	return j
}

// TestMergeWantsOrder ends a merge join with an error where a side is out of order: pairs would be missing.
func TestMergeWantsOrder(t *testing.T) {
	keys := []plan.JoinKey{{Left: column(0), Right: column(0)}}
	for name, sides := range map[string][2]plan.Node{
		"left":  {listOf(1, row(2), row(1)), listOf(1, row(1), row(2), row(3))},
		"right": {listOf(1, row(2), row(3)), listOf(1, row(2), row(1), row(3))},
	} {
		n := plan.Join{Left: sides[0], Right: sides[1], Method: &plan.JoinMethod{Strategy: plan.Merged, Keys: keys}}
		var failed error
		for _, err := range Run(context.Background(), n, newEnv()) {
			if err != nil {
				failed = err
			}
		}
		if !errors.Is(failed, errKeyOrder) {
			t.Errorf("%s: %v", name, failed)
		}
	}
}

// TestLateral runs the right side for every left row.
func TestLateral(t *testing.T) {
	left := listOf(1, row(1), row(nil), row(3))
	right := plan.Filter{Input: listOf(1, row(1), row(2), row(3)),
		Cond: compare(expr.LE, column(0), expr.Outer{Slot: 0, T: types.Int8})}
	for kind, want := range map[plan.JoinKind]string{
		plan.InnerJoin: "(1,1) (3,1) (3,2) (3,3)",
		plan.LeftJoin:  "(1,1) (null,null) (3,1) (3,2) (3,3)",
		plan.SemiJoin:  "(1) (3)",
		plan.AntiJoin:  "(null)",
	} {
		n := plan.Join{Kind: kind, Left: left, Right: right, Slots: []plan.Slot{{Number: 0, Value: column(0)}}}
		if got := show(Run(context.Background(), n, newEnv())); got != want {
			t.Errorf("%d: %s, not %s", kind, got, want)
		}
	}
}
