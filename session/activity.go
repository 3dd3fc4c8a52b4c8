package session

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"zproxy/catalog/syscat"
	"zproxy/parser"
)

// The states of a session, as PostgreSQL calls them.
const (
	active            = "active"
	idle              = "idle"
	idleInTransaction = "idle in transaction"
	idleInFailed      = "idle in transaction (aborted)"
)

// activity is that of a session, which others may read.
type activity struct {
	mu  sync.Mutex
	now syscat.Activity
}

// activate notes that the session runs a text, and gives the time.
func (s *Session) activate(text string) time.Time {
	now := s.db.now()
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now.State != active {
		a.now.State, a.now.Changed = active, now
	}
	a.now.Query, a.now.Started = text, now
	if a.now.Transaction.IsZero() {
		a.now.Transaction = now
	}
	return now
}

// deactivate notes that the session waits for its client.
func (s *Session) deactivate() {
	state := idle
	switch s.Status() {
	case 'T':
		state = idleInTransaction
	case 'E':
		state = idleInFailed
	}
	now := s.db.now()
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now.State, a.now.Changed = state, now
	a.now.Application = s.settings.ApplicationName
	if state == idle {
		a.now.Transaction = time.Time{}
	}
}

// connected notes who the client is.
func (s *Session) connected(c *Startup) {
	now := s.db.now()
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = syscat.Activity{
		PID: s.pid, UserID: s.role(), User: s.user, Application: s.settings.ApplicationName,
		Address: c.ClientAddr, Port: c.ClientPort, State: idle, Times: syscat.Times{Connected: now, Changed: now},
	}
}

// SessionStates counts the sessions by what they do.
func (db *DB) SessionStates() map[string]int {
	counts := map[string]int{active: 0, idle: 0, idleInTransaction: 0, idleInFailed: 0}
	for _, a := range db.Activity() {
		counts[a.State]++
	}
	return counts
}

// Activity lists what the sessions are doing, by their numbers.
func (db *DB) Activity() []syscat.Activity {
	sessions := db.sessions.all()
	list := make([]syscat.Activity, 0, len(sessions))
	for _, s := range sessions {
		s.activity.mu.Lock()
		a := s.activity.now
		s.activity.mu.Unlock()
		a.Copy = (*syscat.Copy)(s.copied.Load().Progress())
		a.Index = (*syscat.IndexProgress)(s.indexing.Load().Report())
		if a.PID == 0 {
			continue // it is just being connected
		}
		if a.Query != "" {
			a.QueryID = parser.Fingerprint(a.Query)
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b syscat.Activity) int { return cmp.Compare(a.PID, b.PID) })
	return list
}
