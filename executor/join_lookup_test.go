package executor

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/store/memstore"
	"zproxy/types"
)

func outer(slot int) expr.Expr { return expr.Outer{Slot: slot, Name: "x", T: types.Int8} }

// TestLookupRandom joins by lookups in a table, by its key, by an index with and without a
// lookup of the row, and by a range, and holds the result against the model.
func TestLookupRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 4))
	for range 12 {
		table := tableOf("k int8, a int8, id int8 not null", 3)
		table.Columns[0].NotNull, table.Columns[1].NotNull = false, false
		table.Primary = catalog.Layout{Partition: partsOf(table.Columns[2]), Unique: true}
		a := index(table, false, "a", "+k")
		b := index(table, false, "a")
		w := newWorldIn(t, table, memstore.New(memstore.Options{Unordered: random.IntN(2) == 0}))
		left := randomRows(random, random.IntN(300), 3)
		right := randomRows(random, random.IntN(100), 3)
		w.insert(plan.Insert{}, right...)
		w.commit()
		lookUp := func(x *catalog.Index, column uint32, op plan.TermOp, from int) plan.Join {
			by := plan.Bound{Column: column, Terms: []plan.Term{{Op: op, Args: []expr.Expr{outer(0)}}}}
			access := plan.Access{Path: spansOf(plan.Entries{Index: x}, 1, by)}
			if x == b {
				access = *lookingUp(access, 1, 2)
			}
			return plan.Join{Left: listOf(3, left...), Right: scanOf(table, access), Method: &plan.JoinMethod{
				Strategy: plan.Lookup, Slots: []plan.Slot{{Number: 0, Value: columnOf(from)}},
			}}
		}
		for name, c := range map[string]struct {
			n        plan.Join
			partners func(l, r types.Row) bool
		}{
			"key":   {keyed(lookUp(nil, 3, plan.TermEQ, 1), 1, 2), func(l, r types.Row) bool { return equalInts(l[1], r[2]) }},
			"index": {keyed(lookUp(a, 2, plan.TermEQ, 0), 0, 1), func(l, r types.Row) bool { return equalInts(l[0], r[1]) }},
			"entry": {keyed(lookUp(b, 2, plan.TermEQ, 0), 0, 1), func(l, r types.Row) bool { return equalInts(l[0], r[1]) }},
			"range": {ranged(lookUp(a, 2, plan.TermLT, 0)), func(l, r types.Row) bool {
				return !l[0].IsNull() && !r[1].IsNull() && r[1].Int() < l[0].Int()
			}},
		} {
			for _, kind := range []plan.JoinKind{plan.InnerJoin, plan.LeftJoin, plan.SemiJoin, plan.AntiJoin} {
				c.n.Kind = kind
				got, want := texts(runAll(t, c.n, w.env)), modelJoin(kind, left, right, c.partners, [2]int{3, 3})
				slices.Sort(got) // partners of one row come in the order of their keys
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("%s %d: %q, not %q", name, kind, got, want)
				}
			}
		}
	}
}

func columnOf(i int) expr.Expr { return expr.Column{Index: i, T: types.Int8} }

func equalInts(a, b types.Value) bool { return !a.IsNull() && !b.IsNull() && a.Int() == b.Int() }

func keyed(n plan.Join, left, right int) plan.Join {
	n.Method.Keys = []plan.JoinKey{{Left: columnOf(left), Right: columnOf(right)}}
	return n
}

func ranged(n plan.Join) plan.Join {
	n.Method.Residual = compare(expr.LT, columnOf(4), columnOf(0))
	return n
}

// TestLookupBatches counts the reads of a join by lookups.
func TestLookupBatches(t *testing.T) {
	w := pairs(t)
	var rows [][]types.Value
	for i := range 450 {
		rows = append(rows, row(1+i%4))
	}
	n := plan.Join{
		Left: listOf(1, rows...), Right: scanOf(w.table, plan.Access{Path: spansOf(plan.Entries{}, 1,
			plan.Bound{Column: 1, Terms: []plan.Term{{Op: plan.TermEQ, Args: []expr.Expr{outer(0)}}}})}),
		Method: &plan.JoinMethod{Strategy: plan.Lookup, Slots: []plan.Slot{{Number: 0, Value: columnOf(0)}},
			Keys: []plan.JoinKey{{Left: columnOf(0), Right: columnOf(0)}}},
	}
	w.env.Profile = plan.NewProfile(n)
	got := 0
	for batch, err := range Run(context.Background(), n, w.env) {
		w.check(err)
		got += batch.Len()
	}
	if p := w.env.Profile.Node(2); got != 226 || p.Loops != 3 || p.Stats.Requests > 3*4 || p.Stats.Items != 6 {
		t.Errorf("%d rows; %+v", got, p)
	}
}
