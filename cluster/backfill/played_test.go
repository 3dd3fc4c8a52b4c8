package backfill_test

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/backfill"
	"zproxy/planner/plan"
	"zproxy/store"
)

// played implements backfill.Catalog, as a DB does it.
type played struct{ *world }

// Begin implements backfill.Catalog.
func (w played) Begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Snapshot, error) {
	w.stop(point{what: betweenSteps, reads: true})
	txn, err := w.store.Begin(ctx, m)
	return txn, w.snap, err
}

// Commit implements backfill.Catalog.
func (w played) Commit(ctx context.Context, t *catalog.Table, txn store.Txn) error {
	w.stop(point{what: "commit entries"})
	if !w.current().Accepts(t.Version) {
		return store.ErrConflict
	}
	if err := txn.Commit(ctx); err != nil {
		return err
	}
	w.check()
	if w.commits++; w.commits == w.lost {
		return store.ErrUnknown
	}
	return nil
}

// Drained implements backfill.Catalog.
func (w played) Drained(_ context.Context, _ *catalog.Snapshot, t *catalog.Table) error {
	w.stop(point{what: "drained", reads: true, ready: func() bool {
		for _, version := range w.writing {
			if version < t.Version {
				return false
			}
		}
		return true
	}})
	return nil
}

// Indexed implements backfill.Catalog.
func (w played) Indexed(_ *catalog.Snapshot, t *catalog.Table) (plan.Indexed, error) {
	return w.indexed(t), nil
}

func (w *world) indexed(t *catalog.Table) plan.Indexed {
	out := plan.Indexed{Table: t}
	out.Holds = w.holds
	return out
}

// Publish implements backfill.Catalog.
func (w played) Publish(ctx context.Context, _ uint32, change func(backfill.Edit) error) error {
	w.stop(point{what: "publish"})
	txn, err := w.store.Begin(ctx, store.Mode{})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	e := &edit{world: w.world, txn: txn, table: w.current()}
	if err = change(e); err == nil {
		err = txn.Commit(ctx)
	}
	if err != nil {
		return err
	}
	if e.table.Space != w.current().Space {
		w.exchanged = e.table.Version
	}
	w.snap = w.snap.With(e.table)
	if x := e.table.IndexByID(w.index); x != nil {
		w.trace = append(w.trace, fmt.Sprintf("-- version %d: %s", e.table.Version, x.State))
	}
	for _, s := range e.dropped {
		w.must(w.store.Drop(ctx, s))
	}
	w.check()
	return nil
}

// edit implements backfill.Edit.
type edit struct {
	*world
	txn     store.Txn
	table   *catalog.Table
	dropped []*store.Space
}

func (e *edit) Table() *catalog.Table       { return e.table }
func (e *edit) Put(t *catalog.Table) error  { e.table = t; return nil }
func (e *edit) Txn() (store.Txn, error)     { return e.txn, nil }
func (e *edit) Create(s *store.Space) error { return e.store.Create(ctx, s) }
func (e *edit) Drop(s *store.Space)         { e.dropped = append(e.dropped, s) }

// every plays all that writers can do at once, which takes a minute on a machine that is free.
var every = flag.Bool("every", false, "play all pairs of writers in the models of builds")

// kind is an index that is built and removed, and what two writers do at once meanwhile. The build
// waits for the first of them.
type kind struct {
	name, sql string
	pairs     [][2]string
}

var kinds = []kind{
	{"plain", "CREATE INDEX x ON t (a) INCLUDE (b)", [][2]string{
		{"move", "insert"}, {"delete", "upsert"}, {"insert", "move"}, {"insert", "insert"}, {"insert", "delete"}, {"delete", "insert"},
		{"move", "move"}, {"move", "delete"}, {"delete", "move"}, {"delete", "delete"}, {"change", "move"}, {"change", "delete"},
		{"upsert", "move"}}},
	{"unique", "CREATE UNIQUE INDEX x ON t (a)", [][2]string{{"move", "insert"}, {"delete", "upsert"}, {"move", "delete"}}},
	{"partial", "CREATE INDEX x ON t (a) WHERE b > 0", [][2]string{{"change", "move"}, {"change", "delete"}, {"change", "change"}}},
}

// few are all pairs, or without -every the first.
func (k kind) few() [][2]string {
	if !*every {
		return k.pairs[:1]
	}
	return k.pairs
}

// TestBuildModel builds an index while two writers write.
func TestBuildModel(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			orders := 0
			s := newSetting(t, k.sql, catalog.Disabled, catalog.Build{Goal: catalog.Readable})
			for _, p := range k.few() {
				orders += s.explore(t, []actor{writer("first", p[0], inBlock), writer("second", p[1], alone),
					builder()}, func(w *world) {
					if x := w.current().IndexByID(w.index); x == nil || x.State != catalog.Readable {
						w.fail("the index is not Readable at the end: %+v", x)
					}
				})
			}
			t.Logf("%d orders", orders)
		})
	}
}

// TestBuildLostAnswerModel builds an index where it is not known of one of the commits of entries
// whether it happened.
func TestBuildLostAnswerModel(t *testing.T) {
	for _, k := range kinds {
		s := newSetting(t, k.sql, catalog.Disabled, catalog.Build{Goal: catalog.Readable})
		for s.lost = 1; s.lost <= 2; s.lost++ {
			s.most = 1
			s.explore(t, []actor{writer("first", k.pairs[0][0], inBlock), builder()}, func(w *world) {
				if x := w.current().IndexByID(w.index); x == nil || x.State != catalog.Readable {
					w.fail("the index is not Readable at the end: %+v", x)
				}
			})
		}
	}
}

// TestLaggingModel builds and takes away an index while another process, which may be late by one
// state, writes.
func TestLaggingModel(t *testing.T) {
	for i, k := range kinds {
		if i > 0 && !*every {
			break
		}
		build := newSetting(t, k.sql, catalog.Disabled, catalog.Build{Goal: catalog.Readable})
		drop := newSetting(t, k.sql, catalog.Readable, catalog.Build{Goal: catalog.Disabled, Drop: true})
		orders := 0
		for _, s := range []*setting{build, drop} {
			orders += s.explore(t, []actor{writer("first", "move", alone), writer("second", "delete", lagging),
				builder()}, func(*world) {})
		}
		t.Logf("%s: %d orders", k.name, orders)
	}
}

// TestBlindModel builds and takes away an index in a store like DynamoDB, in which no transaction sees
// that another one writes to the same key of an index.
func TestBlindModel(t *testing.T) {
	for _, k := range kinds {
		build := newSetting(t, k.sql, catalog.Disabled, catalog.Build{Goal: catalog.Readable})
		drop := newSetting(t, k.sql, catalog.Readable, catalog.Build{Goal: catalog.Disabled, Drop: true})
		build.guard, drop.guard = true, true
		orders := 0
		for _, s := range []*setting{build, drop} {
			for _, p := range k.few()[:min(2, len(k.few()))] {
				orders += s.explore(t, []actor{writer("first", p[0], inBlock), writer("second", p[1], alone),
					builder()}, func(*world) {})
			}
		}
		t.Logf("%s: %d orders", k.name, orders)
	}
}

// TestSegmentsModel builds an index whose rows are read in segments, in a store like DynamoDB: positions are committed
// behind the entries, and the answer of one of these commits may be lost.
func TestSegmentsModel(t *testing.T) {
	goal := catalog.Build{Goal: catalog.Readable}
	goal.Most.Rows = 1 // of one segment in each step
	orders := 0
	for _, k := range kinds {
		s := newSetting(t, k.sql, catalog.Disabled, goal)
		s.guard, s.segments, s.most = true, 2, 1
		for s.lost = 0; s.lost <= 3; s.lost++ {
			orders += s.explore(t, []actor{writer("first", k.pairs[0][0], inBlock), builder()}, func(w *world) {
				if x := w.current().IndexByID(w.index); x == nil || x.State != catalog.Readable {
					w.fail("the index is not Readable at the end: %+v", x)
				}
			})
		}
	}
	t.Logf("%d orders", orders)
}

// TestBuildUniqueModel builds a unique index while there are two rows with the same key now and
// then. The build may fail then, and takes the index back.
func TestBuildUniqueModel(t *testing.T) {
	// What makes two rows with the same key, at least for a time.
	clashes := [][2]string{{"take", "give"}, {"give", "take"}, {"take", "delete"}, {"take", "take"}}
	s := newSetting(t, kinds[1].sql, catalog.Disabled, catalog.Build{Goal: catalog.Readable})
	built, failed, orders := 0, 0, 0
	if !*every {
		clashes = clashes[:1]
	}
	for _, p := range clashes {
		orders += s.explore(t, []actor{writer("first", p[0], inBlock), writer("second", p[1], alone), builder()},
			func(w *world) {
				txn, err := w.store.Begin(ctx, store.Mode{ReadOnly: true})
				w.must(err)
				build, err := catalogstore.ReadBuild(ctx, txn, w.index)
				w.must(err)
				switch x := w.current().IndexByID(w.index); {
				case x.State == catalog.Readable && build == nil:
					built++
				case x.State == catalog.Disabled && build != nil && build.Over && build.Code == "23505":
					failed++
				default:
					w.fail("at the end: %+v, build %+v", x, build)
				}
			})
	}
	t.Logf("%d orders: built in %d, failed in %d", orders, built, failed)
	if built == 0 || failed == 0 {
		t.Error("one end was never met")
	}
}

// TestDropModel takes an index away while two writers write.
func TestDropModel(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			orders := 0
			s := newSetting(t, k.sql, catalog.Readable, catalog.Build{Goal: catalog.Disabled, Drop: true})
			for _, p := range k.few() {
				orders += s.explore(t, []actor{writer("first", p[0], inBlock), writer("second", p[1], alone),
					builder()}, func(w *world) {
					if x := w.current().IndexByID(w.index); x != nil {
						w.fail("the index is there at the end: %+v", x)
					}
				})
			}
			t.Logf("%d orders", orders)
		})
	}
}

// TestChangedModel gives a build another goal while it goes on. Who was told that there is such a
// build is not forgotten by a step that began before.
func TestChangedModel(t *testing.T) {
	build := newSetting(t, kinds[0].sql, catalog.Disabled, catalog.Build{Goal: catalog.Readable})
	disable := newSetting(t, kinds[0].sql, catalog.Readable, catalog.Build{Goal: catalog.Disabled})
	drop := changer("drop", func(b *catalog.Build) { b.Goal, b.Drop = catalog.Disabled, true })
	again := changer("build again", func(b *catalog.Build) { b.Goal = catalog.Readable })
	changed := 0
	for _, s := range []*setting{build, disable} {
		s.explore(t, []actor{drop, builder()}, func(w *world) {
			if x := w.current().IndexByID(w.index); w.changed && x != nil {
				w.fail("the index that was dropped is %s at the end", x.State)
			}
			if w.changed {
				changed++
			}
		})
	}
	disable.explore(t, []actor{again, builder()}, func(w *world) {
		if x := w.current().IndexByID(w.index); w.changed && x.State != catalog.Readable {
			w.fail("the index that was to be built is %s at the end", x.State)
		}
	})
	if changed == 0 {
		t.Error("no order met the build while it went on")
	}
}
