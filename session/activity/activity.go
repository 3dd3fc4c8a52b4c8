// Package activity is what other sessions see of a session: what it is doing, and how far a COPY or the building of
// indexes is. The session writes it, others read it meanwhile. What pg_stat_activity makes of it, and who may see
// that, is in catalog/syscat.
//
// Read `Activity` first.
package activity

import (
	"sync"
	"sync/atomic"
	"time"

	"zproxy/catalog/ddl/index"
	"zproxy/catalog/syscat"
	"zproxy/parser"
	"zproxy/session/copy"
)

// The states of a session, as PostgreSQL calls them.
const (
	Active            = "active"
	Idle              = "idle"
	IdleInTransaction = "idle in transaction"
	IdleInFailed      = "idle in transaction (aborted)"
)

// Activity is that of a session. The zero value is that of one that is just being connected.
type Activity struct {
	mu       sync.Mutex
	now      syscat.Activity
	copied   atomic.Pointer[copy.Counter]   // nil: it does not copy
	indexing atomic.Pointer[index.Progress] // nil: it neither builds nor checks indexes
}

// Connect notes who the client is, who has connected at a time.
func (a *Activity) Connect(client syscat.Activity, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	client.State, client.Times = Idle, syscat.Times{Connected: now, Changed: now}
	a.now = client
}

// Begin notes that the session runs a text.
func (a *Activity) Begin(text string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now.State != Active {
		a.now.State, a.now.Changed = Active, now
	}
	a.now.Query, a.now.Started = text, now
	if a.now.Transaction.IsZero() {
		a.now.Transaction = now
	}
}

// Wait notes that the session waits for its client, in one of the states that are idle.
func (a *Activity) Wait(state, application string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now.State, a.now.Changed = state, now
	a.now.Application = application
	if state == Idle {
		a.now.Transaction = time.Time{}
	}
}

// Copies notes that the session copies, until the function is called.
func (a *Activity) Copies(c *copy.Counter) (end func()) {
	a.copied.Store(c)
	return func() { a.copied.Store(nil) }
}

// Indexes notes that the session builds or checks indexes, until the function is called.
func (a *Activity) Indexes(p *index.Progress) (end func()) {
	a.indexing.Store(p)
	return func() { a.indexing.Store(nil) }
}

// Now is what the session is doing; without a number, it is just being connected.
func (a *Activity) Now() syscat.Activity {
	a.mu.Lock()
	now := a.now
	a.mu.Unlock()
	now.Copy = (*syscat.Copy)(a.copied.Load().Progress())
	now.Index = (*syscat.IndexProgress)(a.indexing.Load().Report())
	if now.PID != 0 && now.Query != "" {
		now.QueryID = parser.Fingerprint(now.Query)
	}
	return now
}
