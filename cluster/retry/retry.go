// Package retry repeats work after a conflict: it decides how often, after which pauses, and in which order.
// Statements of clients run in a `Queue`; background work uses only `Most` and `Pause`. The caller decides what may
// be repeated.
package retry

import (
	"context"
	"errors"
	"sync"
	"time"

	"zproxy/store"
)

const (
	// Most bounds how often the same runs again after conflicts.
	Most = 20
	// patience is after how many of them others are held back.
	patience = 3
	// maxPause bounds the pause between two of them, which keeps processes that share a
	// store out of step.
	maxPause = 64 * time.Millisecond
)

// Queue orders the statements of a process that run again after a conflict, so that they do not get in each other's
// way.
type Queue struct {
	semaphore chan struct{} // holds one such statement
	mu        sync.Mutex
	over      chan struct{} // not nil while the statement in the semaphore insists; closed at its end
}

// NewQueue makes an empty queue.
func NewQueue() *Queue { return &Queue{semaphore: make(chan struct{}, 1)} }

// Run runs a statement alone until it meets no conflict, or has met too many.
func (q *Queue) Run(ctx context.Context, statement func() error) error {
	if err := q.take(ctx); err != nil {
		return err
	}
	defer q.give()
	err := statement()
	for try := 1; errors.Is(err, store.ErrConflict) && try < Most; try++ {
		if try == patience {
			q.insist()
		}
		if err := Pause(ctx, try); err != nil {
			return err
		}
		err = statement()
	}
	return err
}

// take waits for the semaphore.
func (q *Queue) take(ctx context.Context) error {
	select {
	case q.semaphore <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// insist lets no single statement begin to write until the semaphore is released.
func (q *Queue) insist() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over == nil {
		q.over = make(chan struct{})
	}
}

func (q *Queue) give() {
	q.mu.Lock()
	if q.over != nil {
		close(q.over)
		q.over = nil
	}
	q.mu.Unlock()
	<-q.semaphore
}

// Pass waits as long as a statement insists, before another one begins to write.
func (q *Queue) Pass(ctx context.Context) error {
	q.mu.Lock()
	over := q.over
	q.mu.Unlock()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Pause waits for a random time, which doubles with each try.
func Pause(ctx context.Context, try int) error {
	return store.Pause(ctx, try, time.Millisecond, maxPause)
}
