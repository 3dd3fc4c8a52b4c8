package executor

import (
	"math/rand/v2"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestKeyFilter wants a filter to have all keys of its table, and few others: of whole numbers, of texts, and of pairs.
func TestKeyFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	number, text := column(0), expr.Column{Index: 1, Name: "t", T: types.Text}
	for name, keys := range map[string][]expr.Expr{
		"numbers": {number}, "texts": {text}, "pairs": {number, text},
	} {
		w := newWorld(t, tableOf("id int4", 1))
		f := frame{ctx: t.Context(), env: w.env}
		table := newHashTable(f, 2, keys, make([]bool, len(keys)))
		has := func(i int) types.Row { return row(i*7919, words(i)) }
		for i := range 3000 {
			w.check(table.add(has(i)))
		}
		w.check(table.add(types.Row{types.Null, types.Null}))
		w.check(table.link(t.Context(), 2))
		var access plan.Access
		push(f, &access, pushed{keys, newKeyFilter(&table).asks,
			func(p *plan.NodeProfile) *int64 { return &p.Unjoined }})
		ask := func(probes []*probe, batch *types.Batch) int {
			var left plan.NodeProfile
			sel, err := chooseAll(probes, batch, rowNumbers(nil, batch.Len()), &left)
			w.check(err)
			batch.Select(sel)
			return int(left.Unjoined)
		}
		probes := probesOf(f, &access)
		batch, kept, others := types.NewBatch(2), 0, 0
		for range 100 {
			batch.Reset(2)
			for range 100 {
				batch.Append(has(rng.IntN(3000)))
			}
			batch.Append(types.Row{types.Null, types.Null})
			if dropped := ask(probes, batch); dropped != 1 {
				t.Fatalf("%s: %d of 100 keys and NULL were left out", name, dropped)
			}
			kept += batch.Len()
		}
		probes = probesOf(f, &access)
		for i := range 200 {
			batch.Reset(2)
			for k := range 100 {
				batch.Append(has(3000 + 100*i + k))
			}
			ask(probes, batch)
			others += batch.Len()
		}
		if kept != 10_000 || others > 1000 {
			t.Errorf("%s: %d of 10,000 keys, and %d of 20,000 others", name, kept, others)
		}
	}
}

// words is a text for a number.
func words(i int) string {
	return string([]byte{'k', byte(i), byte(i >> 8), byte(i >> 16), 'e', 'y'}[:3+i%4])
}
