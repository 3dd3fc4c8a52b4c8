package executor

import (
	"testing"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// TestStageWindow wants the second of two rows with one key to be refused wherever they are, if no more
// than a window apart.
func TestStageWindow(t *testing.T) {
	const window, rows = 4, 20
	w := newWorld(t, tableOf("k int4", 1))
	t.Cleanup(func() { w.env.Txn.Rollback() })
	for first := range rows {
		for second := first + 1; second < min(first+window, rows); second++ {
			var list [][]types.Value
			for i := range rows {
				list = append(list, row(i))
			}
			list[second] = list[first]
			staged, refused := 0, error(nil)
			for _, err := range Stage(t.Context(), plan.Insert{Table: w.table, Input: valuesOf(w.table, list)}, w.env,
				window) {
				if refused = err; err == nil {
					staged++
				}
			}
			if staged != second || !sqlerr.Has(refused, sqlerr.UniqueViolation) {
				t.Errorf("rows %d and %d: %d were staged, %v", first, second, staged, refused)
			}
		}
	}
}
