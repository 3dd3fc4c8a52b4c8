package executor

import (
	"testing"

	"zproxy/planner/plan"
	"zproxy/types"
)

// TestFollows wants it to be seen that a device has one seller, and not which cards it takes.
func TestFollows(t *testing.T) {
	var rows [][]types.Value
	for i := range 1000 {
		rows = append(rows, row(i, i%40, i%8, i%7))
	}
	s := surveyed(t, "id int4, device int4, seller int4, card int4", rows)
	for _, c := range []struct {
		column uint32
		of     []uint32
		rows   int
		same   bool
	}{
		{3, []uint32{2}, 960, true},
		{3, []uint32{2, 4}, 720, true},
		{4, []uint32{2}, 960, false},
		{2, []uint32{3}, 992, false},
		{2, []uint32{1}, 0, false}, // no two rows share the key
	} {
		if n, share := s.Follows(c.column, c.of); n != c.rows || (share == 1) != c.same {
			t.Errorf("column %d of %v: %d rows, share %g", c.column, c.of, n, share)
		}
	}
}

// TestGrown wants the share of new rows above the greatest value of before, which few new rows leave as it was.
func TestGrown(t *testing.T) {
	table := tableOf("id int4, a int4", 1)
	w := newWorld(t, table)
	next := 0
	add := func(n int, a func(i int) int) {
		var rows [][]types.Value
		for range n {
			rows = append(rows, row(next, a(next)))
			next++
		}
		w.insert(plan.Insert{}, rows...)
	}
	analyze := func() (grown [2]float64) {
		s, err := Statistics(t.Context(), w.env.Txn, w.env.Tables, table, Reading{})
		w.check(err)
		table.Stats = s.Stats
		return [2]float64{s.Stats.Columns[1].Grown, s.Stats.Columns[2].Grown}
	}
	add(200, func(i int) int { return i % 50 })
	if got := analyze(); got != [2]float64{} {
		t.Errorf("at first %v", got)
	}
	add(200, func(i int) int { return i % 100 }) // half of them above 49
	if got := analyze(); got != [2]float64{1, 0.5} {
		t.Errorf("of 200 rows %v", got)
	}
	add(99, func(int) int { return 1000 })
	if got := analyze(); got != [2]float64{1, 0.5} {
		t.Errorf("behind few rows %v", got)
	}
}
