package backfill_test

import (
	"testing"

	"zproxy/catalog"
)

// rowsByShards has all columns of the rows, under other keys.
const rowsByShards = "CREATE UNIQUE INDEX x ON t (id) WITH (shards = 2, covering = 'all')"

// rowsByHeavyKeys are rows of which "move" makes one of a heavy key that of another key.
const (
	rowsByKeys      = "CREATE TABLE t (id int, a int, b int, PRIMARY KEY (a, id))"
	rowsByHeavyKeys = `CREATE UNIQUE INDEX x ON t (a, id) WITH (heavy_keys = '{"10": 3}', covering = 'all')`
)

// TestMovedModel gives the rows other keys while two writers write, one of them perhaps by the version before.
func TestMovedModel(t *testing.T) {
	pairs := [][2]string{{"move", "delete"}, {"delete", "upsert"}, {"insert", "insert"}, {"insert", "delete"},
		{"change", "move"}, {"delete", "insert"}, {"upsert", "move"}, {"move", "insert"}}
	if !*every {
		pairs = pairs[:1]
	}
	for _, of := range []struct {
		name   string
		second how
		guard  bool
	}{{"one process", alone, false}, {"lagging", lagging, false}, {"guarded", alone, true}, {"guarded and lagging", lagging, true}} {
		t.Run(of.name, func(t *testing.T) {
			if of.second == lagging && !*every {
				t.Skip("takes minutes: -every")
			}
			goal := catalog.Build{Goal: catalog.Readable, Replaces: theRows}
			settings := []*setting{newSetting(t, rowsByShards, catalog.Disabled, goal)}
			if *every || of.guard {
				settings = append(settings, newSettingOf(t, rowsByKeys, rowsByHeavyKeys, catalog.Disabled, goal))
			}
			first := inBlock
			if of.second == lagging {
				first = alone
			}
			for _, s := range settings {
				s.guard = of.guard
				orders := 0
				for _, p := range pairs {
					actors := []actor{writer("first", p[0], first), writer("second", p[1], of.second), builder()}
					orders += s.explore(t, actors, hasMoved)
				}
				t.Logf("%d orders", orders)
			}
		})
	}
}

// TestMovedLostAnswerModel gives the rows other keys where it is not known of one of the commits of entries whether it
// happened.
func TestMovedLostAnswerModel(t *testing.T) {
	s := newSetting(t, rowsByShards, catalog.Disabled, catalog.Build{Goal: catalog.Readable, Replaces: theRows})
	s.most = 1
	for s.lost = 1; s.lost <= 2; s.lost++ {
		s.explore(t, []actor{writer("first", "move", inBlock), builder()}, hasMoved)
	}
}

// TestMovedCanceledModel ends the move at any time: the rows stay where they are, or are all in the new place.
func TestMovedCanceledModel(t *testing.T) {
	s := newSetting(t, rowsByShards, catalog.Disabled, catalog.Build{Goal: catalog.Readable, Replaces: theRows})
	cancel := changer("cancel", func(b *catalog.Build) {
		if b.Goal == catalog.Readable {
			b.Goal, b.Drop = catalog.Disabled, true
		}
	})
	stayed, moved := 0, 0
	s.explore(t, []actor{cancel, writer("first", "move", inBlock), builder()}, func(w *world) {
		now := w.current()
		if now.IndexByID(w.index) != nil {
			w.fail("there are two places of the rows at the end")
		}
		if now.Space == w.setting.table.Space {
			stayed++
		} else {
			moved++
		}
	})
	if stayed == 0 || moved == 0 {
		t.Errorf("the rows stayed in %d orders and moved in %d", stayed, moved)
	}
}

// hasMoved wants the rows in their new place, and no other one.
func hasMoved(w *world) {
	switch now := w.current(); {
	case now.Space == w.setting.table.Space:
		w.fail("the rows have not moved")
	case now.IndexByID(w.index) != nil:
		w.fail("the place before is there at the end: %s", now.IndexByID(w.index).State)
	}
}
