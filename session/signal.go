package session

import (
	"zproxy/catalog"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// signal stops what the session with a number is running, or ends it. When that is this
// session, the statement that asks for it fails.
func (s *Session) signal(pid uint32, all bool) (bool, error) {
	other := s.db.sessions.find(pid)
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
