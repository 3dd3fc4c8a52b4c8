package session

import (
	"maps"
	"slices"
	"sync"

	"zproxy/catalog"
	"zproxy/sqlerr"
)

// registry has the sessions of a process by their numbers.
type registry struct {
	mu   sync.Mutex
	of   map[uint32]*Session
	last uint32 // number that was given

	shut    map[uint32]int  // databases that no session may begin in for now; how often each was shut
	changed chan struct{}   // closed when one is opened; nil: no session waits
	used    map[string]bool // names that the default database had, at most mostNames
}

// add gives a session a number that no other session has, unless its role or database has as many as it may. It waits
// while the database is shut.
func (r *registry) add(s *Session, snap *catalog.Snapshot) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !s.internal && r.shut[s.db.Database()] > 0 {
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		opened := r.changed
		r.mu.Unlock()
		<-opened
		r.mu.Lock()
	}
	if err := r.refuse(s, snap); err != nil {
		return err
	}
	r.note(s)
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

// refuse is why a session may not begin, nil if it may.
func (r *registry) refuse(s *Session, snap *catalog.Snapshot) error {
	if s.internal {
		return nil
	}
	d := s.db.Whole().DatabaseByID(s.db.Database()) // it may have been dropped meanwhile
	switch {
	case d == nil:
		return sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", s.user.Database)
	case d.Closed:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"database \"%s\" is not currently accepting connections", s.user.Database)
	case d.ConnLimit != nil && *d.ConnLimit >= 0 && r.using(d.ID, nil) >= *d.ConnLimit &&
		!snap.Superuser(s.user.Authenticated()):
		return sqlerr.New(sqlerr.TooManyConnections, "too many connections for database \"%s\"", s.user.Database)
	}
	return s.user.RefuseMore(snap, r.count)
}

// mostNames is how many names of the default database are kept in mind.
const mostNames = 64

// note notes by which name a session uses the default database.
func (r *registry) note(s *Session) {
	if !s.internal && s.db.Database() == catalog.DatabaseID && len(r.used) < mostNames {
		r.used[s.user.Database] = true
	}
}

// names are those by which the default database was used.
func (r *registry) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.used))
}

// using is how many sessions of clients, but for one, use a database. r.mu is held.
func (r *registry) using(database uint32, but *parts) (n int) {
	for _, s := range r.of {
		if s.db.Database() == database && !s.internal && &s.parts != but {
			n++
		}
	}
	return n
}

// close keeps sessions from beginning in a database until it is opened as often.
func (r *registry) close(database uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut[database]++
}

// open undoes a close.
func (r *registry) open(database uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut[database]--; r.shut[database] <= 0 {
		delete(r.shut, database)
	}
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// left is how many sessions of clients use a database, but for one.
func (r *registry) left(database uint32, but *parts) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.using(database, but)
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

// end ends the sessions of a database.
func (r *registry) end(database uint32) {
	for _, s := range r.all() {
		if s.db.Database() == database && !s.internal {
			s.End(sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command"))
		}
	}
}
