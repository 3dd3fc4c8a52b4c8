package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/sqlerr"
)

// locks keep commits and schema changes out of each other's way.
//
// One transaction at a time changes the schema, from its first change to its end. It has
// the tables that it changes to itself: nobody else commits rows of them meanwhile. A
// commit holds the tables that it wrote to together with other commits, and only while it
// runs. It waits for nothing else, so no two transactions wait for each other.
type locks struct {
	mu       sync.Mutex
	changing bool
	frozen   []uint32 // tables that another process has to itself
	tables   map[uint32]*tableLock
	freed    chan struct{} // closed when something is given back
	commits  uint64        // that wrote rows
	// writers are the transactions that write rows and cannot be run again, with the versions
	// of the tables.
	writers map[*Session][]*catalog.Table
}

type tableLock struct {
	commits int    // that run
	holds   int    // by which changes of the table wait, but for steps of the states of indexes
	alone   bool   // held by the transaction that changes the schema
	whole   bool   // which waits, or has waited, for holds, too
	last    uint64 // the number of the last commit that wrote to the table
}

// keepsOut says whether a commit has to wait, perhaps of who holds the table: a change waits for him, unless it is a
// step.
func (l *locks) keepsOut(id uint32, held bool) bool {
	t := l.table(id)
	if held {
		return t.alone && !t.whole
	}
	return t.alone || slices.Contains(l.frozen, id)
}

func newLocks() *locks {
	return &locks{tables: map[uint32]*tableLock{}, freed: make(chan struct{}), writers: map[*Session][]*catalog.Table{}}
}

// lockWait is how long somebody waits for a lock: until a context ends, and no longer than
// lock_timeout. Zero is no limit.
type lockWait struct {
	ctx   context.Context
	limit time.Duration
}

// lockWait is that of the statement that runs.
func (s *Session) lockWait(ctx context.Context) lockWait {
	return lockWait{ctx, s.settings.lockTimeout}
}

// wait takes something as soon as it can be had.
func (l *locks) wait(p lockWait, take func() bool) error {
	var late <-chan time.Time
	for {
		l.mu.Lock()
		ok, freed := take(), l.freed
		l.mu.Unlock()
		if ok {
			return nil
		}
		if late == nil && p.limit > 0 {
			timer := time.NewTimer(p.limit)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-freed:
		case <-late:
			return errLockTimeout()
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	}
}

func errLockTimeout() error {
	return sqlerr.New(sqlerr.LockNotAvailable, "canceling statement due to lock timeout")
}

// context is for what is waited for elsewhere.
func (p lockWait) context() (context.Context, context.CancelFunc) {
	if p.limit == 0 {
		return p.ctx, func() {}
	}
	return context.WithTimeoutCause(p.ctx, p.limit, errLockTimeout())
}

// free gives something back.
func (l *locks) free(give func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	give()
	close(l.freed)
	l.freed = make(chan struct{})
}

func (l *locks) table(id uint32) *tableLock {
	t := l.tables[id]
	if t == nil {
		t = &tableLock{}
		l.tables[id] = t
	}
	return t
}

// count is the number of the last commit, for written.
func (l *locks) count() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.commits
}

// written says whether others have committed rows of a table since a count.
func (l *locks) written(id uint32, since uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.table(id).last > since
}

// beginChange waits until nobody else changes the schema.
func (l *locks) beginChange(p lockWait) error {
	return l.wait(p, func() bool {
		free := !l.changing
		l.changing = true
		return free
	})
}

// underChange says whether somebody changes the schema.
func (l *locks) underChange() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changing
}

// freeze lets nobody commit rows of some tables, and of no others, and waits until no commit of
// such rows runs and none of them is held.
func (l *locks) freeze(p lockWait, tables []uint32) error {
	l.free(func() { l.frozen = tables })
	return l.wait(p, func() bool {
		return !slices.ContainsFunc(tables, func(id uint32) bool {
			return l.table(id).commits > 0 ||
				l.table(id).holds > 0
		})
	})
}

// alone waits until no commit of rows of a table runs, and as a whole change until it is not held, and keeps
// further ones out. Only the transaction that changes the schema may ask.
func (l *locks) alone(p lockWait, id uint32, whole bool) error {
	err := l.wait(p, func() bool {
		t := l.table(id)
		t.alone, t.whole = true, whole // so that the commits that run are the last ones
		return t.commits == 0 && (!whole || t.holds == 0)
	})
	if err != nil {
		l.free(func() { l.table(id).alone, l.table(id).whole = false, false })
	}
	return err
}

// hold waits until no session changes a table, and lets changes of it wait from then on.
func (l *locks) hold(p lockWait, id uint32) error {
	return l.wait(p, func() bool {
		free := !l.keepsOut(id, false)
		if free {
			l.table(id).holds++
		}
		return free
	})
}

// awaited says whether a change of a table waits for who holds it.
func (l *locks) awaited(id uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.table(id).whole
}

// holdOn holds tables that commits run of.
func (l *locks) holdOn(tables map[uint32]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range tables {
		l.table(id).holds++
	}
}

// release ends holds.
func (l *locks) release(tables map[uint32]bool) {
	l.free(func() {
		for id := range tables {
			l.table(id).holds--
		}
	})
}

// endChange lets others change the schema, and commit rows of tables.
func (l *locks) endChange(tables map[uint32]bool) {
	l.free(func() {
		l.changing = false
		for id := range tables {
			l.table(id).alone, l.table(id).whole = false, false
		}
	})
}

// beginCommit waits until no session changes the tables. One that holds one of them does not wait for sessions
// that wait for that.
func (l *locks) beginCommit(p lockWait, tables map[uint32]bool, held uint32) error {
	dead := false
	err := l.wait(p, func() bool {
		for id := range tables {
			if l.keepsOut(id, id == held) {
				dead = held != 0 && l.table(held).whole
				return dead
			}
		}
		for id := range tables {
			l.table(id).commits++
		}
		return true
	})
	if dead {
		err = sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected")
	}
	return err
}

// endCommit ends what beginCommit began.
func (l *locks) endCommit(tables map[uint32]bool, written bool) {
	l.free(func() {
		for id := range tables {
			l.table(id).commits--
		}
		if written {
			l.note(tables)
		}
	})
}

// noteCommit is for a commit of the transaction that changes the schema, which need not
// begin one.
func (l *locks) noteCommit(tables map[uint32]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(tables)
}

func (l *locks) note(tables map[uint32]bool) {
	l.commits++
	for id := range tables {
		l.table(id).last = l.commits
	}
}

// noteWriter notes that the transaction of a session writes rows of tables by these versions.
func (l *locks) noteWriter(s *Session, tables []*catalog.Table) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range tables {
		if !slices.Contains(l.writers[s], t) {
			l.writers[s] = append(l.writers[s], t)
		}
	}
}

// forgetWriter notes that the transaction of a session is over.
func (l *locks) forgetWriter(s *Session) { l.free(func() { delete(l.writers, s) }) }

// drained waits until no transaction that cannot be run again writes rows by an older version of
// a table. Those that could are not waited for: their commit finds out and they run again.
func (l *locks) drained(p lockWait, t *catalog.Table) error {
	return l.wait(p, func() bool {
		for _, tables := range l.writers {
			for _, u := range tables {
				if u.ID == t.ID && u.Version < t.Version {
					return false
				}
			}
		}
		return true
	})
}
