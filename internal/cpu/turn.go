// Package cpu lets the statements of a process compute in turn, so that short ones need not wait for
// long ones.
//
// The runtime lets a goroutine compute for 10 ms before others that wait for the processor. With twenty long
// statements a short one would wait for each of them, at every step that it takes. So a statement lets others
// run every half a millisecond, and once it has computed for long it does so only in one of the places of a
// Queue, of which there is one for each processor.
package cpu

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// slice is how long a statement computes before it lets others run.
	slice = time.Millisecond / 2
	// short is how long a statement computes without a place.
	short = 20 * time.Millisecond
	// lease is how long it has a place when others wait for one.
	lease = 10 * time.Millisecond
	// away is after how long without a word a statement loses its place: it waits for something else.
	away = 5 * lease
)

// epoch is when the program began; only times since then are compared.
var epoch = time.Now()

func clock() time.Duration { return time.Since(epoch) }

// Turn is the computing of one session. The zero Turn has no queue. A nil Turn does nothing.
type Turn struct {
	queue *Queue
	began atomic.Int64 // clock, when it last let others run

	mu       sync.Mutex // scans that read ahead share the turn of their statement
	computed time.Duration

	since, seen time.Duration // it has its place, and was last heard of; both are the queue's
}

// Join makes a turn one of a queue. It comes before the first statement.
func (t *Turn) Join(q *Queue) { t.queue = q }

// Begin begins a statement.
func (t *Turn) Begin() {
	t.computed = 0
	t.began.Store(int64(clock()))
}

// End ends a statement, and gives its place to another.
func (t *Turn) End() {
	if t.queue != nil && t.computed >= short {
		t.queue.leave(t)
	}
}

// Yield lets others run if the statement has computed for a while. It may wait until ctx ends.
func (t *Turn) Yield(ctx context.Context) {
	if t == nil {
		return
	}
	ran := clock() - time.Duration(t.began.Load())
	if ran <= slice {
		return
	}
	if !t.mu.TryLock() { // another scan of the statement waits
		runtime.Gosched()
		return
	}
	defer t.mu.Unlock()
	t.computed += min(ran, lease) // in more than that it has waited for something
	if t.queue == nil || t.computed < short || !t.queue.pass(ctx, t) {
		runtime.Gosched()
	}
	t.began.Store(int64(clock()))
}

// Queue has the places in which long statements compute.
type Queue struct {
	slots int

	mu      sync.Mutex
	having  []*Turn // a place each
	waiting []*waiter
	waited  int64
}

// waiter is what a turn waits for.
type waiter struct {
	turn  *Turn
	given chan struct{}
}

// NewQueue makes a queue with so many places.
func NewQueue(slots int) *Queue { return &Queue{slots: slots} }

// Counts tell how a queue is used.
type Counts struct {
	Waiting int   // statements
	Waited  int64 // times that one had to wait, since the start
}

// Counts counts.
func (q *Queue) Counts() Counts {
	if q == nil {
		return Counts{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return Counts{Waiting: len(q.waiting), Waited: q.waited}
}

// pass returns when a turn may go on in a place, and says whether it has waited.
func (q *Queue) pass(ctx context.Context, t *Turn) bool {
	q.mu.Lock()
	now := clock()
	for _, other := range q.having {
		if other != t {
			continue
		}
		if t.seen = now; len(q.waiting) == 0 || now-t.since < lease {
			q.mu.Unlock()
			return false
		}
		q.drop(t)
		break
	}
	p := &waiter{turn: t, given: make(chan struct{})}
	q.waiting = append(q.waiting, p)
	q.give()
	select {
	case <-p.given:
		q.mu.Unlock()
		return false
	default:
	}
	q.waited++
	q.mu.Unlock()
	q.wait(ctx, p)
	return true
}

// wait waits for a place, and takes those of others that are away.
func (q *Queue) wait(ctx context.Context, p *waiter) {
	timer := time.NewTicker(away)
	defer timer.Stop()
	for {
		select {
		case <-p.given:
			return
		case <-ctx.Done():
			q.mu.Lock()
			for i, other := range q.waiting {
				if other == p {
					q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
					break
				}
			}
			q.mu.Unlock()
			return
		case <-timer.C:
			q.mu.Lock()
			for i := len(q.having) - 1; i >= 0; i-- {
				if clock()-q.having[i].seen >= away {
					q.drop(q.having[i])
				}
			}
			q.give()
			q.mu.Unlock()
		}
	}
}

// leave gives the place of a turn to another.
func (q *Queue) leave(t *Turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drop(t)
	q.give()
}

// drop takes the place of a turn, if it has one.
func (q *Queue) drop(t *Turn) {
	for i, other := range q.having {
		if other == t {
			q.having = append(q.having[:i], q.having[i+1:]...)
			return
		}
	}
}

// give gives free places to those who have waited for the longest.
func (q *Queue) give() {
	for len(q.waiting) > 0 && len(q.having) < q.slots {
		p := q.waiting[0]
		q.waiting = q.waiting[1:]
		p.turn.since = clock()
		p.turn.seen = p.turn.since
		q.having = append(q.having, p.turn)
		close(p.given)
	}
}
