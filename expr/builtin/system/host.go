package system

import (
	"net/netip"
	"time"

	"zproxy/expr"
	"zproxy/sqlerr"
)

// Host is what the functions of a session, a database and a server reach of them. A context has
// one as its Host. What is nil can do nothing.
type Host struct {
	User        string // current_user
	SessionUser string // empty: User
	Database    string
	Schema      string                           // where new objects go; empty: nowhere
	Setting     func(name string) (string, bool) // current_setting; nil knows none
	Sequences   Sequences                        // nil has none
	Objects     Objects                          // nil has none
	Advisory    AdvisoryLocks                    // nil has none
	Channels    Channels                         // nil has none
	Upkeep      Upkeep                           // nil can do nothing
	Sites       Sites                            // nil exchanges nothing
	ZOrder      ZOrder                           // nil knows none
	Cursors     Cursors                          // nil has none
	Session     SessionInfo
}

// hostOf is the host of a context.
func hostOf(c *expr.Context) *Host {
	if h, ok := c.Host.(*Host); ok {
		return h
	}
	return new(Host)
}

// SessionInfo is what functions tell of the session and do to it.
type SessionInfo struct {
	PID     uint32
	Query   string    // what the client sent
	Path    []string  // the schemas of search_path that there are
	Started time.Time // when the server began
	Build   string    // what version() tells of the program
	// Set gives a setting a value, until the transaction ends if it is local, and says how
	// it is shown.
	Set       func(name, value string, local bool) (string, error)
	Temporary uint32            // the schema of its temporary relations; 0: there is none
	Triggers  int               // that are under way
	Ends      [2]netip.AddrPort // of the client and of the server; not valid: the connection is not one of a network
	// Signal stops what the session with a number is running, or all of it; it says whether
	// there is one. nil: no session can be reached.
	Signal func(pid uint32, all bool) (bool, error)
	// ResetStatements forgets what statements took.
	ResetStatements func() error
	Transaction     Transaction  // nil: there is none
	Large           LargeObjects // nil: there are none
	// Sleep waits, unless the statement is cancelled.
	Sleep func(time.Duration) error
}

// Transaction is the one that a statement is in.
type Transaction interface {
	// Number is its number; false: it was not asked for yet. With take it gets one.
	Number(take bool) (uint64, bool)
	// Export lets other transactions see what it sees, while it is open, and gives the identifier by which they ask
	// for that.
	Export() (string, error)
}

// Setting is a setting of the session; false: nothing sets it.
func Setting(c *expr.Context, name string) (string, bool) {
	if setting := hostOf(c).Setting; setting != nil {
		return setting(name)
	}
	return "", false
}

// Set sets a setting of the session, and is how it is shown.
func Set(c *expr.Context, name, value string) (string, error) {
	if set := hostOf(c).Session.Set; set != nil {
		return set(name, value, false)
	}
	return "", sqlerr.Unsupported("set_config here")
}
