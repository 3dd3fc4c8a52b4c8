package lock

import (
	"slices"

	"zproxy/sqlerr"
)

// Key is what an advisory lock is taken on: one number, or two small ones.
type Key struct {
	Pair   bool
	Number int64
}

// Advisory is an advisory lock.
type Advisory struct {
	Key
	Shared bool
}

// held is how often a session has an advisory lock.
type held struct{ exclusive, shared int }

// count is the counter for a mode.
func (h *held) count(shared bool) *int {
	if shared {
		return &h.shared
	}
	return &h.exclusive
}

// Advise takes an advisory lock for a session, and waits for it unless it is only a try. The session that would close a
// circle of waiting ones is refused.
func (m *Manager) Advise(w Wait, session uint32, l Advisory, try bool) (got bool, err error) {
	deadlock := false
	err = m.wait(w, func() bool {
		blockers := m.blockers(session, l)
		if got = len(blockers) == 0; got {
			m.advise(session, l)
		} else if !try {
			m.waiting[session] = l
			deadlock = m.circle(blockers, session, map[uint32]bool{})
		}
		if got || deadlock {
			delete(m.waiting, session)
		}
		return got || try || deadlock
	})
	switch {
	case err != nil:
		m.free(func() { delete(m.waiting, session) })
		return false, err
	case deadlock:
		return false, sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected").
			WithHint("See server log for query details.")
	}
	return got, nil
}

func (m *Manager) advise(session uint32, l Advisory) {
	of := m.advisory[l.Key]
	if of == nil {
		of = map[uint32]*held{}
		m.advisory[l.Key] = of
	}
	if of[session] == nil {
		of[session] = &held{}
	}
	*of[session].count(l.Shared)++
}

// blockers are the other sessions that keep one from an advisory lock.
func (m *Manager) blockers(session uint32, l Advisory) []uint32 {
	var out []uint32
	for other, h := range m.advisory[l.Key] {
		if other != session && (h.exclusive > 0 || h.shared > 0 && !l.Shared) {
			out = append(out, other)
		}
	}
	return out
}

// circle says whether one of the sessions waits, perhaps through others, for another one.
func (m *Manager) circle(from []uint32, to uint32, seen map[uint32]bool) bool {
	for _, s := range from {
		if s == to {
			return true
		}
		if l, waits := m.waiting[s]; waits && !seen[s] {
			seen[s] = true
			if m.circle(m.blockers(s, l), to, seen) {
				return true
			}
		}
	}
	return false
}

// ReleaseAdvisory gives back advisory locks that a session has.
func (m *Manager) ReleaseAdvisory(session uint32, all []Advisory) {
	if len(all) == 0 {
		return
	}
	m.free(func() {
		for _, l := range all {
			of := m.advisory[l.Key]
			*of[session].count(l.Shared)--
			if *of[session] == (held{}) {
				delete(of, session)
			}
			if len(of) == 0 {
				delete(m.advisory, l.Key)
			}
		}
	})
}

// Blocking are the sessions for which one waits, in order.
func (m *Manager) Blocking(session uint32) []uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, waits := m.waiting[session]
	if !waits {
		return nil
	}
	out := m.blockers(session, l)
	slices.Sort(out)
	return out
}

// Each calls f for all advisory locks that sessions have or wait for.
func (m *Manager) Each(f func(session uint32, l Advisory, granted bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, of := range m.advisory {
		for session, h := range of {
			for _, shared := range []bool{false, true} {
				if *h.count(shared) > 0 {
					f(session, Advisory{key, shared}, true)
				}
			}
		}
	}
	for session, l := range m.waiting {
		f(session, l, false)
	}
}
