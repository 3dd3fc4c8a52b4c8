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
		other.bounds.Terminate(sqlerr.New(sqlerr.AdminShutdown,
			"terminating connection due to administrator command"))
		if other.terminate != nil {
			other.terminate()
		}
	} else {
		other.bounds.Request(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
	}
	if &other.parts == r.parts {
		return true, r.bounds.Cause()
	}
	return true, nil
}
