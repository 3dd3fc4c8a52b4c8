package executor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestPushFirst reads the first rows in an order from a table of many: those that the whole order begins with, while
// the scan leaves most of the others out.
func TestPushFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 5))
	w := newWorld(t, tableOf("id int4, a int4, b text, c text", 1))
	var rows [][]types.Value
	for i := range 5000 {
		a := any(random.IntN(1000))
		if random.IntN(20) == 0 {
			a = nil
		}
		rows = append(rows, row(i, a, fmt.Sprint("b", random.IntN(300)), fmt.Sprint("c", i)))
	}
	w.insert(plan.Insert{}, rows...)
	for range 40 {
		scan := scanOf(w.table, whole(plan.Entries{}))
		scan.Access.Estimate.Rows = float64(len(rows))
		n := plan.Sort{Input: scan, Keys: []plan.SortKey{
			{Expr: column(1), Desc: random.IntN(2) == 0, NullsFirst: random.IntN(2) == 0},
			{Expr: column(0), Desc: random.IntN(2) == 0}}}
		if random.IntN(2) == 0 {
			n.Keys[0].Expr = expr.Column{Index: 2, T: types.Text}
		}
		all := runAll(t, n, w.env)
		most := 1 + random.IntN(40)
		n.Most = &plan.Limit{Count: constant(most)}
		w.env.Profile = plan.NewProfile(n)
		first := runAll(t, n, w.env)
		if !slices.EqualFunc(first, all[:most], func(a, b types.Row) bool {
			return slices.EqualFunc(a, b, types.Identical)
		}) {
			t.Fatalf("the first %d by %v are %v, not %v", most, n.Keys, first, all[:most])
		}
		if left := w.env.Profile.Node(1).Unsorted; left < int64(len(rows))/2 {
			t.Errorf("%d rows were left out of %d, of which %d are wanted by %v", left, len(rows), most, n.Keys)
		}
		w.env.Profile = nil
	}
}
