package lock

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/sqlerr"
)

// An owner that waits checks once whether it is in a circle, as PostgreSQL does: the one whose wait closes a circle
// finds it, at the latest. An owner waits for those that have the lock in a mode that conflicts, and for those before
// it in the queue that ask for one. What is of the second kind may be undone by another order of the queue.

// edge is an owner that waits for another one. It is soft if the other one only is before it in the queue.
type edge struct {
	waiter, blocker *Owner
	soft            bool
}

// search looks for a circle of edges, while all shards are locked.
type search struct {
	of     *Manager
	start  *Owner
	number uint64
	circle []edge
}

// find is a circle that an owner is in, beginning with it, or nil.
func (m *Manager) find(start *Owner) []edge {
	m.searches++
	s := search{of: m, start: start, number: m.searches}
	start.ahead = s.number
	s.leadsBack(start)
	slices.Reverse(s.circle)
	return s.circle
}

// leadsBack says whether an owner waits for the start, perhaps through others.
func (s *search) leadsBack(o *Owner) bool {
	e := o.entry
	if e == nil || o.visited == s.number {
		return false
	}
	o.visited = s.number
	conflicts := o.mode.conflicts()
	for i := range e.holders() {
		s.of.steps++
		h := e.at(i)
		if h.owner != o && h.modes()&conflicts != 0 && s.follow(edge{o, h.owner, false}) {
			return true
		}
	}
	return !s.holdersSuffice(o) && s.leadsBackInQueue(o)
}

// leadsBackInQueue goes to those before an owner in its queue, from the back. One that waits for the same others as
// those already visited behind it needs no visit of its own, so of a long queue a few are visited for each mode, and
// what is before them is of no use but to find the start.
func (s *search) leadsBackInQueue(o *Owner) bool {
	visited, wanted := o.mode.bit(), o.entry.queue.modes&o.mode.conflicts()
	startAhead := s.mayFollow(o)
	for w := o.prev; w != nil && (startAhead || wanted.conflicts()&^visited.conflicts() != 0); w = w.prev {
		s.of.steps++
		if w.mode.bit()&o.mode.conflicts() == 0 || w != s.start && visited.covers(w.mode) {
			continue
		}
		if !startAhead {
			w.ahead = o.ahead
		}
		if s.follow(edge{o, w, true}) {
			return true
		}
		visited |= w.mode.bit()
	}
	return false
}

func (s *search) follow(e edge) bool {
	back := e.blocker == s.start || s.leadsBack(e.blocker)
	if back {
		s.circle = append(s.circle, e)
	}
	return back
}

// holdersSuffice says that those before an owner in the queue lead to no others than it does itself: they wait for
// holders that it waits for, too, and none of them is the start. So a search does not go through a long queue of equal
// requests at all.
func (s *search) holdersSuffice(o *Owner) bool {
	return !s.mayFollow(o) && o.entry.queue.modes.conflicts()&^o.mode.conflicts() == 0
}

// mayFollow says whether an owner may be behind the start in its queue.
func (s *search) mayFollow(o *Owner) bool { return o.entry == s.start.entry && o.ahead != s.number }

// mostMoves is how many queues a search changes one upon the other before it gives up.
const mostMoves = 3

// dissolve makes an owner wait in no circle by moving owners forward in their queues, or leaves the queues as they were
// and gives a circle. A circle that a move makes contains the owner that was moved.
func (m *Manager) dissolve(start *Owner, moved []*Owner) (circle []edge) {
	for _, o := range append(moved, start) {
		if circle = m.find(o); circle != nil {
			break
		}
	}
	if circle == nil || len(moved) == mostMoves {
		return circle
	}
	for _, x := range slices.Backward(circle) { // as PostgreSQL does
		if !x.soft {
			continue
		}
		e, behind := x.waiter.entry, x.waiter.next
		e.queue.move(x.waiter, x.blocker)
		if m.dissolve(start, append(slices.Clone(moved), x.waiter)) == nil {
			e.serve()
			return nil
		}
		e.queue.move(x.waiter, behind)
	}
	return circle
}

// resolve checks whether an owner that waits is in a circle, dissolves it, or takes the owner out of the queue and
// gives an error.
func (m *Manager) resolve(o *Owner) error {
	for i := range m.shards {
		m.shards[i].mu.Lock()
		defer m.shards[i].mu.Unlock()
	}
	if o.entry == nil {
		return nil
	}
	circle := m.dissolve(o, nil)
	if circle == nil {
		return nil
	}
	err := deadlock(circle)
	e := o.entry
	e.leave(o)
	e.serve()
	m.shardOf(e.tag.Class, e.hash).tidy(e)
	return err
}

func deadlock(circle []edge) error {
	var lines []string
	for _, x := range circle {
		mode, of := x.waiter.entry.tag.describe(x.waiter.mode, x.blocker)
		lines = append(lines, fmt.Sprintf("Process %d waits for %s on %s; blocked by process %d.",
			x.waiter.pid, mode, of, x.blocker.pid))
	}
	return sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected").WithDetail("%s", strings.Join(lines, "\n")).
		WithHint("See server log for query details.")
}
