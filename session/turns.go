package session

import (
	"context"
	"sync"
	"time"

	"zproxy/store"
)

const (
	// maxRetries bounds how often a single statement runs again after conflicts.
	maxRetries = 20
	// patience is after how many of them others are held back.
	patience = 3
	// maxPause bounds the pause between two of them, which keeps processes that share a
	// store out of step.
	maxPause = 64 * time.Millisecond
)

// turns order the statements that run again after a conflict.
type turns struct {
	turn chan struct{} // holds one such statement
	mu   sync.Mutex
	over chan struct{} // not nil while the one that has the turn insists; closed at its end
}

func newTurns() *turns { return &turns{turn: make(chan struct{}, 1)} }

// take waits for the turn.
func (t *turns) take(ctx context.Context) error {
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// insist lets no single statement begin to write until the turn is given back.
func (t *turns) insist() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over == nil {
		t.over = make(chan struct{})
	}
}

func (t *turns) give() {
	t.mu.Lock()
	if t.over != nil {
		close(t.over)
		t.over = nil
	}
	t.mu.Unlock()
	<-t.turn
}

// pass waits as long as a statement insists.
func (t *turns) pass(ctx context.Context) error {
	t.mu.Lock()
	over := t.over
	t.mu.Unlock()
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

// pause waits for a random time, which doubles with each try.
func pause(ctx context.Context, try int) error {
	return store.Pause(ctx, try, time.Millisecond, maxPause)
}
