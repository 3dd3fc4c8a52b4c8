// Package cpu schedules the statements of a process on its processors, so that short ones need not wait for
// long ones.
//
// The runtime lets a goroutine compute for 10 ms before others that wait for the processor. With twenty long
// statements a short one would wait for each of them, at every step that it takes. So a statement yields every
// half a millisecond. Once it has computed for long it needs a slot of the Scheduler to go on, of which there is
// one for each processor.
package cpu

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// slice is how long a statement computes before it lets others run.
	slice = time.Millisecond / 2
	// short is how long a statement computes without a slot.
	short = 20 * time.Millisecond
	// lease is how long it keeps a slot when others wait for one.
	lease = 10 * time.Millisecond
	// away is after how long without a word a statement loses its slot: it waits for something else.
	away = 5 * lease
)

// epoch is when the program began; only times since then are compared.
var epoch = time.Now()

func clock() time.Duration { return time.Since(epoch) }

// Task is the computing of one session. The zero Task has no scheduler. A nil Task does nothing.
type Task struct {
	scheduler *Scheduler
	began     atomic.Int64 // clock, when it last let others run

	mu       sync.Mutex // scans that read ahead share the task of their statement
	computed time.Duration

	since, seen time.Duration // it has its slot, and yielded last; both are the scheduler's
}

// Join makes a task one of a scheduler. It comes before the first statement.
func (t *Task) Join(s *Scheduler) { t.scheduler = s }

// Begin begins a statement.
func (t *Task) Begin() {
	t.computed = 0
	t.began.Store(int64(clock()))
}

// End ends a statement, and gives its slot to another.
func (t *Task) End() {
	if t.scheduler != nil && t.computed >= short {
		t.scheduler.leave(t)
	}
}

// Yield lets others run if the statement has computed for a while. It may wait until ctx ends.
func (t *Task) Yield(ctx context.Context) {
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
	if t.scheduler == nil || t.computed < short || !t.scheduler.pass(ctx, t) {
		runtime.Gosched()
	}
	t.began.Store(int64(clock()))
}

// Scheduler has the slots in which long statements compute.
type Scheduler struct {
	slots int

	mu      sync.Mutex
	running []*Task // a slot each
	waiting []*waiter
	waited  int64
}

// waiter is a task that waits for a slot.
type waiter struct {
	task  *Task
	given chan struct{}
}

// NewScheduler makes a scheduler with so many slots.
func NewScheduler(slots int) *Scheduler { return &Scheduler{slots: slots} }

// Counts tell how a scheduler is used.
type Counts struct {
	Waiting int   // statements
	Waited  int64 // times that one had to wait, since the start
}

// Counts counts.
func (s *Scheduler) Counts() Counts {
	if s == nil {
		return Counts{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Counts{Waiting: len(s.waiting), Waited: s.waited}
}

// pass returns when a task may go on in a slot, and says whether it has waited.
func (s *Scheduler) pass(ctx context.Context, t *Task) bool {
	s.mu.Lock()
	now := clock()
	for _, other := range s.running {
		if other != t {
			continue
		}
		if t.seen = now; len(s.waiting) == 0 || now-t.since < lease {
			s.mu.Unlock()
			return false
		}
		s.drop(t)
		break
	}
	p := &waiter{task: t, given: make(chan struct{})}
	s.waiting = append(s.waiting, p)
	s.give()
	select {
	case <-p.given:
		s.mu.Unlock()
		return false
	default:
	}
	s.waited++
	s.mu.Unlock()
	s.wait(ctx, p)
	return true
}

// wait waits for a slot, and takes those of others that are away.
func (s *Scheduler) wait(ctx context.Context, p *waiter) {
	timer := time.NewTicker(away)
	defer timer.Stop()
	for {
		select {
		case <-p.given:
			return
		case <-ctx.Done():
			s.mu.Lock()
			for i, other := range s.waiting {
				if other == p {
					s.waiting = slices.Delete(s.waiting, i, i+1)
					break
				}
			}
			s.mu.Unlock()
			return
		case <-timer.C:
			s.mu.Lock()
			for i := len(s.running) - 1; i >= 0; i-- {
				if clock()-s.running[i].seen >= away {
					s.drop(s.running[i])
				}
			}
			s.give()
			s.mu.Unlock()
		}
	}
}

// leave gives the slot of a task to another.
func (s *Scheduler) leave(t *Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(t)
	s.give()
}

// drop takes the slot of a task, if it has one.
func (s *Scheduler) drop(t *Task) {
	for i, other := range s.running {
		if other == t {
			s.running = slices.Delete(s.running, i, i+1)
			return
		}
	}
}

// give gives free slots to those who have waited for the longest.
func (s *Scheduler) give() {
	for len(s.waiting) > 0 && len(s.running) < s.slots {
		p := s.waiting[0]
		s.waiting = s.waiting[1:]
		p.task.since = clock()
		p.task.seen = p.task.since
		s.running = append(s.running, p.task)
		close(p.given)
	}
}
