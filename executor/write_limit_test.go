package executor

import (
	"context"
	"strings"
	"testing"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/store/tariff"
	"zproxy/types"
)

// TestWritesAreCounted wants what is counted of the writes of a statement to be what the commit is charged, and a
// statement that may be charged less to end with an error.
func TestWritesAreCounted(t *testing.T) {
	table := tableOf("id int4, a int4, note text", 1)
	index(table, true, "a")
	index(table, false, "note")
	w := newWorldIn(t, table, memstore.New(memstore.Options{Units: true}))
	t.Cleanup(func() { w.env.Txn.Rollback() })
	add := func(to, n int) plan.Assignment { return plan.Assignment{Column: to, Value: plus(column(to), n)} }
	var rows [][]types.Value
	for i, size := range []int{3, 1500, 40, 3000} {
		rows = append(rows, row(i, 10*i, strings.Repeat("x", size)))
	}
	all := w.wholeScan()
	for _, n := range []plan.Node{
		plan.Insert{Table: table, Input: valuesOf(table, rows)},
		plan.Update{Table: table, Input: all, Set: setTo(2, "short")},
		plan.Update{Table: table, Input: all, Set: []plan.Assignment{add(1, 1)}},
		plan.Update{Table: table, Input: all, Set: []plan.Assignment{add(0, 1)}}, // rows take each other's keys
		plan.Insert{Table: table, Input: valuesOf(table, rows), Conflict: plan.ConflictNothing},
		plan.Delete{Table: table, Input: all},
	} {
		var stats store.Stats
		for _, most := range []int64{1, 1 << 20} {
			txn, err := w.store.Begin(t.Context(), store.Mode{Stats: &stats})
			w.check(err)
			w.env.Txn, w.env.MaxWrites, w.env.spent = txn, most, tariff.Sum{}
			if _, _, err = Write(context.Background(), n, w.env); most == 1 {
				if !sqlerr.Has(err, sqlerr.ConfigurationLimitExceeded) {
					t.Errorf("%T: %v", n, err)
				}
				txn.Rollback()
				continue
			}
			w.check(err)
			w.check(txn.Commit(t.Context()))
		}
		if got := w.env.spent.Units(); got != stats.WriteUnits || got < 2 {
			t.Errorf("%T: %v units were counted, %v charged", n, got, stats.WriteUnits)
		}
	}
}
