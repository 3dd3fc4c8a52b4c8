package lock

import (
	"errors"
	"slices"

	"zproxy/catalog"
	"zproxy/sqlerr"
)

// A transaction that changes tables has them to itself from then on: no other commits rows of them. It has locked
// their descriptors. A commit holds the tables that it wrote to together with other commits, and only while it runs. It
// waits for nothing else, so no two transactions wait for each other. Where processes share the store, one transaction
// at a time changes the schema, from its first change to its end.

// table is what locks there are of a table.
type table struct {
	commits int    // that run
	holds   int    // for which changes of the table wait, but for steps of the states of indexes
	alone   bool   // the transaction that changes the schema excludes commits
	whole   bool   // it waits, or has waited, for holds, too
	last    uint64 // the number of the last commit that wrote to the table
}

// keepsOut says whether a commit of rows of a table has to wait. One whose session holds the table need not wait for a
// whole change, which waits for the end of the hold.
func (m *Manager) keepsOut(id uint32, held bool) bool {
	t := m.of(id)
	if held {
		return t.alone && !t.whole
	}
	return t.alone || slices.Contains(m.frozen, id)
}

func (m *Manager) of(id uint32) *table {
	t := m.tables[id]
	if t == nil {
		t = &table{}
		m.tables[id] = t
	}
	return t
}

// LastCommit is the number of the last commit of rows, for WrittenSince.
func (m *Manager) LastCommit() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.commits
}

// WrittenSince says whether rows of a table were committed behind a commit with a number.
func (m *Manager) WrittenSince(id uint32, since uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(id).last > since
}

// BeginChange waits until no other transaction changes the schema, and begins to.
func (m *Manager) BeginChange(w Wait) error {
	return m.wait(w, func() bool {
		free := !m.changing
		m.changing = true
		return free
	})
}

// UnderChange says whether a transaction changes the schema.
func (m *Manager) UnderChange() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changing
}

// Freeze keeps commits of rows of these tables waiting, and of no others, since another process changes them. It waits
// until no such commit runs and none of the tables is held.
func (m *Manager) Freeze(w Wait, tables []uint32) error {
	m.free(func() { m.frozen = tables })
	return m.wait(w, func() bool {
		return !slices.ContainsFunc(tables, func(id uint32) bool {
			return m.of(id).commits > 0 || m.of(id).holds > 0
		})
	})
}

// Close notes the tables that another process is to have to itself. It waits for their locks.
func (m *Manager) Close(tables []uint32) { m.free(func() { m.closed = tables }) }

// Awaited says whether an owner has a lock of a table that is to be closed: another process waits for its end.
func (m *Manager) Awaited(o *Owner) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.awaited(o)
}

func (m *Manager) awaited(o *Owner) bool {
	return o != nil && slices.ContainsFunc(m.closed, func(id uint32) bool { return o.modesOf(Relation(id)) != 0 })
}

// Exclude keeps commits of rows of a table out, and waits until none runs; a whole change waits until the table is not
// held, either. Only a transaction calls it that has the descriptor locked.
func (m *Manager) Exclude(w Wait, id uint32, whole bool) error {
	err := m.wait(w, func() bool {
		t := m.of(id)
		t.alone, t.whole = true, whole // so that the commits that run are the last ones
		return t.commits == 0 && (!whole || t.holds == 0)
	})
	if err != nil {
		m.free(func() { m.of(id).alone, m.of(id).whole = false, false })
	}
	return err
}

// HoldTable waits until no transaction changes a table, and keeps whole changes of it waiting from then on. It is
// ErrAwaited where the change waits for a lock of the owner.
func (m *Manager) HoldTable(w Wait, id uint32) error {
	awaited := false
	err := m.wait(w, func() bool {
		free := !m.keepsOut(id, false)
		if free {
			m.of(id).holds++
		}
		awaited = !free && m.awaited(w.Owner)
		return free || awaited
	})
	if awaited {
		return ErrAwaited
	}
	return err
}

// HoldTables holds tables of which commits run.
func (m *Manager) HoldTables(tables map[uint32]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range tables {
		m.of(id).holds++
	}
}

// ReleaseTables ends holds.
func (m *Manager) ReleaseTables(tables map[uint32]bool) {
	m.free(func() {
		for id := range tables {
			m.of(id).holds--
		}
	})
}

// EndChange lets other transactions change the schema, and commit rows of the tables that were excluded.
func (m *Manager) EndChange(tables map[uint32]bool) {
	m.free(func() {
		m.changing = false
		m.endExclusions(tables)
	})
}

// EndExclusions lets other transactions commit rows of tables that were excluded.
func (m *Manager) EndExclusions(tables map[uint32]bool) {
	if len(tables) > 0 {
		m.free(func() { m.endExclusions(tables) })
	}
}

func (m *Manager) endExclusions(tables map[uint32]bool) {
	for id := range tables {
		m.of(id).alone, m.of(id).whole = false, false
	}
}

// ErrAwaited is why a commit or a hold does not wait: another process has frozen a table, and waits for the transaction
// to end.
var ErrAwaited = errors.New("another process waits for the transaction to end")

// BeginCommit waits until no transaction changes the tables. held is the table that the session holds, or 0: a commit
// that would wait for a change that waits for this hold is a deadlock.
func (m *Manager) BeginCommit(w Wait, tables map[uint32]bool, held uint32) error {
	dead, awaited := false, false
	err := m.wait(w, func() bool {
		for id := range tables {
			if m.keepsOut(id, id == held) {
				dead, awaited = held != 0 && m.of(held).whole, m.awaited(w.Owner)
				return dead || awaited
			}
		}
		for id := range tables {
			m.of(id).commits++
		}
		return true
	})
	switch {
	case awaited:
		err = ErrAwaited
	case dead:
		err = sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected")
	}
	return err
}

// EndCommit ends what BeginCommit began.
func (m *Manager) EndCommit(tables map[uint32]bool, written bool) {
	m.free(func() {
		for id := range tables {
			m.of(id).commits--
		}
		if written {
			m.note(tables)
		}
	})
}

// NoteCommit is for a commit of the transaction that changes the schema, which needs no BeginCommit.
func (m *Manager) NoteCommit(tables map[uint32]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.note(tables)
}

func (m *Manager) note(tables map[uint32]bool) {
	m.commits++
	for id := range tables {
		m.of(id).last = m.commits
	}
}

// NoteWriter notes that the transaction of a session writes rows of tables by these versions.
func (m *Manager) NoteWriter(session uint32, tables []*catalog.Table) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range tables {
		if !slices.Contains(m.writers[session], t) {
			m.writers[session] = append(m.writers[session], t)
		}
	}
}

// ForgetWriter notes that the transaction of a session is over.
func (m *Manager) ForgetWriter(session uint32) { m.free(func() { delete(m.writers, session) }) }

// Drained waits until no transaction that cannot be run again writes rows by an older version of a table. Others are
// not waited for: their commit is refused, and they run again.
func (m *Manager) Drained(w Wait, t *catalog.Table) error {
	return m.wait(w, func() bool {
		for _, tables := range m.writers {
			for _, u := range tables {
				if u.ID == t.ID && u.Version < t.Version {
					return false
				}
			}
		}
		return true
	})
}

// Writes is how many tables the transaction of a session is noted to write to.
func (m *Manager) Writes(session uint32) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.writers[session])
}

// Idle says whether no transaction has a lock of a table or changes the schema.
func (m *Manager) Idle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.tables {
		if t.commits != 0 || t.holds != 0 || t.alone {
			return false
		}
	}
	return !m.changing
}
