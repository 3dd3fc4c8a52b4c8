package session

import (
	"context"
	"errors"

	"zproxy/cluster/failure"
	"zproxy/session/observe"
	"zproxy/session/settings"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/store"
)

// retries ends implicit transactions, and runs a statement again whose commit met a conflict.
type retries struct {
	db       *DB
	txn      *transaction.Current
	portals  *portals
	settings *settings.Settings
	running  *observe.Running
	write    func(context.Context, *execution) error

	// redo is the only writing statement of an implicit transaction, which runs again
	// when its commit meets a conflict.
	redo     *execution
	retrying bool // a statement runs again after a conflict
}

// forget notes that the transaction has ended, or did what it would not do again.
func (r *retries) forget() { r.redo = nil }

// finish ends an implicit transaction. A block goes on. A single statement whose commit
// meets a conflict runs again, as it would have waited in PostgreSQL.
func (r *retries) finish(ctx context.Context) error {
	if r.txn.InBlock() {
		return nil
	}
	redo := r.repeated()
	err := r.txn.Commit(ctx)
	if errors.Is(err, store.ErrConflict) && redo != nil && redo.blind != nil && redo.blind.Done {
		err = r.again(ctx, redo)
		if sqlerr.Has(err, sqlerr.UniqueViolation) || err == nil && redo.count == 0 {
			r.running.Conflicts-- // a key that was taken all the time is none
		}
	}
	if errors.Is(err, store.ErrConflict) && redo != nil {
		err = r.retry(ctx, redo)
	}
	return r.db.explain(ctx, err)
}

// explain gives an error of the store its SQLSTATE and the names of what it concerns.
func (db *DB) explain(ctx context.Context, err error) error {
	return failure.Explain(ctx, failure.Known{Catalog: db.Snapshot(), Heat: db.Heat}, err)
}

// repeated is the statement that may run again should the commit meet a conflict: nothing
// else that the transaction did would then be lost.
func (r *retries) repeated() *execution {
	if !r.repeatable() || r.txn.Changed() != nil {
		return nil
	}
	return r.redo
}

// repeatable says whether the transaction has done nothing but run statements that write.
func (r *retries) repeatable() bool {
	return !r.settings.Moved && !r.txn.Intends() && !r.portals.toHold()
}

// retry runs a statement whose commit met a conflict until it meets none.
func (r *retries) retry(ctx context.Context, e *execution) error {
	r.retrying = true
	defer func() { r.retrying = false }()
	return r.db.retries.Run(ctx, func() error { return r.again(ctx, e) })
}

// again runs a statement once more and commits. The client may have been told how many
// rows it wrote; it must not be another number now, nor may it have been told the rows.
func (r *retries) again(ctx context.Context, e *execution) error {
	count := e.count
	if err := r.write(ctx, e); err != nil {
		r.txn.Rollback()
		return err
	}
	if e.announced && (e.count != count || e.statement.Columns != nil) {
		r.txn.Rollback()
		return store.ErrConflict
	}
	return r.txn.Commit(ctx)
}

// pass holds back the first write of an implicit transaction while a statement that met
// conflicts insists.
func (r *retries) pass(ctx context.Context) error {
	if r.txn.Txn() != nil || r.txn.InBlock() || r.retrying || r.txn.Hold != nil {
		return nil
	}
	return r.db.retries.Pass(ctx)
}
