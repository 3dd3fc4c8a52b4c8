package session

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"zproxy/catalog/ddl/index"
	"zproxy/parser"
	"zproxy/session/copy"
)

// State is what a session is doing.
type State string

// The states of a session, as PostgreSQL calls them.
const (
	Active            State = "active"
	Idle              State = "idle"
	IdleInTransaction State = "idle in transaction"
	IdleInFailed      State = "idle in transaction (aborted)"
)

// Activity is what is known of a session while it goes on.
type Activity struct {
	PID         uint32
	UserID      uint32 // of the role
	User        string
	Database    string
	Application string
	ClientAddr  string // empty: not a network address
	ClientPort  int
	State       State
	Query       string         // the last that was begun
	QueryID     uint64         // of its text; 0: there was none
	Connected   time.Time      // when the session began
	Transaction time.Time      // when its transaction began; zero: there is none
	Started     time.Time      // when the query began
	Changed     time.Time      // when the state became what it is
	Copy        *copy.Progress // nil: it does not copy
	Index       *index.Told    // nil: it neither builds nor checks indexes
}

// activity is that of a session, which others may read.
type activity struct {
	mu  sync.Mutex
	now Activity
}

// activate notes that the session runs a text, and gives the time.
func (s *Session) activate(text string) time.Time {
	now := s.db.now()
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now.State != Active {
		a.now.State, a.now.Changed = Active, now
	}
	a.now.Query, a.now.Started = text, now
	if a.now.Transaction.IsZero() {
		a.now.Transaction = now
	}
	return now
}

// deactivate notes that the session waits for its client.
func (s *Session) deactivate() {
	state := Idle
	switch s.Status() {
	case 'T':
		state = IdleInTransaction
	case 'E':
		state = IdleInFailed
	}
	now := s.db.now()
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now.State, a.now.Changed = state, now
	a.now.Application = s.settings.ApplicationName
	if state == Idle {
		a.now.Transaction = time.Time{}
	}
}

// connected notes who the client is.
func (s *Session) connected(c *Startup) {
	now := s.db.now()
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = Activity{
		PID: s.pid, UserID: s.role(), User: s.user, Database: s.database, Application: s.settings.ApplicationName,
		ClientAddr: c.ClientAddr, ClientPort: c.ClientPort, State: Idle, Connected: now, Changed: now,
	}
}

// SessionStates counts the sessions by what they do.
func (db *DB) SessionStates() map[string]int {
	counts := map[string]int{string(Active): 0, string(Idle): 0, string(IdleInTransaction): 0, string(IdleInFailed): 0}
	for _, a := range db.Activity() {
		counts[string(a.State)]++
	}
	return counts
}

// Activity lists what the sessions are doing, by their numbers.
func (db *DB) Activity() []Activity {
	sessions := db.sessions.all()
	list := make([]Activity, 0, len(sessions))
	for _, s := range sessions {
		s.activity.mu.Lock()
		a := s.activity.now
		s.activity.mu.Unlock()
		a.Copy, a.Index = s.copying.Load().Progress(), s.indexing.Load().Told()
		if a.PID == 0 {
			continue // it is just being connected
		}
		if a.Query != "" {
			a.QueryID = parser.Fingerprint(a.Query)
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b Activity) int { return cmp.Compare(a.PID, b.PID) })
	return list
}
