package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// reapRows is how many rows that are due one transaction removes. A commit of so many takes some
// milliseconds, for which others may have to wait.
const reapRows = 500

// reaper removes rows that are due, from time to time.
type reaper struct {
	every time.Duration // after the end of the round before; 0: never
	once  sync.Once
}

// newReaper makes the reaper of a DB whose sessions begin with some settings.
func newReaper(given map[string]string) (*reaper, error) {
	s, err := settings.New("", given)
	return &reaper{every: s.TTLInterval}, err
}

// reapIfNeeded starts the reaper once there is a table whose rows come due.
func (db *DB) reapIfNeeded() {
	if db.reaper.every == 0 || !slices.ContainsFunc(db.Snapshot().Tables(), func(t *catalog.Table) bool { return t.TTL != nil }) {
		return
	}
	db.reaper.once.Do(func() { db.Background.Run(db.reapOn) })
}

// reapOn removes what is due of all tables, again and again until the DB ends.
func (db *DB) reapOn(ctx context.Context) {
	db.Background.Again(ctx, db.reaper.every, func(ctx context.Context) {
		for _, t := range db.Snapshot().Tables() {
			n, err := reaping{DB: db, patient: true}.of(ctx, t.ID)
			switch {
			case ctx.Err() != nil || errors.Is(err, store.ErrClosed):
				return
			case err != nil:
				db.Log.Warn("removing rows that are due", "table", t.Name, "removed", n, "error", err)
			case n > 0:
				db.Log.Debug("removed rows that were due", "table", t.Name, "removed", n)
			}
		}
	})
}

// reaping is the removal of the rows of a table that are due.
type reaping struct {
	*DB
	patient bool // it rests after each transaction as long as that took
	alone   bool // who asks for it keeps others from committing rows of the table
}

// of removes the rows of a table that are due now, in transactions of some rows each, and says
// how many.
func (r reaping) of(ctx context.Context, id uint32) (total int64, err error) {
	txn, schema, err := r.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(id).(*catalog.Table)
	if t == nil || t.TTL == nil {
		return 0, nil
	}
	return r.eachDue(ctx, txn, schema, t, func(keys []types.Row) (int, error) {
		began := time.Now()
		n, err := r.reap(ctx, t, keys)
		if err == nil && r.patient {
			err = store.Sleep(ctx, time.Since(began))
		}
		return n, err
	})
}

// eachDue removes the rows of a table that are due in what a transaction sees, some after the other.
func (db *DB) eachDue(ctx context.Context, txn store.Txn, schema *catalog.Snapshot, t *catalog.Table, remove func(keys []types.Row) (int, error)) (total int64, err error) {
	scan, err := db.dueRows(schema, t)
	if err != nil {
		return 0, err
	}
	env := &executor.Env{
		Txn: txn, Expr: &expr.Context{Env: &types.Env{}, Statement: db.now()}, Store: db.Store.Capabilities(), Tables: db.tables,
	}
	var keys []types.Row
	width := len(t.KeyOrdinals())
	for batch, err := range executor.Run(ctx, scan, env) {
		if err != nil {
			return total, err
		}
		for i := range batch.Len() {
			keys = append(keys, slices.Clone(batch.Row(i)[:width]))
		}
		if len(keys) < reapRows {
			continue
		}
		n, err := remove(keys)
		if total += int64(n); err != nil {
			return total, err
		}
		keys = keys[:0]
	}
	n, err := remove(keys)
	return total + int64(n), err
}

// dueRows reads the keys of the rows of a table that are due, by an index on when that is if
// there is one.
func (db *DB) dueRows(schema *catalog.Snapshot, t *catalog.Table) (plan.Node, error) {
	indexed, err := stored.In(schema).Indexed(t)
	if err != nil {
		return nil, err
	}
	scan := plan.Scan{Table: t, Alias: t.Name, Reads: t.KeyOrdinals(), Holds: indexed.Holds}
	if at := t.Ordinal(t.TTL.Column); !slices.Contains(scan.Reads, at) {
		scan.Reads = append(scan.Reads, at)
	}
	scan.Cols = plan.TableColumns(t, scan.Reads)
	due := expr.Renumber(lifetime.Due(t), func(column int) int { return slices.Index(scan.Reads, column) })
	scan.Filter = []expr.Expr{due}
	path := access.Choose(scan, access.StoreOf(db.Store.Capabilities()), db.options.Rules.Paths, &types.Env{})
	scan.Access = &path
	return scan, nil
}

// reap removes those rows with some keys that are due, in two halves where a transaction cannot
// be so large.
func (r reaping) reap(ctx context.Context, t *catalog.Table, keys []types.Row) (int, error) {
	n, err := r.reapTogether(ctx, t, keys)
	half := len(keys) / 2
	if half == 0 || !errors.Is(err, store.ErrTooLarge) {
		return n, err
	}
	if n, err = r.reap(ctx, t, keys[:half]); err != nil {
		return n, err
	}
	more, err := r.reap(ctx, t, keys[half:])
	return n + more, err
}

// reapTogether removes rows in one transaction, until no other transaction conflicts with it.
func (r reaping) reapTogether(ctx context.Context, t *catalog.Table, keys []types.Row) (int, error) {
	for try := 1; ; try++ {
		n, err := r.reapOnce(ctx, t, keys)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown) || try == retry.Most {
			return n, err
		}
		if err := retry.Pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// reapOnce removes rows by the table as it is now. One with other keys is left to the next round.
func (r reaping) reapOnce(ctx context.Context, was *catalog.Table, keys []types.Row) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	txn, schema, err := r.Begin(ctx, store.Mode{})
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(was.ID).(*catalog.Table)
	if t == nil || t.TTL == nil || t.Space != was.Space {
		return 0, nil
	}
	indexed, err := stored.In(schema).Indexed(t)
	if err != nil {
		return 0, err
	}
	n, err := (&executor.Reap{Txn: txn, Tables: r.tables, Table: indexed, Now: r.now()}).Keys(ctx, keys)
	if err != nil || n == 0 {
		return 0, err
	}
	if !r.alone {
		err = r.CommitRows(lock.Wait{Ctx: ctx}, txn, []*catalog.Table{t}, nil)
	} else if err = txn.Commit(ctx); err == nil {
		r.Locks.NoteCommit(map[uint32]bool{t.ID: true})
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

// removeDue removes the rows of a table that are due, before a unique index is filled in which
// they could be in the way. The session keeps others from committing rows of it; with a
// transaction the removal is part of that.
func (s *Session) removeDue(ctx context.Context, t *catalog.Table, txn store.Txn) error {
	if t.TTL == nil {
		return nil
	}
	if txn == nil || !s.db.Store.Capabilities().Snapshots && !s.txn.Touched(t) {
		_, err := reaping{DB: s.db, alone: true}.of(ctx, t.ID)
		return err
	}
	indexed, err := stored.In(s.txn.Changed().Snap).Indexed(t)
	if err != nil {
		return err
	}
	s.txn.Wrote = append(s.txn.Wrote, t)
	_, err = s.db.eachDue(ctx, txn, s.txn.Changed().Snap, t, func(keys []types.Row) (int, error) {
		return (&executor.Reap{Txn: txn, Tables: s.db.tables, Table: indexed, Now: s.db.now()}).Keys(ctx, keys)
	})
	return err
}

// Expire implements system.Upkeep. The rows are removed in transactions of their own.
func (u upkeep) Expire(relation uint32) (int64, error) {
	t, ok := u.s.schema().Numbered(relation).(*catalog.Table)
	if !ok {
		return 0, sqlerr.New(sqlerr.WrongObjectType, "relation with OID %d is not a table", relation)
	}
	if err := u.s.statement(nil).MustOwn(u.s.schema(), t); err != nil {
		return 0, err
	}
	if err := u.s.refuseReadOnly("zproxy.expire()"); err != nil {
		return 0, err
	}
	if err := u.s.notInBlock("zproxy.expire()"); err != nil {
		return 0, err
	}
	return reaping{DB: u.s.db}.of(u.ctx, t.ID)
}
