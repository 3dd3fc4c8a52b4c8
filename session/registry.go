package session

import (
	"maps"
	"slices"
	"sync"
)

// registry has the sessions of a process by their numbers.
type registry struct {
	mu   sync.Mutex
	of   map[uint32]*Session
	last uint32 // number that was given
}

// add gives a session a number that no other session has, unless one more is refused beside those that there are.
func (r *registry) add(s *Session, refuse func(others map[uint32]*Session) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := refuse(r.of); err != nil {
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
