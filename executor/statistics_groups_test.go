package executor

import (
	"fmt"
	"testing"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestGroups counts how many values the columns have together that keys begin with: all of them together in a key that
// rows may share, all but the last in one that they may not.
func TestGroups(t *testing.T) {
	table := tableOf("a int4, b int4, c int4, d int4, e int4", 3)
	add := func(unique bool, ordinals ...int) {
		x := catalog.Index{ID: uint32(len(table.Indexes) + 8), Name: fmt.Sprint("x", len(table.Indexes)),
			Method: catalog.BTree, Space: catalog.NewSpace(uint64(80+len(table.Indexes)), "t")}
		for _, at := range ordinals {
			x.Layout.Sort = append(x.Layout.Sort, partsOf(table.Columns[at])...)
		}
		x.Layout.Partition, x.Layout.Sort = x.Layout.Sort[:1], x.Layout.Sort[1:]
		x.Layout.Unique = unique
		if !unique {
			x.Layout.Tie = partsOf(table.Columns[:3]...)
		}
		table.Indexes = append(table.Indexes, x)
	}
	add(false, 4, 3) // the group (d, e)
	add(false, 3, 4, 1)
	add(true, 1, 0) // (a, b) is that of the primary key, and one column alone is none
	w := newWorld(t, table)
	var rows [][]types.Value
	for i := range 3000 {
		d := any(i % 50)
		if i%50 == 7 {
			d = nil
		}
		rows = append(rows, row(i/100, i/10%10, i%10, d, i%50/5)) // e follows from d, but where that is NULL
	}
	w.table.Indexes = w.table.Indexes[:2]
	w.insert(plan.Insert{}, rows...)
	s, err := Statistics(t.Context(), w.env.Txn, w.env.Tables, table, Reading{})
	w.check(err)
	if got, want := fmt.Sprint(s.Stats.Groups), "[{[2 4 5] 100} {[1 2] 300} {[4 5] 50}]"; got != want {
		t.Errorf("the groups are %s, want %s", got, want)
	}
}
