package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/executor"
	"zproxy/optimizer/access"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
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
	s, err := newSettings("", given)
	return &reaper{every: s.ttlInterval}, err
}

// reapIfNeeded starts the reaper once there is a table whose rows come due.
func (db *DB) reapIfNeeded() {
	if db.reaper.every == 0 || !slices.ContainsFunc(db.snapshot().Tables(), func(t *catalog.Table) bool { return t.TTL != nil }) {
		return
	}
	db.reaper.once.Do(func() { db.background.run(db.reapOn) })
}

// reapOn removes what is due of all tables, again and again until the DB ends.
func (db *DB) reapOn(ctx context.Context) {
	for sleep(ctx, db.reaper.every) == nil {
		for _, t := range db.snapshot().Tables() {
			n, err := db.expire(ctx, t.ID, true)
			switch {
			case ctx.Err() != nil || errors.Is(err, store.ErrClosed):
				return
			case err != nil:
				db.log.Warn("removing rows that are due", "table", t.Name, "removed", n, "error", err)
			case n > 0:
				db.log.Debug("removed rows that were due", "table", t.Name, "removed", n)
			}
		}
	}
}

// expire removes the rows of a table that are due now, in transactions of some rows each, and
// says how many. A patient one rests after each as long as it took.
func (db *DB) expire(ctx context.Context, id uint32, patient bool) (total int64, err error) {
	txn, schema, err := db.begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(id).(*catalog.Table)
	if t == nil || t.TTL == nil {
		return 0, nil
	}
	scan, err := db.dueRows(schema, t)
	if err != nil {
		return 0, err
	}
	remove := func(keys []types.Row) error {
		began := time.Now()
		n, err := db.reap(ctx, t, keys)
		total += int64(n)
		if err == nil && patient {
			err = sleep(ctx, time.Since(began))
		}
		return err
	}
	env := &executor.Env{
		Txn: txn, Expr: &expr.Context{Env: &types.Env{}, Statement: db.now()}, Store: db.store.Capabilities(), Tables: db.tables,
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
		if err := remove(keys); err != nil {
			return total, err
		}
		keys = keys[:0]
	}
	return total, remove(keys)
}

// dueRows reads the keys of the rows of a table that are due, by an index on when that is if
// there is one.
func (db *DB) dueRows(schema *catalog.Snapshot, t *catalog.Table) (plan.Node, error) {
	indexed, err := db.indexed(schema, t)
	if err != nil {
		return nil, err
	}
	scan := plan.Scan{Table: t, Alias: t.Name, Reads: t.KeyOrdinals(), Holds: indexed.Holds}
	if at := t.Ordinal(t.TTL.Column); !slices.Contains(scan.Reads, at) {
		scan.Reads = append(scan.Reads, at)
	}
	scan.Cols = plan.TableColumns(t, scan.Reads)
	due := expr.Renumber(plan.Due(t), func(column int) int { return slices.Index(scan.Reads, column) })
	scan.Filter = []expr.Expr{due}
	c := db.store.Capabilities()
	path := access.Choose(scan, access.Store{OrderedPartitions: c.OrderedPartitions, Units: c.Units}, db.options.Rules.Paths, &types.Env{})
	scan.Access = &path
	return scan, nil
}

// reap removes those rows with some keys that are due, in two halves where a transaction cannot
// be so large.
func (db *DB) reap(ctx context.Context, t *catalog.Table, keys []types.Row) (int, error) {
	n, err := db.reapTogether(ctx, t, keys)
	half := len(keys) / 2
	if half == 0 || !errors.Is(err, store.ErrTooLarge) {
		return n, err
	}
	if n, err = db.reap(ctx, t, keys[:half]); err != nil {
		return n, err
	}
	more, err := db.reap(ctx, t, keys[half:])
	return n + more, err
}

// reapTogether removes rows in one transaction, until nobody gets in its way.
func (db *DB) reapTogether(ctx context.Context, t *catalog.Table, keys []types.Row) (int, error) {
	for try := 1; ; try++ {
		n, err := db.reapOnce(ctx, t, keys)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown) || try == maxRetries {
			return n, err
		}
		if err := pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// reapOnce removes rows by the table as it is now. One with other keys is left to the next round.
func (db *DB) reapOnce(ctx context.Context, was *catalog.Table, keys []types.Row) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	txn, schema, err := db.begin(ctx, store.Mode{})
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(was.ID).(*catalog.Table)
	if t == nil || t.TTL == nil || t.Space != was.Space {
		return 0, nil
	}
	indexed, err := db.indexed(schema, t)
	if err != nil {
		return 0, err
	}
	n, err := (&executor.Reap{Txn: txn, Tables: db.tables, Table: indexed, Now: db.now()}).Keys(ctx, keys)
	if err != nil || n == 0 {
		return 0, err
	}
	if err := db.commitRows(lockWait{ctx: ctx}, txn, []*catalog.Table{t}); err != nil {
		return 0, err
	}
	return n, nil
}

// Expire implements expr.Upkeep. The rows are removed in transactions of their own.
func (u upkeep) Expire(relation uint32) (int64, error) {
	t, ok := u.s.schema().Numbered(relation).(*catalog.Table)
	if !ok {
		return 0, sqlerr.New(sqlerr.WrongObjectType, "relation with OID %d is not a table", relation)
	}
	if err := u.s.mustOwn(u.s.schema(), t); err != nil {
		return 0, err
	}
	if err := u.s.refuseReadOnly("zproxy.expire()"); err != nil {
		return 0, err
	}
	if err := u.s.notInBlock("zproxy.expire()"); err != nil {
		return 0, err
	}
	return u.s.db.expire(u.ctx, t.ID, false)
}
