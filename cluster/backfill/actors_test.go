package backfill_test

import (
	"context"
	"errors"
	"time"

	"zproxy/catalog"
	"zproxy/cluster/backfill"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/budget"
)

// How a writer writes.
type how int

const (
	// alone: when the schema has changed, it is told so, and would run again.
	alone how = iota
	// inBlock: it cannot run again, so a build waits for it.
	inBlock
	// lagging: it is in another process, which hears late of changes of the schema.
	lagging
)

// writer is a transaction of one statement.
func writer(name, operation string, how how) actor {
	return actor{name + " " + operation, func(w *world) {
		if how == lagging {
			w.stop(point{what: "look at the schema", reads: true})
		} else {
			w.stop(point{what: "begin", reads: true})
		}
		t := w.current()
		if how == lagging {
			w.stop(point{what: "begin", reads: true})
		}
		txn, err := w.store.Begin(ctx, store.Mode{})
		w.must(err)
		defer txn.Rollback()
		if how == inBlock {
			w.writing[name] = t.Version
		}
		n, err := w.write(txn, t, operations[operation])
		var known *sqlerr.Error
		if err != nil && !errors.As(err, &known) && !errors.Is(err, store.ErrConflict) {
			w.fail("%s: %v", operation, err)
		}
		w.stop(point{what: "commit"})
		delete(w.writing, name)
		if err != nil || !w.current().Accepts(t.Version) {
			return
		}
		if err := txn.Commit(ctx); err != nil {
			if !errors.Is(err, store.ErrConflict) {
				w.fail("commit: %v", err)
			}
			return
		}
		switch operation {
		case "insert":
			w.count += int(n)
		case "upsert":
			w.count = w.rowsThere(w.current())
		case "delete":
			w.count -= int(n)
		}
		w.check()
	}}
}

// builder takes the steps of the build until there are none left.
func builder() actor {
	return actor{"build", func(w *world) {
		b := &backfill.Builder{
			Catalog: played{w}, Tables: w.tables, Guard: w.guard, Segments: w.segments, Now: time.Now,
			Prepare: func(context.Context, *budget.Units, *catalog.Table, *catalog.Index) (*catalog.Stats, error) {
				return nil, nil
			},
			NewID: func(context.Context) (uint64, error) { w.nextID++; return w.nextID, nil },
			Owner: func() uint64 { return 0 },
		}
		for range 100 {
			p, err := b.Step(ctx, w.index, backfill.Pace{Most: w.most, Rest: func() {}})
			var known *sqlerr.Error
			switch {
			case err == nil && p.Ended:
				return
			case errors.As(err, &known):
				w.must(b.Fail(ctx, w.index, err))
			case err != nil && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown):
				w.fail("build: %v", err)
				return
			}
		}
		w.fail("the build does not end")
	}}
}

// changer gives a build another goal, as a client does, and says whether there was a build to be changed.
func changer(what string, change func(*catalog.Build)) actor {
	return actor{what, func(w *world) {
		w.stop(point{what: "change the goal"})
		b := &backfill.Builder{Catalog: played{w}}
		var err error
		w.changed, err = b.Change(ctx, w.index, change)
		w.must(err)
	}}
}
