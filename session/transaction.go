package session

import (
	"context"
	"errors"
	"time"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/cluster/failure"
	"zproxy/cluster/lock"
	"zproxy/cluster/notify"
	"zproxy/metrics"
	"zproxy/session/charge"
	"zproxy/session/observe"
	"zproxy/sqlerr"
	"zproxy/store"
)

// transaction is the transaction of a session: a block between BEGIN and COMMIT, or the
// implicit one around the statements of a message, or up to Sync.
type transaction struct {
	cluster.Transaction
	block      bool // BEGIN was said
	failed     bool // a statement failed; only ROLLBACK and COMMIT are heard
	committing bool // it may be in part or as a whole
	queried    bool // a query was planned in it, perhaps in vain
	// redo is the only writing statement of an implicit transaction, which runs again
	// when its commit meets a conflict.
	redo       *execution
	locked     []*catalog.Table // by FOR UPDATE
	noted      bool             // its writes are among those that changes of the schema wait for
	savepoints []savepoint
	intents    []notify.Intent // of LISTEN, UNLISTEN and NOTIFY
	number     uint64          // for txid_current; 0: it was not asked for
}

// untouched says whether an implicit transaction has neither written nor locked anything so far.
func (t *transaction) untouched() bool {
	return t.Wrote == nil && t.locked == nil && t.Changed() == nil && !t.block
}

// hasFixedModes says whether the modes of the transaction cannot change any more, since a query may rely on them.
func (t *transaction) hasFixedModes() bool { return t.queried || t.Txn() != nil }

// Status is what ReadyForQuery reports: idle, in a transaction, in a failed one.
func (s *Session) Status() byte {
	switch {
	case s.txn.failed && s.txn.block:
		return 'E'
	case s.txn.block:
		return 'T'
	}
	return 'I'
}

// commit ends the transaction and keeps what it wrote. The schema cannot change
// meanwhile, and must not have changed since the writes were made.
func (s *Session) commit(ctx context.Context) error {
	t := &s.txn
	if t.failed {
		s.rollback()
		return nil
	}
	if err := s.portals.hold(ctx, s.open); err != nil {
		s.rollback()
		return err
	}
	if len(t.Wrote) > 0 || t.block { // otherwise the locks protect no other statement
		t.Wrote = append(t.Wrote, t.locked...)
	}
	if err := s.db.channels.RefuseFull(t.intents); err != nil {
		s.rollback()
		return err
	}
	t.committing = true
	if len(t.Wrote) > 0 || t.Changed() != nil {
		if err := s.txn.Commit(ctx); err != nil {
			s.running.Meet(err)
			s.rollback()
			return err
		}
	}
	s.settings.Commit()
	s.listener.Fulfil(s.pid, t.intents)
	s.portals.keepHeld()
	s.end()
	return nil
}

// noteWrites lets changes of the schema know that the transaction writes rows of tables, unless
// it can be run again.
func (s *Session) noteWrites(tables []*catalog.Table, stream bool) {
	if len(tables) > 0 && (s.txn.block || stream || len(s.txn.Wrote) > 0) {
		if !s.txn.noted {
			s.db.Locks.NoteWriter(s.pid, s.txn.Wrote) // by a statement that could be run again so far
		}
		s.txn.noted = true
		s.db.Locks.NoteWriter(s.pid, tables)
	}
}

// rollback ends the transaction: what it wrote is forgotten, and so are its settings.
func (s *Session) rollback() {
	s.settings.Rollback()
	s.end()
}

// end ends the transaction and everything that lives in it.
func (s *Session) end() {
	s.portals.end()
	if s.txn.noted {
		s.db.Locks.ForgetWriter(s.pid)
	}
	s.locks.RollbackTo(0)
	ended := s.txn.Transaction
	s.txn = s.newTransaction()
	ended.End()
}

// finish ends an implicit transaction. A block goes on. A single statement whose commit
// meets a conflict runs again, as it would have waited in PostgreSQL.
func (s *Session) finish(ctx context.Context) error {
	if s.txn.block {
		return nil
	}
	redo := s.retries.redo()
	err := s.commit(ctx)
	if errors.Is(err, store.ErrConflict) && redo != nil && redo.blind != nil && redo.blind.Rows != nil {
		if err = s.retries.again(ctx, redo); sqlerr.Has(err, sqlerr.UniqueViolation) {
			s.running.Conflicts-- // a key that was taken all the time is none
		}
	}
	if errors.Is(err, store.ErrConflict) && redo != nil {
		err = s.retries.retry(ctx, redo)
	}
	return failure.Explain(ctx, s.db.Snapshot(), err)
}

// retries runs a statement again whose commit met a conflict.
type retries struct{ *Session }

// redo is the statement that may run again should the commit meet a conflict: nothing
// else that the transaction did would then be lost.
func (s retries) redo() *execution {
	if !s.repeatable() || s.txn.Changed() != nil {
		return nil
	}
	return s.txn.redo
}

// repeatable says whether the transaction has done nothing but run statements that write.
func (s retries) repeatable() bool {
	return !s.settings.Moved && s.txn.intents == nil && !s.portals.toHold()
}

// retry runs a statement whose commit met a conflict until it meets none.
func (s retries) retry(ctx context.Context, e *execution) error {
	s.retrying = true
	defer func() { s.retrying = false }()
	return s.db.retries.Run(ctx, func() error { return s.again(ctx, e) })
}

// again runs a statement once more and commits. The client may have been told how many
// rows it wrote; it must not be another number now, nor may it have been told the rows.
func (s retries) again(ctx context.Context, e *execution) error {
	told := e.count
	if err := s.runner.write(ctx, e); err != nil {
		s.rollback()
		return err
	}
	if e.told && (e.count != told || e.statement.Columns != nil) {
		s.rollback()
		return store.ErrConflict
	}
	return s.commit(ctx)
}

// Fail notes that a message failed: a block can only be rolled back, and an implicit
// transaction is.
func (s *Session) Fail(error) {
	if s.txn.block {
		s.txn.failed = true
		return
	}
	s.rollback()
}

// Survives says whether the session goes on after a panic, which ends the statement that runs with an
// error. When it was about to commit, it is not known what holds.
func (s *Session) Survives(err error) bool {
	if s.txn.committing {
		return false
	}
	if s.running.Of != nil {
		s.ends(nil, Outcome{}, err)
	}
	s.Fail(err)
	return true
}

// Sync ends the implicit transaction of a pipeline.
func (s *Session) Sync(ctx context.Context) error {
	defer s.deactivate()
	if s.txn.block {
		return nil
	}
	if len(s.txn.Wrote) == 0 && s.txn.Changed() == nil {
		return s.commit(ctx)
	}
	ctx, stop := s.bounds.Watch(ctx, s.settings.StatementTimeout)
	defer stop()
	s.running.StartNew(observe.Subject{Kind: metrics.Transaction}, s.db.now())
	err := s.finish(ctx)
	if err != nil {
		s.ends(nil, Outcome{}, err)
	} else if used := s.running.Usage(); used != (metrics.Usage{}) { // statements ran again
		s.db.observed.Totals.AddUsage(&used)
	}
	return err
}

// refuseFailed is the answer to a statement in a failed block.
func (s *Session) refuseFailed() error {
	if s.txn.failed && s.txn.block {
		return sqlerr.New(sqlerr.InFailedSQLTransaction,
			"current transaction is aborted, commands ignored until end of transaction block")
	}
	return nil
}

// newTransaction is one in which nothing has happened.
func (s *Session) newTransaction() transaction {
	return transaction{Transaction: cluster.NewTransaction(s.db.Node, owner{s})}
}

// owner is a session as its transaction sees it.
type owner struct{ s *Session }

// Wait implements cluster.Owner.
func (o owner) Wait(ctx context.Context) lock.Wait { return o.s.lockWait(ctx) }

// Mode implements cluster.Owner. A block that may write begins to write at once.
func (o owner) Mode(write bool) store.Mode {
	s := o.s
	write = write || s.txn.block && s.mayWrite()
	return s.mode(store.Mode{ReadOnly: !write, Eventual: !write && s.settings.Eventual})
}

// Charge implements cluster.Owner.
func (o owner) Charge(txn store.Txn) store.Txn {
	return &charge.Txn{Txn: txn, Account: &o.s.bounds.Memory}
}

// Now implements cluster.Owner.
func (o owner) Now() time.Time { return o.s.running.Now() }

// mode counts what a transaction reads for the statement that will run when it is committed.
func (s *Session) mode(m store.Mode) store.Mode {
	m.Stats = &s.running.Used.Stats
	return m
}

// store gives the transaction of the store, and begins it if there is none.
func (s *Session) store(ctx context.Context, write bool) (store.Txn, error) {
	return s.txn.Store(ctx, write)
}

// strong is store for what has to see all commits, such as a comparison of an index with its
// table. A transaction whose reads are eventual was promised nothing, either.
func (s *Session) strong(ctx context.Context) (store.Txn, error) {
	if s.txn.Txn() != nil && !s.txn.Lags() {
		return s.txn.Txn(), nil
	}
	return s.txn.Begin(ctx, s.mode(store.Mode{ReadOnly: !s.txn.block || s.readOnly()}))
}

// schema is what statements are planned with.
func (s *Session) schema() *catalog.Snapshot { return s.txn.Schema() }

// stepAside lets changes of the schema go on while a statement waits for them.
func (s *Session) stepAside() error {
	if !s.db.Shared() {
		return nil
	}
	if err := s.notInBlock("zproxy.wait_for_index()"); err != nil {
		return err
	}
	s.txn.StepAside()
	return nil
}

// transactionNumber is the number that txid_current gives: higher than any that this
// process gave, and, while it gives less than one in a microsecond, than those of the
// processes before it.
func (s *Session) transactionNumber(take bool) (uint64, bool) {
	if s.txn.number == 0 && take {
		s.txn.number = uint64(s.db.started.UnixMicro()) + s.db.transactions.Add(1)
	}
	return s.txn.number, s.txn.number != 0
}
