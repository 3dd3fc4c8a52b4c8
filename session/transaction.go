package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/cluster/lock"
	"zproxy/metrics"
	"zproxy/sqlerr"
	"zproxy/store"
)

// transaction is the transaction of a session: a block between BEGIN and COMMIT, or the
// implicit one around the statements of a message, or up to Sync.
type transaction struct {
	block      bool // BEGIN was said
	failed     bool // a statement failed; only ROLLBACK and COMMIT are heard
	committing bool // it may be in part or as a whole
	txn        store.Txn
	past       []store.Txn       // those before txn, which only read: portals may still read from them; end with txn
	writes     bool              // txn may write
	lags       bool              // its reads are eventual
	schema     *catalog.Snapshot // as it was when txn began, and as the transaction changed it
	seen       uint64            // the number of the last commit before txn began
	began      time.Time
	change     *schemaChange // nil: the schema is as it was
	// redo is the only writing statement of an implicit transaction, which runs again
	// when its commit meets a conflict.
	redo       *execution
	wrote      []*catalog.Table // by its statements, one entry for each
	locked     []*catalog.Table // by FOR UPDATE
	noted      bool             // its writes are among those that changes of the schema wait for
	hold       *hold            // of the table of a COPY; nil: it holds none
	savepoints []savepoint
	advisory   []lock.Advisory // that end with it
	intents    []intent        // of LISTEN, UNLISTEN and NOTIFY
	number     uint64          // for txid_current; 0: it was not asked for
}

// untouched says whether an implicit transaction has neither written nor locked anything so far.
func (t *transaction) untouched() bool {
	return t.wrote == nil && t.locked == nil && t.change == nil && !t.block
}

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

// store gives the transaction of the store, and begins it if there is none. Outside of a
// block a transaction that only read is begun anew for the first write, since it was
// promised nothing.
func (s *Session) store(ctx context.Context, write bool) (store.Txn, error) {
	if t := &s.txn; t.txn != nil && (t.writes || !write) {
		return t.txn, nil
	}
	write = write || s.txn.block && s.mayWrite()
	return s.beginStore(ctx, store.Mode{ReadOnly: !write, Eventual: !write && s.settings.eventual})
}

// strong is store for what has to see all commits, such as a comparison of an index with its
// table. A transaction whose reads are eventual was promised nothing, either.
func (s *Session) strong(ctx context.Context) (store.Txn, error) {
	if s.txn.txn != nil && !s.txn.lags {
		return s.txn.txn, nil
	}
	return s.beginStore(ctx, store.Mode{ReadOnly: !s.txn.block || s.readOnly()})
}

// beginStore begins a transaction of the store. One there was only read.
func (s *Session) beginStore(ctx context.Context, m store.Mode) (store.Txn, error) {
	t := &s.txn
	if t.txn != nil {
		t.past, t.txn = append(t.past, t.txn), nil
	}
	seen := s.db.locks.LastCommit()
	m.Stats = &s.running.used.Stats // of the statement that will run when it is committed
	txn, schema, err := s.db.begin(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	if !m.ReadOnly {
		txn = &chargedTxn{Txn: txn, account: &s.memory}
	}
	t.txn, t.writes, t.lags, t.schema, t.seen = txn, !m.ReadOnly, m.Eventual, schema, seen
	if t.began.IsZero() {
		t.began = s.now()
	}
	return txn, nil
}

// begin starts a transaction of the store, with the schema of what it sees: every index
// in it has the entries of the rows, and is not being dropped yet.
func (db *DB) begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Snapshot, error) {
	if db.shared != nil {
		return db.shared.begin(ctx, m)
	}
	for {
		schema := db.snapshot()
		txn, err := db.store.Begin(ctx, m)
		if err != nil || schema == db.snapshot() {
			return txn, schema, err
		}
		txn.Rollback()
	}
}

// schema is what statements are planned with.
func (s *Session) schema() *catalog.Snapshot {
	if s.txn.txn != nil {
		return s.txn.schema
	}
	return s.db.snapshot()
}

// commit ends the transaction and keeps what it wrote. The schema cannot change
// meanwhile, and must not have changed since the writes were made.
func (s *Session) commit(ctx context.Context) error {
	t := &s.txn
	if t.failed {
		s.rollback()
		return nil
	}
	if err := s.hold(ctx); err != nil {
		s.rollback()
		return err
	}
	if len(t.wrote) > 0 || t.block { // otherwise the locks protect no other statement
		t.wrote = append(t.wrote, t.locked...)
	}
	if err := s.db.listeners.refuseFull(t.intents); err != nil {
		s.rollback()
		return err
	}
	t.committing = true
	if len(t.wrote) > 0 || t.change != nil {
		if err := s.commitWrites(ctx); err != nil {
			s.running.meets(err)
			s.rollback()
			return err
		}
	}
	s.settings.commit()
	s.fulfil(t.intents)
	for _, p := range s.portals {
		p.held = p.hold
	}
	s.end()
	return nil
}

// commitWrites commits the store's transaction, and makes its schema that of all sessions.
func (s *Session) commitWrites(ctx context.Context) error {
	t := &s.txn
	if t.change == nil {
		return s.db.commitRows(s.lockWait(ctx), t.txn, t.wrote, t.hold)
	}
	if t.txn == nil { // what was to be changed was skipped
		return nil
	}
	if err := s.db.commitChange(ctx, t.txn, t.change); err != nil {
		if errors.Is(err, store.ErrUnknown) {
			t.change.created, t.change.begun = nil, nil // they may be in use now
		}
		return err
	}
	s.db.reapIfNeeded()
	s.db.locks.NoteCommit(numbersOf(t.wrote))
	change := t.change
	t.change = nil
	s.endChange(change, true)
	return nil
}

// commitChange commits a change of the schema, and makes it that of all sessions.
func (db *DB) commitChange(ctx context.Context, txn store.Txn, c *schemaChange) (err error) {
	if db.shared != nil {
		c.snap, err = db.shared.commitChange(ctx, txn, c)
		return err
	}
	if err = txn.Commit(ctx); err == nil {
		db.current.Store(c.snap)
	}
	return err
}

// commitRows commits rows of some tables, one of which may be held. Their schema must not have changed since
// they were written: they may then lack entries of an index.
func (db *DB) commitRows(p lock.Wait, txn store.Txn, wrote []*catalog.Table, h *hold) error {
	written := numbersOf(wrote)
	if err := db.locks.BeginCommit(p, written, h.over(txn)); err != nil {
		return err
	}
	perhaps := true // also after a panic
	defer func() { db.endCommit(txn, written, perhaps) }()
	err := fmt.Errorf("the schema changed: %w", store.ErrConflict)
	if !db.moved(wrote) {
		err = txn.Commit(p.Ctx)
	}
	perhaps = err == nil || errors.Is(err, store.ErrUnknown)
	return err
}

// numbersOf are the numbers of tables.
func numbersOf(tables []*catalog.Table) map[uint32]bool {
	numbers := map[uint32]bool{}
	for _, t := range tables {
		numbers[t.ID] = true
	}
	return numbers
}

// noteWrites lets changes of the schema know that the transaction writes rows of tables, unless
// it can be run again.
func (s *Session) noteWrites(tables []*catalog.Table, stream bool) {
	if len(tables) > 0 && (s.txn.block || stream || len(s.txn.wrote) > 0) {
		if !s.txn.noted {
			s.db.locks.NoteWriter(s.pid, s.txn.wrote) // by a statement that could be run again so far
		}
		s.txn.noted = true
		s.db.locks.NoteWriter(s.pid, tables)
	}
}

// moved says whether a table changed since a transaction wrote to it, so that what was written
// will not do any more.
func (db *DB) moved(wrote []*catalog.Table) bool {
	now := db.snapshot()
	for _, t := range wrote {
		u, _ := now.ByID(t.ID).(*catalog.Table)
		if u == nil || !u.Accepts(t.Version) {
			return true
		}
	}
	return false
}

// rollback ends the transaction: what it wrote is forgotten, and so are its settings.
func (s *Session) rollback() {
	s.settings.rollback()
	s.end()
}

// end ends the transaction and everything that lives in it.
func (s *Session) end() {
	s.closePortals()
	if s.txn.txn != nil {
		s.txn.txn.Rollback() // after a commit of nothing
	}
	for _, past := range s.txn.past {
		past.Rollback()
	}
	change := s.txn.change
	if s.txn.noted {
		s.db.locks.ForgetWriter(s.pid)
	}
	s.txn.hold.end()
	s.db.locks.ReleaseAdvisory(s.pid, s.txn.advisory)
	s.txn = transaction{}
	if change != nil {
		s.endChange(change, false)
	}
}

// finish ends an implicit transaction. A block goes on. A single statement whose commit
// meets a conflict runs again, as it would have waited in PostgreSQL.
func (s *Session) finish(ctx context.Context) error {
	if s.txn.block {
		return nil
	}
	redo := s.redo()
	err := s.commit(ctx)
	if errors.Is(err, store.ErrConflict) && redo != nil && redo.unseen != nil && redo.unseen.Rows != nil {
		if err = s.again(ctx, redo); sqlerr.Has(err, sqlerr.UniqueViolation) {
			s.running.conflicts-- // a key that was taken all the time is none
		}
	}
	if errors.Is(err, store.ErrConflict) && redo != nil {
		err = s.retry(ctx, redo)
	}
	return s.db.explain(ctx, err)
}

// redo is the statement that may run again should the commit meet a conflict: nothing
// else that the transaction did would then be lost.
func (s *Session) redo() *execution {
	if !s.repeatable() {
		return nil
	}
	return s.txn.redo
}

// repeatable says whether the transaction has done nothing but run statements that write.
func (s *Session) repeatable() bool {
	if s.settings.moved || s.txn.intents != nil {
		return false
	}
	for _, p := range s.portals {
		if p.hold && !p.held {
			return false
		}
	}
	return true
}

// retry runs a statement whose commit met a conflict until it meets none. Statements take
// turns at this, so that they do not get in each other's way.
func (s *Session) retry(ctx context.Context, e *execution) error {
	if err := s.db.turns.take(ctx); err != nil {
		return err
	}
	defer s.db.turns.give()
	s.retrying = true
	defer func() { s.retrying = false }()
	err := s.again(ctx, e)
	for try := 1; errors.Is(err, store.ErrConflict) && try < maxRetries; try++ {
		if try == patience {
			s.db.turns.insist()
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
		err = s.again(ctx, e)
	}
	return err
}

// again runs a statement once more and commits. The client may have been told how many
// rows it wrote; it must not be another number now, nor may it have been told the rows.
func (s *Session) again(ctx context.Context, e *execution) error {
	told := e.count
	if err := s.write(ctx, e); err != nil {
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
	if s.running.of != nil {
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
	if len(s.txn.wrote) == 0 && s.txn.change == nil {
		return s.commit(ctx)
	}
	ctx, stop := s.watch(ctx)
	defer stop()
	s.startsNew(subject{kind: metrics.Transaction}, s.db.now())
	err := s.finish(ctx)
	if err != nil {
		s.ends(nil, Outcome{}, err)
	} else if used := s.running.usage(); used != (metrics.Usage{}) { // statements ran again
		s.db.totals.AddUsage(&used)
	}
	return err
}

// refuseFailed is the answer to a statement in a failed block.
func (s *Session) refuseFailed() error {
	if s.txn.failed && s.txn.block {
		return sqlerr.New(sqlerr.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
	}
	return nil
}
