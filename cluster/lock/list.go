package lock

import (
	"fmt"
	"slices"
	"time"
)

// Waiting is what an owner waits for.
type Waiting struct {
	Tag   Tag
	Mode  Mode
	Since time.Time
}

// Lock is a mode of a lock that an owner has or waits for.
type Lock struct {
	Waiting // Since is zero for one that is granted
	PID     uint32
	Granted bool
	// Transaction is the number of the owner's, and Blocker of one that it waits for.
	Transaction, Blocker uint64
}

// Slow is a wait that takes long.
type Slow struct {
	PID            uint32
	Mode, Of       string // in PostgreSQL's words
	After          time.Duration
	Acquired       bool     // at last
	Holders, Queue []uint32 // processes that have the lock, and that wait for it
}

// String is what PostgreSQL writes to its log.
func (s Slow) String() string {
	verb := "still waiting for"
	if s.Acquired {
		verb = "acquired"
	}
	ms := float64(s.After) / float64(time.Millisecond)
	return fmt.Sprintf("process %d %s %s on %s after %.3f ms", s.PID, verb, s.Mode, s.Of, ms)
}

func (m *Manager) arrive(o *Owner, w *Waiting) {
	o.waiting.Store(w)
	m.waitersMu.Lock()
	defer m.waitersMu.Unlock()
	m.waiters[o] = struct{}{}
}

func (m *Manager) depart(o *Owner) {
	o.waiting.Store(nil)
	m.waitersMu.Lock()
	defer m.waitersMu.Unlock()
	delete(m.waiters, o)
}

// Waiting is what the owner waits for. Other goroutines may ask.
func (o *Owner) Waiting() (Waiting, bool) {
	if w := o.waiting.Load(); w != nil {
		return *w, true
	}
	return Waiting{}, false
}

// Each calls f for the locks that owners have or wait for; of the locks of rows only for those that are waited for. The
// shards are read one after the other, so what is listed need not have been true at one time.
func (m *Manager) Each(f func(Lock)) {
	var list []Lock
	for i := range m.shards[rowShards:] {
		s := &m.shards[rowShards+i]
		s.mu.Lock()
		for e := range s.entries() {
			list = e.list(list)
		}
		s.mu.Unlock()
	}
	for t := range m.rowsWaitedFor() {
		hash := t.hash()
		s := m.shardOf(t.Class, hash)
		s.mu.Lock()
		if e := s.find(t, hash); e != nil && e.queue != nil {
			list = e.list(list)
		}
		s.mu.Unlock()
	}
	for _, l := range list {
		f(l)
	}
}

func (m *Manager) rowsWaitedFor() map[Tag]struct{} {
	m.waitersMu.Lock()
	defer m.waitersMu.Unlock()
	out := map[Tag]struct{}{}
	for o := range m.waiters {
		if w, ok := o.Waiting(); ok && w.Tag.Class == Row {
			out[w.Tag] = struct{}{}
		}
	}
	return out
}

// list adds what owners have of the lock and wait for.
func (e *entry) list(out []Lock) []Lock {
	for i := range e.holders() {
		h := e.at(i)
		for m := range Mode(len(modeNames)) {
			if h.modes()&m.bit() != 0 {
				out = append(out, Lock{Waiting: Waiting{Tag: e.tag, Mode: m}, PID: h.owner.pid, Granted: true,
					Transaction: h.owner.number()})
			}
		}
	}
	if e.queue == nil {
		return out
	}
	for w := e.queue.first; w != nil; w = w.next {
		l := Lock{Waiting: Waiting{Tag: e.tag, Mode: w.mode}, PID: w.pid, Transaction: w.number()}
		if since, ok := w.Waiting(); ok {
			l.Since = since.Since
		}
		if blockers := e.blockers(w); blockers != nil {
			l.Blocker = blockers[0].number()
		}
		out = append(out, l)
	}
	return out
}

// blockers are the owners that an owner in the queue waits for: first those that have the lock.
func (e *entry) blockers(o *Owner) (out []*Owner) {
	for i := range e.holders() {
		if h := e.at(i); h.owner != o && h.modes()&o.mode.conflicts() != 0 {
			out = append(out, h.owner)
		}
	}
	for w := e.queue.first; w != o; w = w.next {
		if w.mode.bit()&o.mode.conflicts() != 0 {
			out = append(out, w)
		}
	}
	return out
}

// Blocking are the processes for which one waits, in order.
func (m *Manager) Blocking(pid uint32) (out []uint32) {
	for _, o := range m.waitersOf(pid) {
		w, _ := o.Waiting()
		hash := w.Tag.hash()
		s := m.shardOf(w.Tag.Class, hash)
		s.mu.Lock()
		if e := s.find(w.Tag, hash); e != nil && e.waits(o) {
			out = append(out, pids(e.blockers(o))...)
		}
		s.mu.Unlock()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (m *Manager) waitersOf(pid uint32) (out []*Owner) {
	m.waitersMu.Lock()
	defer m.waitersMu.Unlock()
	for o := range m.waiters {
		if o.pid == pid {
			out = append(out, o)
		}
	}
	return out
}

// waits says whether an owner is in the queue. What it waits for may be known from before.
func (e *entry) waits(o *Owner) bool {
	if e.queue != nil {
		for w := e.queue.first; w != nil; w = w.next {
			if w == o {
				return true
			}
		}
	}
	return false
}

func pids(of []*Owner) (out []uint32) {
	for _, o := range of {
		out = append(out, o.pid)
	}
	return out
}

// reporter reports that an owner waits long, and that it has got the lock then.
func (o *Owner) reporter(w Wait) func(acquired bool) {
	waiting, _ := o.Waiting()
	if w.Slow == nil {
		return func(bool) {}
	}
	report := o.slow(waiting)
	return func(acquired bool) {
		report.Acquired, report.After = acquired, time.Since(waiting.Since)
		w.Slow(report)
	}
}

func (o *Owner) slow(waiting Waiting) Slow {
	hash := waiting.Tag.hash()
	s := o.manager.shardOf(waiting.Tag.Class, hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	out, blocker := Slow{PID: o.pid}, o
	if o.entry != nil {
		blocker = append(o.entry.blockers(o), o)[0]
		for i := range o.entry.holders() {
			out.Holders = append(out.Holders, o.entry.at(i).owner.pid)
		}
		for w := o.entry.queue.first; w != nil; w = w.next {
			out.Queue = append(out.Queue, w.pid)
		}
	}
	out.Mode, out.Of = waiting.Tag.describe(waiting.Mode, blocker)
	return out
}
