package metrics

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// MostStatements is how many texts are told apart; those that were used least make room.
const MostStatements = 5000

// mostText is how much of a text is kept, in bytes.
const mostText = 8 << 10

// Statement is what one text of one user took, since it was first seen.
type Statement struct {
	ID      uint64 // of the text
	Text    string // without its literals
	User    string
	Calls   int64
	Errors  int64 // calls that failed
	Total   time.Duration
	Min     time.Duration
	Max     time.Duration
	Usage   Usage
	First   time.Time // when a call first ended
	Last    time.Time
	Judged  judged
	squares float64 // sum of the squares of what the calls differ from the mean
}

// Mean is the mean time of a call.
func (s *Statement) Mean() time.Duration { return s.Total / time.Duration(max(s.Calls, 1)) }

// Deviation is the standard deviation of the time of a call.
func (s *Statement) Deviation() time.Duration {
	return time.Duration(math.Sqrt(s.squares / float64(max(s.Calls, 1))))
}

// add adds a call. The squares are kept as Welford does, since the difference of two large
// sums would be noise.
func (s *Statement) add(r *Run, now time.Time) {
	d := r.Duration
	before := s.Mean()
	if s.Calls == 0 {
		s.Min, s.First, before = d, now, 0
	}
	s.Calls++
	if r.State != "" {
		s.Errors++
	}
	s.Total += d
	s.Min, s.Max, s.Last = min(s.Min, d), max(s.Max, d), now
	if s.Calls > 1 {
		s.squares += float64(d-before) * float64(d-s.Mean())
	}
	s.Usage.Add(&r.Usage)
	s.Judged.add(r)
}

// Entry is the place of one text of one user.
type Entry struct {
	mu        sync.Mutex
	statement Statement
	use       float64 // calls, of which the old ones count less
	gone      bool    // made room, or was reset
}

// Statements are the texts that were run. Any goroutine may use it.
type Statements struct {
	mu      sync.RWMutex
	most    int
	entries map[identity]*Entry
	dropped int64
}

type identity struct {
	id   uint64
	user string
}

// NewStatements has room for so many texts.
func NewStatements(most int) *Statements {
	return &Statements{most: most, entries: map[identity]*Entry{}}
}

// Call is one call of a text.
type Call struct {
	ID        uint64
	User      string
	Text      string
	Normalize func(string) string // takes the literals out of a text that is new
	Now       time.Time
}

// Add counts a call. It gives the place of the text, which spares the next call of it the
// search for it.
func (s *Statements) Add(at *Entry, c *Call, r *Run) *Entry {
	if at != nil && at.statement.User == c.User && at.add(c.Now, r) {
		return at
	}
	for {
		if at = s.entry(c); at.add(c.Now, r) {
			return at
		}
	}
}

// add says whether the entry still counts. The user of an entry never changes.
func (e *Entry) add(now time.Time, r *Run) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gone {
		return false
	}
	e.use++
	e.statement.add(r, now)
	return true
}

func (s *Statements) entry(c *Call) *Entry {
	id := identity{c.ID, c.User}
	s.mu.RLock()
	e := s.entries[id]
	s.mu.RUnlock()
	if e != nil {
		return e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[id]; e != nil {
		return e
	}
	if len(s.entries) >= s.most {
		s.makeRoom()
	}
	text := c.Normalize(c.Text)
	if len(text) > mostText {
		text = cut(text, mostText)
	}
	e = &Entry{statement: Statement{ID: c.ID, Text: text, User: c.User}}
	s.entries[id] = e
	return e
}

// cut is the beginning of a text, whole characters of it.
func cut(text string, most int) string {
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most]
}

// makeRoom lets the twentieth part of the texts go that was used least and, of those used
// the same, is the oldest.
func (s *Statements) makeRoom() {
	type use struct {
		id   identity
		use  float64
		last time.Time
	}
	var list []use
	for id, e := range s.entries {
		e.mu.Lock()
		e.use *= 0.99
		list = append(list, use{id, e.use, e.statement.Last})
		e.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b use) int { return cmp.Or(cmp.Compare(a.use, b.use), a.last.Compare(b.last)) })
	for _, u := range list[:max(1, len(list)/20)] {
		s.drop(u.id)
		s.dropped++
	}
}

func (s *Statements) drop(id identity) {
	e := s.entries[id]
	e.mu.Lock()
	e.gone = true
	e.mu.Unlock()
	delete(s.entries, id)
}

// Reset forgets all texts.
func (s *Statements) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.entries {
		s.drop(id)
	}
	s.dropped = 0
}

// Dropped is how many texts made room for others.
func (s *Statements) Dropped() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.dropped
}

// Read lists the texts, those that took longest first.
func (s *Statements) Read() []Statement {
	s.mu.RLock()
	list := make([]Statement, 0, len(s.entries))
	for _, e := range s.entries {
		e.mu.Lock()
		if e.statement.Calls > 0 {
			list = append(list, e.statement)
		}
		e.mu.Unlock()
	}
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.ID, b.ID), cmp.Compare(a.User, b.User))
	})
	return list
}
