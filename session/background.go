package session

import (
	"context"
	"sync"
)

// background is what a DB does by itself, besides the sessions.
type background struct {
	mu   sync.Mutex
	ctx  context.Context // of what runs; it ends with the DB
	stop context.CancelFunc
	runs sync.WaitGroup
}

func newBackground() *background {
	b := &background{}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// run runs something in a goroutine of its own until it returns, which it must do when its
// context ends. After Close it says false and does nothing.
func (b *background) run(f func(ctx context.Context)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return false
	}
	b.runs.Go(func() { f(b.ctx) })
	return true
}

// Close ends what the DB does by itself. Its sessions and its store are the caller's to close,
// the store last.
func (db *DB) Close() {
	db.background.mu.Lock()
	db.background.stop()
	db.background.mu.Unlock()
	db.background.runs.Wait()
	if db.shared != nil {
		db.shared.leave()
	}
}
