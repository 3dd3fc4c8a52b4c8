package session

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/cluster/lock"
	"zproxy/expr/builtin/system"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// advisoryLocks are those of a session, for one statement.
type advisoryLocks struct{ *within }

// Lock implements system.AdvisoryLocks.
func (l advisoryLocks) Lock(of system.AdvisoryLock, try bool) (bool, error) {
	s := l.s
	got, err := s.db.Locks.Advise(s.lockWait(l.ctx), s.pid, advisoryLock(of), try)
	switch {
	case !got:
	case of.Transaction:
		s.txn.advisory = append(s.txn.advisory, advisoryLock(of))
	default:
		s.advisory = append(s.advisory, advisoryLock(of))
	}
	return got, err
}

func advisoryLock(l system.AdvisoryLock) lock.Advisory {
	return lock.Advisory{Key: lock.Key{Pair: l.Pair, Number: l.Key}, Shared: l.Shared}
}

// Unlock implements system.AdvisoryLocks.
func (l advisoryLocks) Unlock(of system.AdvisoryLock) bool {
	i := slices.Index(l.s.advisory, advisoryLock(of))
	if i < 0 {
		return false
	}
	l.s.db.Locks.ReleaseAdvisory(l.s.pid, l.s.advisory[i:i+1])
	l.s.advisory = slices.Delete(l.s.advisory, i, i+1)
	return true
}

// UnlockAll implements system.AdvisoryLocks.
func (l advisoryLocks) UnlockAll() { l.s.unlockAll() }

func (s *Session) unlockAll() {
	s.db.Locks.ReleaseAdvisory(s.pid, s.advisory)
	s.advisory = nil
}

// Blocking implements system.AdvisoryLocks.
func (l advisoryLocks) Blocking(pid uint32) []uint32 { return l.s.db.Locks.Blocking(pid) }

// AdvisoryLocks implements syscat.Session.
func (o ownSession) AdvisoryLocks() (list []syscat.AdvisoryLock) {
	o.s.db.Locks.Each(func(pid uint32, l lock.Advisory, granted bool) {
		list = append(list, syscat.AdvisoryLock{PID: pid, Key: l.Number, Pair: l.Pair, Shared: l.Shared,
			Granted: granted})
	})
	return list
}

// signal stops what the session with a number is running, or ends it. When that is this
// session, the statement that asks for it fails.
func (s *Session) signal(pid uint32, all bool) (bool, error) {
	s.db.mu.Lock()
	other := s.db.sessions[pid]
	s.db.mu.Unlock()
	if other == nil {
		return false, nil
	}
	if err := s.maySignal(other.settings.Who.Authenticated, all); err != nil {
		return false, err
	}
	if all {
		other.cancellation.terminate(sqlerr.New(sqlerr.AdminShutdown,
			"terminating connection due to administrator command"))
		if other.terminate != nil {
			other.terminate()
		}
	} else {
		other.cancellation.request(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
	}
	if other == s {
		return true, s.cancellation.cause()
	}
	return true, nil
}

// maySignal wants the present role to act for another one, or to be let signal sessions.
func (s *Session) maySignal(role uint32, all bool) error {
	snap := s.schema()
	super, what := "must be a superuser to cancel superuser query", "query is being canceled"
	if all {
		super, what = "must be a superuser to terminate superuser process", "process is being terminated"
	}
	switch {
	case snap.Superuser(role) && !s.superuser():
		return statement.Denied("%s", super)
	case !snap.Acts(s.role(), role) && !snap.Acts(s.role(), catalog.SignalBackendID):
		return statement.Denied("must be a member of the role whose %s or member of pg_signal_backend", what)
	}
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
