// Package expiry removes the rows of tables that are past their TTL, and the timestamps of deletes that need not be
// kept any more: periodically, and on request. No query returns such rows, whether they are removed or not; package
// lifetime takes care of that.
//
// Read `Remover` first, then `over`.
package expiry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/tally"
	"zproxy/cluster"
	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/store"
	"zproxy/types"
)

// batchRows is how many expired rows one transaction removes. A commit of so many takes some
// milliseconds, for which others may have to wait.
const batchRows = 500

// Remover removes expired rows.
type Remover struct {
	Node   *cluster.Node
	Tables *executor.Tables
	Now    func() time.Time
	Off    access.Off // paths by which no rows are found
	// Every is how long it rests between two rounds through all tables; 0: there are none.
	Every time.Duration
	once  sync.Once
}

// Start starts the rounds once there is a table whose rows expire.
func (r *Remover) Start() {
	if r.Every == 0 || !slices.ContainsFunc(r.Node.Snapshot().Tables(),
		func(t *catalog.Table) bool { return r.over(t) != nil }) {
		return
	}
	r.once.Do(func() { r.Node.Background.Run(r.rounds) })
}

// rounds removes what has expired of all tables, again and again until the process ends.
func (r *Remover) rounds(ctx context.Context) {
	r.Node.Background.Again(ctx, r.Every, func(ctx context.Context) {
		for _, t := range r.Node.Snapshot().Tables() {
			n, err := removal{Remover: r, patient: true}.of(ctx, t.ID)
			switch {
			case ctx.Err() != nil || errors.Is(err, store.ErrClosed):
				return
			case err != nil:
				r.Node.Log.Warn("removing expired rows", "table", t.Name, "removed", n, "error", err)
			case n > 0:
				r.Node.Log.Debug("removed expired rows", "table", t.Name, "removed", n)
			}
		}
	})
}

// Remove removes the rows of a table that have expired by now, in transactions of some rows each, and says how many.
func (r *Remover) Remove(ctx context.Context, table uint32) (int64, error) {
	return removal{Remover: r}.of(ctx, table)
}

// RemoveBefore removes the rows of a table that have expired before a transaction fills a unique index in
// which they would be in the way. The transaction keeps others from committing rows of the table; once it has
// begun to write the removal is part of it.
func (r *Remover) RemoveBefore(ctx context.Context, by *cluster.Transaction, t *catalog.Table) error {
	if t.TTL == nil {
		return nil
	}
	txn := by.Txn()
	if txn == nil || !r.Node.Store.Capabilities().Snapshots && !by.Touched(t) {
		_, err := removal{Remover: r, alone: true}.of(ctx, t.ID)
		return err
	}
	indexed, err := stored.In(by.Changed().Snap).Indexed(t)
	if err != nil {
		return err
	}
	by.Wrote = append(by.Wrote, t)
	over := r.over(t)
	_, err = r.eachBatch(ctx, seen{txn, by.Changed().Snap}, t, func(keys []types.Row) (int, error) {
		return r.reap(txn, indexed, over).Keys(ctx, keys)
	})
	return err
}

func (r *Remover) reap(txn store.Txn, of plan.Indexed, o *over) *executor.Reap {
	return &executor.Reap{Txn: txn, Tables: r.Tables, Table: of, Now: r.Now(), Over: o.is}
}

// removal is the removal of the rows of a table that have expired.
type removal struct {
	*Remover
	patient bool // it rests after each transaction as long as that took
	alone   bool // the caller keeps others from committing rows of the table
}

// seen is a transaction with the schema that it sees.
type seen struct {
	store.Txn
	schema *catalog.Snapshot
}

// of removes the rows of a table that have expired by now, in transactions of some rows each, and says
// how many.
func (r removal) of(ctx context.Context, id uint32) (total int64, err error) {
	txn, schema, err := r.Node.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(id).(*catalog.Table)
	if t == nil || !t.Kept() || r.over(t) == nil {
		return 0, nil
	}
	return r.eachBatch(ctx, seen{txn, schema}, t, func(keys []types.Row) (int, error) {
		began := time.Now()
		n, err := retry.InParts(ctx, keys, func(keys []types.Row) (int, error) { return r.removeOnce(ctx, t, keys) })
		if err == nil && r.patient {
			err = store.Sleep(ctx, time.Since(began))
		}
		return n, err
	})
}

// eachBatch removes the rows of a table that have expired and that a transaction sees, some after the other.
func (r *Remover) eachBatch(
	ctx context.Context, in seen, t *catalog.Table, remove func(keys []types.Row) (int, error),
) (total int64, err error) {
	scan, err := r.expiredRows(in.schema, t)
	if err != nil {
		return 0, err
	}
	env := &executor.Env{
		Txn: in.Txn, Expr: &expr.Context{Env: &types.Env{}, Statement: r.Now()},
		Store: r.Node.Store.Capabilities(), Tables: r.Tables,
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
		if len(keys) < batchRows {
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

// expiredRows reads the keys of the rows of a table that have expired, by an index on when that is if
// there is one.
func (r *Remover) expiredRows(schema *catalog.Snapshot, t *catalog.Table) (plan.Node, error) {
	indexed, err := stored.In(schema).Indexed(t)
	if err != nil {
		return nil, err
	}
	over := r.over(t)
	scan := plan.Scan{Table: t, Alias: t.Name, Reads: t.KeyOrdinals(), Holds: indexed.Holds}
	if !slices.Contains(scan.Reads, over.column) {
		scan.Reads = append(scan.Reads, over.column)
	}
	scan.Cols = plan.TableColumns(t, scan.Reads)
	expired := expr.Renumber(over.cond, func(column int) int { return slices.Index(scan.Reads, column) })
	scan.Filter = []expr.Expr{expired}
	path := access.Choose(scan, access.StoreOf(r.Node.Store.Capabilities()), r.Off, &types.Env{})
	scan.Access = &path
	return scan, nil
}

// removeOnce removes rows by the table as it is now. One with other keys is left to the next round.
func (r removal) removeOnce(ctx context.Context, was *catalog.Table, keys []types.Row) (int, error) {
	txn, schema, err := r.Node.Begin(ctx, store.Mode{})
	if err != nil {
		return 0, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(was.ID).(*catalog.Table)
	if t == nil || t.Space != was.Space {
		return 0, nil
	}
	over := r.over(t)
	if over == nil {
		return 0, nil
	}
	indexed, err := stored.In(schema).Indexed(t)
	if err != nil {
		return 0, err
	}
	n, err := r.reap(txn, indexed, over).Keys(ctx, keys)
	if err != nil || n == 0 {
		return 0, err
	}
	if !r.alone {
		err = r.Node.CommitRows(lock.Wait{Ctx: ctx}, txn, []*catalog.Table{t}, nil)
	} else if err = txn.Commit(ctx); err == nil {
		r.Node.Locks.NoteCommit(map[uint32]bool{t.ID: true})
	}
	if err != nil {
		return 0, err
	}
	r.Node.Tally.Add(tally.Log{{Table: t.ID, Changes: tally.Changes{Deleted: int64(n)}}})
	return n, nil
}
