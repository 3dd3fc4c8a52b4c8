package executor

import (
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store/memstore"
	"zproxy/types"
)

// TestReadLimitOfDroppedRows wants a statement to end soon behind what it may read, also where the
// store leaves out every row, and at the end of a scan that is just too long.
func TestReadLimitOfDroppedRows(t *testing.T) {
	const rows = 20_000
	w := newWorldIn(t, tableOf("k int4, a int4", 1), memstore.New(memstore.Options{Units: true}))
	t.Cleanup(func() { w.env.Txn.Rollback() })
	var list [][]types.Value
	for i := range rows {
		list = append(list, row(i, 1))
	}
	w.insert(plan.Insert{}, list...)
	w.commit()
	none := expr.Compare{Op: expr.EQ, Left: expr.Column{Index: 1, T: types.Int4},
		Right: expr.Const{Value: types.NewInt(2), T: types.Int4}}
	n := plan.Scan{Table: w.table, Reads: []int{0, 1},
		Access: &plan.Access{Path: plan.Whole{Entries: plan.Entries{Filter: []expr.Expr{none}}}},
		Cols:   plan.TableColumns(w.table, []int{0, 1})}
	for _, limit := range []struct{ keys, units int64 }{{keys: 100}, {units: 10}, {keys: rows - 1}} {
		w.env.MaxRead, w.env.MaxUnits, w.env.metering = limit.keys, limit.units, metering{}
		w.env.Profile = plan.NewProfile(n)
		_, err := drain(t.Context(), n, w.env, 0)
		if read := w.env.Profile.Node(0).Stats.Examined; !sqlerr.Has(err, sqlerr.ConfigurationLimitExceeded) ||
			limit.keys < rows-1 && read > rows/4 {
			t.Errorf("%+v: %v, %d rows were read", limit, err, read)
		}
	}
	w.env.MaxRead, w.env.MaxUnits, w.env.read = rows, 0, 0
	if got, err := drain(t.Context(), n, w.env, 0); got != 0 || err != nil {
		t.Errorf("%d rows, %v", got, err)
	}
}
