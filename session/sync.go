package session

import (
	"context"

	"zproxy/metrics"
	"zproxy/session/observe"
)

// Status is what ReadyForQuery reports: idle, in a transaction, in a failed one.
func (s *Session) Status() byte { return s.txn.Status() }

// Fail notes that a message failed: a block can only be rolled back, and an implicit
// transaction is.
func (s *Session) Fail(error) { s.txn.Fail() }

// Survives says whether the session goes on after a panic, which ends the statement that runs with an
// error. When it was about to commit, it is not known what holds.
func (s *Session) Survives(err error) bool {
	if s.txn.Committing() {
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
	if s.txn.InBlock() {
		return nil
	}
	if len(s.txn.Wrote) == 0 && !s.txn.Large && s.txn.Changed() == nil {
		return s.db.explain(ctx, s.txn.Commit(ctx))
	}
	ctx, stop := s.bounds.Watch(ctx, s.settings.Sooner(s.settings.StatementTimeout))
	defer stop()
	s.running.StartNew(observe.Subject{Kind: metrics.Transaction}, s.db.now())
	err := s.retries.finish(ctx)
	if err != nil {
		s.ends(nil, Outcome{}, err)
	} else if used := s.running.Usage(); used != (metrics.Usage{}) { // statements ran again
		s.db.observed.Totals.AddUsage(&used)
	}
	return err
}
