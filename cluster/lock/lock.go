// Package lock has the locks between the transactions of one process. Locks of rows, of objects of the catalog and
// advisory locks are in one table, with one graph of waits: owners take them in PostgreSQL's modes, queue for them, and
// find the circles in which they wait for each other. Read Owner first, then resolve.
//
// Beside them are the locks of tables for commits of rows and changes of the schema: one mutex guards all of these, and
// each waiter checks again whenever one is released. Locks of other processes are not known here: package fleet
// coordinates changes of the schema with other processes, and reports which tables are frozen.
package lock

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/catalog"
	"zproxy/sqlerr"
)

// Manager has all locks of a process. Sessions are known by their numbers.
type Manager struct {
	// Most is how many locks an owner may have before it tries to lock whole spaces instead of their rows.
	Most int

	mu    sync.Mutex
	freed chan struct{} // closed when something is given back

	changing bool
	frozen   []uint32 // tables of which only another process commits rows
	closed   []uint32 // tables that another process has to itself, as soon as it can
	tables   map[uint32]*table
	commits  uint64 // that wrote rows
	// writers are the transactions that write rows and cannot be run again, by their sessions, with the versions of the
	// tables.
	writers map[uint32][]*catalog.Table

	shards      [shards]shard // those that are locked together are locked in this order
	searches    uint64        // for circles, while all shards are locked
	steps       uint64        // of these searches
	escalations atomic.Int32  // locks of all rows of a space; the first comes while all shards of rows are locked

	waitersMu sync.Mutex // locked last
	waiters   map[*Owner]struct{}
}

// NewManager has no locks.
func NewManager() *Manager {
	return &Manager{
		Most:  mostLocks,
		freed: make(chan struct{}), tables: map[uint32]*table{}, writers: map[uint32][]*catalog.Table{},
		waiters: map[*Owner]struct{}{},
	}
}

// Wait is how long a lock is waited for: until a context ends, and no longer than lock_timeout. Zero is no limit.
type Wait struct {
	Ctx   context.Context
	Limit time.Duration
	// DeadlockAfter is how long an owner waits before it looks for a circle of waits; zero: it looks at once.
	DeadlockAfter time.Duration
	// Owner is who waits; nil: one who has no lock that another process may wait for.
	Owner *Owner
	// Slow is called when a wait takes longer than DeadlockAfter, and when it has been successful then. nil: it is not.
	Slow func(Slow)
}

// Context is for what is waited for elsewhere.
func (w Wait) Context() (context.Context, context.CancelFunc) {
	if w.Limit == 0 {
		return w.Ctx, func() {}
	}
	return context.WithTimeoutCause(w.Ctx, w.Limit, errTimeout())
}

func errTimeout() error {
	return sqlerr.New(sqlerr.LockNotAvailable, "canceling statement due to lock timeout")
}

// wait takes something as soon as it can be had.
func (m *Manager) wait(w Wait, take func() bool) error {
	var late <-chan time.Time
	for {
		m.mu.Lock()
		ok, freed := take(), m.freed
		m.mu.Unlock()
		if ok {
			return nil
		}
		if late == nil && w.Limit > 0 {
			timer := time.NewTimer(w.Limit)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-freed:
		case <-late:
			return errTimeout()
		case <-w.Ctx.Done():
			return context.Cause(w.Ctx)
		}
	}
}

// free gives something back.
func (m *Manager) free(give func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	give()
	close(m.freed)
	m.freed = make(chan struct{})
}
