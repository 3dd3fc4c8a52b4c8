package lock

// queue is the owners that wait for a lock, in the order in which they are served.
type queue struct {
	first, last *Owner
	count       [len(modeNames)]int
	modes       modes // those that are waited for
	passed      int   // newcomers that were granted the lock before the first of them
}

// mostPassed is how many newcomers may pass the owners that wait for a row, so that these do not wait for ever.
const mostPassed = 16

// pass says whether a newcomer that conflicts with waiters only is granted the lock. That of a row is, as in
// PostgreSQL.
func (q *queue) pass(c Class) bool {
	if c != Row || q.passed == mostPassed {
		return false
	}
	q.passed++
	return true
}

// request is what an owner asks for of a lock: a mode, until the transaction ends or beyond it.
type request struct {
	mode Mode
	kept bool
}

// waiter is an owner in a queue.
type waiter struct {
	request
	entry      *entry // nil: it does not wait
	upgrades   bool   // it has the lock in another mode
	prev, next *Owner
	visited    uint64 // by the search for a circle with this number
	ahead      uint64 // of the start of this search in its queue, or the start itself
}

// before is the first waiter that conflicts with modes that a newcomer has, who is served before it: that waiter cannot
// be served sooner in any case. ahead are the modes of those before it.
func (q *queue) before(own modes) (before *Owner, ahead modes) {
	if q == nil {
		return nil, 0
	}
	if own == 0 {
		return nil, q.modes
	}
	conflicts := own.conflicts()
	for w := q.first; w != nil; w = w.next {
		if w.mode.bit()&conflicts != 0 {
			return w, ahead
		}
		ahead |= w.mode.bit()
	}
	return nil, ahead
}

// insert adds an owner before another one, or at the end.
func (q *queue) insert(o, before *Owner) {
	o.next, o.prev = before, q.last
	if before != nil {
		o.prev = before.prev
	}
	*q.nextOf(o.prev), *q.prevOf(o.next) = o, o
	q.count[o.mode]++
	q.modes |= o.mode.bit()
}

func (q *queue) remove(o *Owner) {
	*q.nextOf(o.prev), *q.prevOf(o.next) = o.next, o.prev
	o.prev, o.next = nil, nil
	if q.count[o.mode]--; q.count[o.mode] == 0 {
		q.modes &^= o.mode.bit()
	}
}

// nextOf is the link to the owner behind one, or to the first one.
func (q *queue) nextOf(o *Owner) **Owner {
	if o == nil {
		return &q.first
	}
	return &o.next
}

func (q *queue) prevOf(o *Owner) **Owner {
	if o == nil {
		return &q.last
	}
	return &o.prev
}

// enqueue lets an owner wait. hopeless says that it waits for one that waits for it in this queue.
func (e *entry) enqueue(o *Owner, r request) (hopeless bool) {
	if e.queue == nil {
		e.queue = &queue{}
	}
	own, _ := e.held(o)
	before, _ := e.queue.before(own.modes())
	o.request, o.entry, o.upgrades = r, e, own.modes() != 0
	e.queue.insert(o, before)
	for w := before; w != nil && !hopeless; w = w.next {
		hopeless = w.upgrades && w.mode.bit()&own.modes().conflicts() != 0 && e.keepsOut(w, r.mode)
	}
	return hopeless
}

// keepsOut says whether what an owner has conflicts with a mode.
func (e *entry) keepsOut(o *Owner, m Mode) bool {
	own, _ := e.held(o)
	return own.modes()&m.conflicts() != 0
}

// move takes an owner in the queue before another one, or to the end.
func (q *queue) move(o, before *Owner) {
	q.remove(o)
	q.insert(o, before)
}

// leave takes an owner out of the queue.
func (e *entry) leave(o *Owner) {
	e.queue.remove(o)
	o.entry = nil
	if e.queue.first == nil {
		e.queue = nil
	}
}

// serve grants what can be granted, in the order of the queue: a waiter that conflicts with one that waits before it
// keeps waiting.
func (e *entry) serve() {
	if e.queue == nil {
		return
	}
	_, held := e.held(nil)
	var ahead modes
	for w := e.queue.first; w != nil && e.queue.modes&^ahead.conflicts() != 0; {
		next, others := w.next, held
		if w.upgrades {
			_, others = e.held(w)
		}
		if w.mode.conflicts()&(others|ahead) == 0 {
			held |= w.mode.bit()
			e.queue.passed = 0
			e.leave(w)
			e.grant(w, w.request)
			w.granted <- struct{}{}
		} else {
			ahead |= w.mode.bit()
		}
		if e.queue == nil {
			return
		}
		w = next
	}
}
