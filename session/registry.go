package session

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"zproxy/catalog"
)

// registry has the sessions of a process by their numbers.
type registry struct {
	mu   sync.Mutex
	of   map[uint32]*Session
	last uint32 // number that was given

	cached atomic.Int64 // bytes of the statements that the sessions keep by themselves
}

// add gives a session a number that no other session has, unless its role has as many as it may.
func (r *registry) add(s *Session, snap *catalog.Snapshot) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := s.user.RefuseMore(snap, r.count); err != nil {
		return err
	}
	for {
		r.last = r.last%0x7fffffff + 1
		if _, taken := r.of[r.last]; !taken {
			break
		}
	}
	s.pid = r.last
	r.of[s.pid] = s
	return nil
}

// count is how many sessions a role has.
func (r *registry) count(role uint32) (n int) {
	for _, s := range r.of {
		if s.user.Authenticated() == role {
			n++
		}
	}
	return n
}

func (r *registry) remove(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, s.pid)
}

// find is the session with a number, nil if there is none.
func (r *registry) find(pid uint32) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[pid]
}

// all lists the sessions, in no order.
func (r *registry) all() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.of))
}
