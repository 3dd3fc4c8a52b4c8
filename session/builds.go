package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/curve"
	"zproxy/cluster"
	"zproxy/cluster/backfill"
	"zproxy/cluster/check"
	"zproxy/cluster/failure"
	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/internal/routine"
	"zproxy/planner/declared"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/store"
)

const (
	// maxBuildPause bounds the pause after a step that failed through no fault of the data.
	maxBuildPause = 10 * time.Second
	// drainPause is how long others may take their steps before one tries again that met transactions which write by an
	// older version.
	drainPause = 10 * time.Millisecond
)

// builds are the builds of indexes that go on in this process, each in a goroutine of its own.
type builds struct {
	backfill.Builder
	mu      sync.Mutex
	running map[uint32]chan struct{} // by index; closed when it has ended
	turn    chan struct{}            // holds the build that takes a step
}

func newBuilds(db *DB) *builds {
	b := &builds{running: map[uint32]chan struct{}{}, turn: make(chan struct{}, 1)}
	b.Builder = backfill.Builder{
		Catalog: builders{db}, Tables: db.tables, Prepare: db.prepareIndex,
		Owner: db.MemberID,
		Now:   func() time.Time { return db.now() },
		NewID: db.NextID,
	}
	c := db.Store.Capabilities()
	if b.Guard, b.MostWrites = c.Blind, c.MostWrites; !c.Snapshots {
		b.Compare = db.compare
	}
	return b
}

// resumeBuilds goes on with the builds that another process has left.
func (db *DB) resumeBuilds(ctx context.Context, txn store.Txn) error {
	list, err := catalogstore.Builds(ctx, txn)
	if err != nil {
		return err
	}
	for _, b := range list {
		if !b.Ended() {
			db.build(b.Index)
		}
	}
	return nil
}

// compare is backfill.Builder's Compare: what others write meanwhile is looked at again.
func (db *DB) compare(ctx context.Context, t plan.Indexed, x *catalog.Index) error {
	txn, _, err := db.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	c := check.Table{Checker: db.Checker(), Table: t, Repair: true, Read: executor.IndexCheck{Txn: txn}}
	for f, err := range c.Findings(ctx, x.Name) {
		switch {
		case err != nil:
			return err
		case f.Repaired:
		case f.Class == executor.Duplicate:
			return sqlerr.New(sqlerr.UniqueViolation, "could not create unique index \"%s\"", x.Name).
				WithDetail("Key %s is duplicated.", f.Key)
		default:
			return sqlerr.New(sqlerr.DataCorrupted, "index \"%s\" does not agree with its table: %s: key %s", x.Name,
				f.Class, f.Key)
		}
	}
	return nil
}

// build begins or goes on with the build of an index, and says when it has ended. After Close the
// next process goes on with it.
func (db *DB) build(index uint32) <-chan struct{} {
	b := db.builds
	ended := make(chan struct{})
	b.mu.Lock()
	before := b.running[index]
	b.running[index] = ended
	b.mu.Unlock()
	end := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.running[index] == ended {
			delete(b.running, index)
		}
		close(ended)
	}
	if !db.Background.Run(func(ctx context.Context) {
		defer end()
		if before != nil {
			<-before
		}
		b.run(ctx, db, index)
	}) {
		end()
	}
	return ended
}

// building says when the build of an index that goes on has ended, here or in another process.
func (db *DB) building(ctx context.Context, index uint32) <-chan struct{} {
	b := db.builds
	b.mu.Lock()
	ended := b.running[index]
	b.mu.Unlock()
	if ended != nil {
		return ended
	}
	if db.Shared() {
		return db.BuildElsewhere(ctx, index)
	}
	none := make(chan struct{})
	close(none)
	return none
}

// underWay says whether a build of an index goes on, here or in another process.
func (db *DB) underWay(ctx context.Context, index uint32) (bool, error) {
	if db.Shared() {
		b, err := db.ReadBuild(ctx, index)
		return b != nil && !b.Ended(), err
	}
	db.builds.mu.Lock()
	defer db.builds.mu.Unlock()
	return db.builds.running[index] != nil, nil
}

// run takes steps until there are none left, or the DB ends.
func (b *builds) run(ctx context.Context, db *DB, index uint32) {
	pace := db.newPace(ctx)
	for failures := 0; ctx.Err() == nil; {
		p, err := b.step(ctx, index, pace)
		var known *sqlerr.Error
		switch {
		case err == nil && p.Ended:
			return
		case err == nil:
			failures = 0
			pace.done(p)
			continue
		case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrTooLarge) && pace.most > 1:
			pace.met()
			continue
		case errors.Is(err, store.ErrUnknown), errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrUnreachable):
		case errors.Is(err, store.ErrGone) && failures < retry.Most: // by a change of the schema that shows soon
		case errors.Is(err, store.ErrClosed), ctx.Err() != nil:
			return
		case errors.As(err, new(*routine.Bug)):
			db.Log.Error("a bug in the build of an index", "index", index, "error", err)
			err = b.Fail(ctx, index, sqlerr.Wrap(err, sqlerr.InternalError, "internal error"))
		case errors.As(failure.Explain(ctx, db.Snapshot(), err), &known): // such as that a step is too large for the store
			err = b.Fail(ctx, index, known)
		}
		if err == nil {
			continue
		}
		if failures++; failures > 3 {
			db.Log.Warn("building an index", "index", index, "error", err)
		}
		_ = store.Sleep(ctx, min(time.Millisecond<<min(failures, 20), maxBuildPause))
	}
}

// step takes one step while no other build does.
func (b *builds) step(ctx context.Context, index uint32, p *pace) (done backfill.Progress, err error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
		err = routine.Do(func() (err error) {
			done, err = b.Step(ctx, index, p.step())
			return err
		})
		return done, err
	case <-ctx.Done():
		return backfill.Progress{}, ctx.Err()
	}
}

// prepareIndex gives an index what its entries are to have, and learns the maps of a Z-order index.
func (db *DB) prepareIndex(ctx context.Context, t *catalog.Table, x *catalog.Index) (*catalog.Stats, error) {
	t.TellsDue(x)
	x.Loose = t.StartsLoose(x)
	if x.Method != catalog.ZOrder {
		return nil, nil
	}
	txn, err := db.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("statistics: %w", err)
	}
	defer txn.Rollback()
	survey, err := executor.Statistics(ctx, txn, db.tables, t, nil)
	if err != nil {
		return nil, err
	}
	checks, err := stored.In(db.Snapshot()).Checks(t)
	if err != nil {
		return nil, err
	}
	stats := survey.Stats
	curve.Learn(t, x, curve.Rows{Declared: declared.BoundsOf(t, checks), Stats: stats,
		Codes: curve.Samples(x, survey.Codes)})
	with := t.WithStep(func(to *catalog.Index) {
		if to.ID == x.ID {
			*to = *x
		}
	})
	indexed, err := stored.In(db.Snapshot()).Indexed(with)
	if err == nil {
		err = survey.Learn(indexed, &stats)
	}
	if err != nil || stats.Rows == 0 {
		return nil, err // of nothing there is nothing to be known for long
	}
	return &stats, nil
}

// internally does something in a session of the program itself.
func (db *DB) internally(f func(*Session) error) error {
	s, err := db.Connect(Startup{User: defaultBootstrapName,
		Database: cmp.Or(db.options.Database, defaultBootstrapName), Internal: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

// builders implements backfill.Catalog, and owns the transactions that change the states of indexes.
type builders struct{ db *DB }

// Begin implements backfill.Catalog.
func (b builders) Begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Snapshot, error) {
	return b.db.Begin(ctx, m)
}

// Commit implements backfill.Catalog.
func (b builders) Commit(ctx context.Context, t *catalog.Table, txn store.Txn) error {
	locks, tables := b.db.Locks, map[uint32]bool{t.ID: true}
	if err := locks.BeginCommit(lock.Wait{Ctx: ctx}, tables, 0); err != nil {
		return err
	}
	defer b.db.EndCommit(txn, tables, false) // of the rows none has changed
	if now, _ := b.db.Snapshot().ByID(t.ID).(*catalog.Table); now == nil || !now.Accepts(t.Version) {
		return fmt.Errorf("the schema changed: %w", store.ErrConflict)
	}
	return txn.Commit(ctx)
}

// Drained implements backfill.Catalog.
func (b builders) Drained(ctx context.Context, snap *catalog.Snapshot, t *catalog.Table) error {
	return b.db.Drained(ctx, snap, t)
}

// Indexed implements backfill.Catalog.
func (b builders) Indexed(snap *catalog.Snapshot, t *catalog.Table) (plan.Indexed, error) {
	return stored.In(snap).Indexed(t)
}

// Publish implements backfill.Catalog.
func (b builders) Publish(ctx context.Context, table uint32, change func(backfill.Edit) error) error {
	t := cluster.NewTransaction(b.db.Node, b)
	defer t.End()
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	e := &edit{ctx: ctx, Transaction: &t}
	if e.table, _ = c.Snap.ByID(table).(*catalog.Table); e.table != nil {
		err = t.AloneHere(ctx, table, false) // states get on with their neighbours elsewhere
	}
	if err == nil {
		err = change(e)
	}
	if err != nil {
		return err
	}
	return t.Commit(ctx)
}

// Wait implements cluster.Owner. A build has no statement whose time it takes.
func (b builders) Wait(ctx context.Context) lock.Wait { return lock.Wait{Ctx: ctx} }

// Mode implements cluster.Owner.
func (b builders) Mode(write bool) store.Mode { return store.Mode{ReadOnly: !write} }

// Charge implements cluster.Owner. A step of a build is bounded by its rows.
func (b builders) Charge(txn store.Txn) store.Txn { return txn }

// Now implements cluster.Owner.
func (b builders) Now() time.Time { return b.db.now() }

// edit implements backfill.Edit.
type edit struct {
	*cluster.Transaction
	ctx   context.Context
	table *catalog.Table
}

// Table implements backfill.Edit.
func (e *edit) Table() *catalog.Table { return e.table }

// Put implements backfill.Edit.
func (e *edit) Put(t *catalog.Table) error { return e.Transaction.Put(e.ctx, t) }

// Txn implements backfill.Edit.
func (e *edit) Txn() (store.Txn, error) { return e.Store(e.ctx, true) }

// Create implements backfill.Edit.
func (e *edit) Create(s *store.Space) error { return e.Transaction.Create(e.ctx, s) }

// Drop implements backfill.Edit.
func (e *edit) Drop(s *store.Space) { e.DropLater(*s) }
