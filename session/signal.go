package session

import (
	"zproxy/sqlerr"
)

// signal stops what the session with a number is running, or ends it. When that is this
// session, the statement that asks for it fails.
func (r *reach) signal(pid uint32, all bool) (bool, error) {
	other := r.db.sessions.find(pid)
	if other == nil {
		return false, nil
	}
	if err := r.user.MaySignal(other.user.Authenticated(), all); err != nil {
		return false, err
	}
	if all {
		other.End(sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command"))
	} else {
		other.bounds.Request(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
	}
	if &other.parts == r.parts {
		return true, r.bounds.Cause()
	}
	return true, nil
}

// End ends the session for a reason, which other goroutines may do: the statement that runs, those that come after it,
// and the connection. Close follows then.
func (s *Session) End(cause error) {
	s.bounds.Terminate(cause)
	if s.terminate != nil {
		s.terminate(cause)
	}
}

// limitTransaction ends the session when its transaction has taken so long from now on as it may, unless a limit is set
// already.
func (s *Session) limitTransaction() {
	if s.settings.TransactionTimeout == 0 { // there is no limit
		s.bounds.EndTransaction()
		return
	}
	s.bounds.LimitTransaction(s.settings.TransactionTimeout, func() {
		s.End(sqlerr.New(sqlerr.TransactionTimeout, "terminating connection due to transaction timeout"))
	})
}
