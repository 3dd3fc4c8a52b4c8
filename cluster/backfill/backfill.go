// Package backfill takes indexes from one state to another while rows are written: it makes the entries of the rows
// that already exist, or removes an index.
//
// The method is that of F1 (Rae and others, Online, Asynchronous Schema Change in F1, 2013). What must stay true: a
// writer goes by the current state of an index or by an adjacent one, never by another; an index is read only when
// it holds exactly one entry for each of its rows. Each step is short and leaves a state from which another process
// can continue.
package backfill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/executor"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/budget"
)

// Catalog is where tables are kept and changed.
type Catalog interface {
	// Begin starts a transaction with the schema of what it sees.
	Begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Snapshot, error)
	// Commit commits what was written by a version of a table, unless that is no longer
	// accepted: then, and where rows were written meanwhile, it is store.ErrConflict.
	Commit(ctx context.Context, t *catalog.Table, txn store.Txn) error
	// Publish changes the schema. While change runs, the table is as it is given, and no rows
	// of it are committed.
	Publish(ctx context.Context, table uint32, change func(Edit) error) error
	// Drained waits a moment until no transaction writes rows by a version before that of a table in a
	// schema, and is store.ErrConflict where one still does.
	Drained(ctx context.Context, s *catalog.Snapshot, t *catalog.Table) error
	// Indexed is a table of a schema with what its partial indexes hold.
	Indexed(s *catalog.Snapshot, t *catalog.Table) (plan.Indexed, error)
}

// Edit is one change of the schema, which is made when it returns without an error.
type Edit interface {
	// Table is the table as it is, nil when it is no more.
	Table() *catalog.Table
	// Put makes a table the one that there is.
	Put(t *catalog.Table) error
	// Txn is the transaction that the change is part of.
	Txn() (store.Txn, error)
	// Create and Drop make a space, and drop one when the change is made.
	Create(s *store.Space) error
	Drop(s *store.Space)
}

// Builder takes the steps of builds.
type Builder struct {
	Catalog Catalog
	Tables  *executor.Tables
	// Guard is that of executor.Fill, for a store without Snapshots.
	Guard bool
	// MostWrites is how many items the store takes in a transaction; 0: any number.
	MostWrites int
	// Segments is in how many parts the rows are read at once; 0: in one.
	Segments int
	// Compare compares an index with the rows of its table while they are written, mends what
	// differs, and is an error for what cannot be mended; nil: the store has snapshots, in which
	// entries can be counted.
	Compare func(ctx context.Context, limit *budget.Units, t plan.Indexed, x *catalog.Index) error
	// Make makes an index that the store keeps, which may take it long, and waits until it can be read. One that is
	// there already is no error.
	Make func(ctx context.Context, s *store.Space) error
	// Owner is the number of this process among those that share the store. It takes the steps of
	// its own builds only.
	Owner func() uint64
	// Prepare completes an index before its entries are made, such as by the maps of its columns. It
	// gives the statistics of the table that it has learned for that, nil if it has not.
	Prepare Prepare
	Now     func() time.Time // by which rows expire
	// NewID takes a number that nothing else has.
	NewID func(ctx context.Context) (uint64, error)
}

// Prepare is what Builder's Prepare does, within a bound of units.
type Prepare func(
	ctx context.Context, limit *budget.Units, t *catalog.Table, x *catalog.Index,
) (*catalog.Stats, error)

// Progress is what a step has done.
type Progress struct {
	Ended bool  // there is nothing left to do
	Rows  int   // read by the step
	Rate  int64 // rows a second that it should read at the most; 0: any number
}

// Pace is how a step takes its time.
type Pace struct {
	Most int // rows of one segment whose entries it makes
	// Limit bounds the units that the build takes. A step that makes entries only counts what it takes; nil: nothing
	// is bounded.
	Limit *budget.Units
	// Rest is called now and then where a step may take long and no statement waits for it.
	Rest func()
}

// Step takes the next step of the build of an index. store.ErrConflict, which a writer may be
// the cause of, means to try again. Other errors fail the build, see Fail.
func (b *Builder) Step(ctx context.Context, index uint32, pace Pace) (Progress, error) {
	stats := &store.Stats{}
	txn, snap, err := b.Catalog.Begin(ctx, store.Mode{Stats: stats})
	if err != nil {
		return Progress{}, err
	}
	defer txn.Rollback()
	defer pace.Limit.Take(stats)
	build, err := catalogstore.ReadBuild(ctx, txn, index)
	if err != nil || build == nil || build.Ended() || build.Owner != b.Owner() {
		return Progress{Ended: true}, err
	}
	pace.Limit.Set(build.Most.Units)
	s := &step{Builder: b, pace: pace, build: build, snap: snap, txn: txn}
	s.table, _ = snap.ByID(build.Table).(*catalog.Table)
	if s.table != nil {
		s.index = s.table.IndexByID(index)
	}
	if s.index == nil {
		return Progress{Ended: true}, b.Catalog.Publish(ctx, build.Table, s.end)
	}
	p := Progress{Rate: build.Most.Rows}
	if build.Goal == catalog.Readable {
		p.Rows, err = s.forward(ctx)
	} else {
		p.Ended, err = s.back(ctx)
	}
	return p, err
}

// step is one step under way, with what its transaction sees.
type step struct {
	*Builder
	pace  Pace
	build *catalog.Build
	snap  *catalog.Snapshot
	txn   store.Txn
	table *catalog.Table
	index *catalog.Index
}

// forward takes a step towards Readable, and says how many rows it has read. What was to take
// the place of an index that is gone meanwhile, or not read any more, goes, too: of that one the
// entries that it would take over may not have been kept.
func (s *step) forward(ctx context.Context) (int, error) {
	if r := s.build.Replaces; r != 0 && !readable(s.table, r) {
		_, err := s.Change(ctx, s.index.ID,
			func(b *catalog.Build) { b.Goal, b.Drop, b.Replaces = catalog.Disabled, true, 0 })
		return 0, err
	}
	switch s.index.State {
	case catalog.Disabled:
		return 0, s.begin(ctx)
	case catalog.DeleteOnly:
		return 0, s.moveTo(ctx, catalog.WriteOnly)
	case catalog.WriteOnly:
		return 0, s.moveTo(ctx, catalog.Backfill)
	case catalog.Backfill:
		return s.fill(ctx)
	case catalog.Validate:
		return s.validate(ctx)
	default:
		return 0, s.publish(ctx, s.end)
	}
}

// back takes a step towards Disabled, or no index at all, and says whether it was the last.
func (s *step) back(ctx context.Context) (bool, error) {
	switch s.index.State {
	case catalog.Disabled:
		return true, s.finish(ctx)
	case catalog.DeleteOnly:
		return false, s.moveTo(ctx, catalog.Disabled)
	case catalog.Readable:
		return false, s.moveTo(ctx, catalog.WriteOnly) // writers do the same in between
	default:
		return false, s.moveTo(ctx, catalog.DeleteOnly)
	}
}

// moveTo takes the index to another state, when no transaction works by the one before the present.
func (s *step) moveTo(ctx context.Context, to catalog.State) error {
	if err := s.Catalog.Drained(ctx, s.snap, s.table); err != nil {
		return err
	}
	return s.publish(ctx, func(e Edit) error { return e.Put(e.Table().WithState(s.index.ID, to)) })
}

// publish changes the table if it is still the one that the step began with, and the build has
// not been given another goal meanwhile: who did that was told that it counts.
func (s *step) publish(ctx context.Context, change func(Edit) error) error {
	return s.Catalog.Publish(ctx, s.table.ID, func(e Edit) error {
		if t := e.Table(); t == nil || t.Version != s.table.Version {
			return fmt.Errorf("table %q has changed: %w", s.table.Name, store.ErrConflict)
		}
		txn, err := e.Txn()
		if err != nil {
			return err
		}
		now, err := catalogstore.ReadBuild(ctx, txn, s.index.ID)
		if err != nil {
			return err
		}
		if now == nil || now.Goal != s.build.Goal || now.Drop != s.build.Drop || now.Replaces != s.build.Replaces ||
			now.Owner != s.build.Owner || now.Failed != s.build.Failed {
			return fmt.Errorf("the build of index %q has another goal: %w", s.index.Name, store.ErrConflict)
		}
		return change(e)
	})
}

// begin gives the index an empty space.
func (s *step) begin(ctx context.Context) error {
	if err := s.Catalog.Drained(ctx, s.snap, s.table); err != nil {
		return err // from who writes by the version without the index
	}
	id, err := s.NewID(ctx)
	if err != nil {
		return err
	}
	prepared := *s.index
	learned, err := s.Prepare(ctx, s.pace.Limit, s.table, &prepared)
	if err != nil {
		return err
	}
	return s.publish(ctx, func(e Edit) error {
		t := e.Table()
		old := *t.IndexSpace(t.IndexByID(s.index.ID))
		t = t.WithStep(func(x *catalog.Index) {
			if x.ID == s.index.ID {
				*x = prepared.In(catalog.NewSpace(id, t.Schema, t.Name, x.Name))
				x.State = catalog.DeleteOnly
			}
		})
		if learned != nil {
			t.Stats = *learned
		}
		if x := t.IndexByID(s.index.ID); !x.Follows {
			if err := e.Create(t.IndexSpace(x)); err != nil {
				return err
			}
		}
		e.Drop(&old)
		return e.Put(t)
	})
}

// validate lets the index be read if it holds what it should.
func (s *step) validate(ctx context.Context) (int, error) {
	if err := s.Catalog.Drained(ctx, s.snap, s.table); err != nil {
		return 0, err
	}
	table, err := s.Catalog.Indexed(s.snap, s.table)
	if err != nil {
		return 0, err
	}
	s.txn.Rollback() // one that only reads costs others nothing while it lasts
	n, err := s.compared(ctx, table)
	if err != nil {
		return 0, err
	}
	// nothing is left to read that it should rest for
	return 0, s.publish(ctx, func(e Edit) error { return s.open(e, n) })
}

// compared makes sure that an index holds what it should, and says how many rows there are.
func (s *step) compared(ctx context.Context, table plan.Indexed) (rows int64, err error) {
	switch {
	case s.index.Follows: // the rows have been written back, so the store finds in them what it is to keep
		return s.build.Done, s.Make(ctx, s.table.IndexSpace(s.index))
	case s.Compare != nil:
		return s.build.Done, s.Compare(ctx, s.pace.Limit, table, s.index)
	}
	txn, snap, err := s.Catalog.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer txn.Rollback()
	if snap.ByID(s.table.ID) != catalog.Relation(s.table) {
		return 0, fmt.Errorf("table %q has changed: %w", s.table.Name, store.ErrConflict)
	}
	f := &executor.Fill{Table: table, Index: s.index}
	n, err := f.Count(ctx, txn, s.Tables, s.pace.Rest)
	if err == nil {
		err = n.Check(s.index)
	}
	return n.Rows, err
}

// open lets the index be read, in the place of another one if it replaces that, which is then on
// the way back. How many rows there are is worth to be known.
func (s *step) open(e Edit, rows int64) error {
	txn, err := e.Txn()
	if err != nil {
		return err
	}
	t := *e.Table()
	t.Stats = t.Stats.WithRows(float64(rows))
	if s.build.Replaces == 0 {
		if err := s.end(e); err != nil {
			return err
		}
		return e.Put(t.WithState(s.index.ID, catalog.Readable))
	}
	back := *s.build
	back.Goal, back.Drop, back.Replaces = catalog.Disabled, true, 0
	if err := catalogstore.PutBuild(txn, &back); err != nil {
		return err
	}
	after := t.Exchange(s.build.Replaces, s.index.ID)
	return e.Put(withOptions(after, s.build.Replaces, s.build.Options))
}

// finish ends the way back: no writer keeps the index any more, and its entries go. A transaction that took
// entries away by the version before Disabled cannot commit any more, so none writes to a space
// that is gone.
func (s *step) finish(ctx context.Context) error {
	if err := s.Catalog.Drained(ctx, s.snap, s.table); err != nil {
		return err
	}
	return s.publish(ctx, func(e Edit) error {
		txn, err := e.Txn()
		if err != nil {
			return err
		}
		t := e.Table()
		x := t.IndexByID(s.index.ID)
		space := *t.IndexSpace(x)
		if s.build.Drop {
			t = t.WithoutKept(x)
		} else {
			t = t.WithState(x.ID, catalog.Disabled)
		}
		if s.build.Failed == "" {
			err = catalogstore.DeleteBuild(txn, s.index.ID)
		} else {
			over := *s.build
			over.Over = true
			err = catalogstore.PutBuild(txn, &over)
		}
		if err != nil {
			return err
		}
		e.Drop(&space)
		return e.Put(t)
	})
}

// end forgets the build of an index that is gone or at its goal.
func (s *step) end(e Edit) error {
	txn, err := e.Txn()
	if err != nil {
		return err
	}
	return catalogstore.DeleteBuild(txn, s.build.Index)
}

// Change changes what is to become of an index. It says whether there is a build.
func (b *Builder) Change(ctx context.Context, index uint32, change func(*catalog.Build)) (bool, error) {
	for {
		txn, _, err := b.Catalog.Begin(ctx, store.Mode{})
		if err != nil {
			return false, err
		}
		build, err := catalogstore.ReadBuild(ctx, txn, index)
		if err == nil && build != nil && !build.Ended() {
			change(build)
			if err = catalogstore.PutBuild(txn, build); err == nil {
				err = txn.Commit(ctx)
			}
		}
		txn.Rollback()
		if !errors.Is(err, store.ErrConflict) {
			return err == nil && build != nil && !build.Ended(), err
		}
	}
}

// Fail turns the build of an index back, because of an error that its client is told by the
// catalog. An index that was to replace another one goes away. A build that another process has
// taken over meanwhile goes on.
func (b *Builder) Fail(ctx context.Context, index uint32, why error) error {
	_, err := b.Change(ctx, index, func(build *catalog.Build) {
		if build.Owner != b.Owner() {
			return
		}
		e := sqlerr.From(why)
		build.Failed, build.Code, build.Detail = e.Message, string(e.Code), e.Detail
		build.Goal, build.Drop = catalog.Disabled, build.Drop || build.Replaces != 0
	})
	return err
}
