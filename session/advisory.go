package session

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/planner/expr"
	"zproxy/sqlerr"
)

// advisory are the advisory locks of all sessions. The mutex of locks guards them.
type advisory struct {
	locks   *locks
	held    map[expr.AdvisoryKey]map[*Session]*advisoryHold
	waiting map[*Session]expr.AdvisoryLock
}

// advisoryHold is how often a session has a lock: for itself, and for its transaction.
type advisoryHold struct{ exclusive, shared int }

func newAdvisory(l *locks) *advisory {
	return &advisory{locks: l, held: map[expr.AdvisoryKey]map[*Session]*advisoryHold{}, waiting: map[*Session]expr.AdvisoryLock{}}
}

// blockers are the other sessions that keep one from a lock.
func (a *advisory) blockers(s *Session, l expr.AdvisoryLock) []*Session {
	var out []*Session
	for other, h := range a.held[l.AdvisoryKey] {
		if other != s && (h.exclusive > 0 || h.shared > 0 && !l.Shared) {
			out = append(out, other)
		}
	}
	return out
}

// circle says whether one of the sessions waits, perhaps through others, for another one.
func (a *advisory) circle(from []*Session, to *Session, seen map[*Session]bool) bool {
	for _, s := range from {
		if s == to {
			return true
		}
		if l, waits := a.waiting[s]; waits && !seen[s] {
			seen[s] = true
			if a.circle(a.blockers(s, l), to, seen) {
				return true
			}
		}
	}
	return false
}

// list is all locks that sessions have or wait for.
func (a *advisory) list() []syscat.AdvisoryLock {
	a.locks.mu.Lock()
	defer a.locks.mu.Unlock()
	var out []syscat.AdvisoryLock
	add := func(s *Session, key expr.AdvisoryKey, shared, granted bool) {
		out = append(out, syscat.AdvisoryLock{PID: s.pid, Key: key.Key, Pair: key.Pair, Shared: shared, Granted: granted})
	}
	for key, of := range a.held {
		for s, h := range of {
			if h.exclusive > 0 {
				add(s, key, false, true)
			}
			if h.shared > 0 {
				add(s, key, true, true)
			}
		}
	}
	for s, l := range a.waiting {
		add(s, l.AdvisoryKey, l.Shared, false)
	}
	return out
}

func (a *advisory) hold(s *Session, l expr.AdvisoryLock) {
	of := a.held[l.AdvisoryKey]
	if of == nil {
		of = map[*Session]*advisoryHold{}
		a.held[l.AdvisoryKey] = of
	}
	if of[s] == nil {
		of[s] = &advisoryHold{}
	}
	if l.Shared {
		of[s].shared++
	} else {
		of[s].exclusive++
	}
}

// release gives back locks that a session has.
func (a *advisory) release(s *Session, all []expr.AdvisoryLock) {
	if len(all) == 0 {
		return
	}
	a.locks.free(func() {
		for _, l := range all {
			of := a.held[l.AdvisoryKey]
			if l.Shared {
				of[s].shared--
			} else {
				of[s].exclusive--
			}
			if *of[s] == (advisoryHold{}) {
				delete(of, s)
			}
			if len(of) == 0 {
				delete(a.held, l.AdvisoryKey)
			}
		}
	})
}

// advisoryLocks are those of a session, for one statement.
type advisoryLocks struct{ *within }

// Lock implements expr.AdvisoryLocks. The session that would close a circle of waiting
// ones is refused.
func (l advisoryLocks) Lock(lock expr.AdvisoryLock, try bool) (bool, error) {
	a, s := l.s.db.advisory, l.s
	got, deadlock := false, false
	err := a.locks.wait(s.lockWait(l.ctx), func() bool {
		blockers := a.blockers(s, lock)
		if got = len(blockers) == 0; got {
			a.hold(s, lock)
		} else if !try {
			a.waiting[s] = lock
			deadlock = a.circle(blockers, s, map[*Session]bool{})
		}
		if got || deadlock {
			delete(a.waiting, s)
		}
		return got || try || deadlock
	})
	switch {
	case err != nil:
		a.locks.free(func() { delete(a.waiting, s) })
		return false, err
	case deadlock:
		return false, sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected").WithHint("See server log for query details.")
	case got && lock.Transaction:
		s.txn.advisory = append(s.txn.advisory, lock)
	case got:
		s.advisory = append(s.advisory, lock)
	}
	return got, nil
}

// Unlock implements expr.AdvisoryLocks.
func (l advisoryLocks) Unlock(lock expr.AdvisoryLock) bool {
	i := slices.Index(l.s.advisory, lock)
	if i < 0 {
		return false
	}
	l.s.advisory = slices.Delete(l.s.advisory, i, i+1)
	l.s.db.advisory.release(l.s, []expr.AdvisoryLock{lock})
	return true
}

// UnlockAll implements expr.AdvisoryLocks.
func (l advisoryLocks) UnlockAll() { l.s.unlockAll() }

func (s *Session) unlockAll() {
	s.db.advisory.release(s, s.advisory)
	s.advisory = nil
}

// Blocking implements expr.AdvisoryLocks.
func (l advisoryLocks) Blocking(pid uint32) []uint32 {
	db := l.s.db
	db.mu.Lock()
	s := db.sessions[pid]
	db.mu.Unlock()
	a := db.advisory
	a.locks.mu.Lock()
	defer a.locks.mu.Unlock()
	lock, waits := a.waiting[s]
	if !waits {
		return nil
	}
	var out []uint32
	for _, other := range a.blockers(s, lock) {
		out = append(out, other.pid)
	}
	slices.Sort(out)
	return out
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
	if err := s.maySignal(other.settings.who.authenticated, all); err != nil {
		return false, err
	}
	if all {
		other.cancellation.terminate(sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command"))
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
		return denied("%s", super)
	case !snap.Acts(s.role(), role) && !snap.Acts(s.role(), catalog.SignalBackendID):
		return denied("must be a member of the role whose %s or member of pg_signal_backend", what)
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
