package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"zproxy/internal/routine"
	"zproxy/store"
)

// background is what a DB does by itself, besides the sessions.
type background struct {
	mu   sync.Mutex
	ctx  context.Context // of what runs; it ends with the DB
	stop context.CancelFunc
	runs routine.Group
	log  *slog.Logger
}

func newBackground(log *slog.Logger) *background {
	b := &background{log: log}
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
	b.runs.Go(func() { f(b.ctx) }, b.broke)
	return true
}

// again does something again and again until it says that it is done. A bug does not end that.
func (b *background) again(ctx context.Context, pause time.Duration, f func(ctx context.Context)) {
	for store.Sleep(ctx, pause) == nil {
		if err := routine.Do(func() error {
			f(ctx)
			return nil
		}); err != nil {
			b.broke(err)
		}
	}
}

// broke logs a bug in work that no session waits for.
func (b *background) broke(err error) { b.log.Error("a bug in the background", "error", err) }

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
