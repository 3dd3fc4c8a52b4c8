package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"zproxy/internal/routine"
	"zproxy/store"
)

// Background is what a process does by itself for a database, besides its sessions.
type Background struct {
	*running
	ctx  context.Context // of what runs; it ends with the process, or with the database
	stop context.CancelFunc
}

// running is what a process does by itself for all databases.
type running struct {
	mu   sync.Mutex
	runs routine.Group
	log  *slog.Logger
}

func newBackground(log *slog.Logger) *Background {
	return (&running{log: log}).within(context.Background())
}

// within is the part of what runs that ends with a context.
func (r *running) within(ctx context.Context) *Background {
	b := &Background{running: r}
	b.ctx, b.stop = context.WithCancel(ctx)
	return b
}

// End ends what runs, without waiting for that. Nothing begins any more.
func (b *Background) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop()
}

// Run runs something in a goroutine of its own until it returns, which it must do when its
// context ends. After Close or End it says false and does nothing.
func (b *Background) Run(f func(ctx context.Context)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return false
	}
	b.runs.Go(func() { f(b.ctx) }, b.broke)
	return true
}

// Again does something again and again until it says that it is done. A bug does not end that.
func (b *Background) Again(ctx context.Context, pause time.Duration, f func(ctx context.Context)) {
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
func (b *Background) broke(err error) { b.log.Error("a bug in the background", "error", err) }

// Close ends what the process does by itself, and its membership. Its sessions and its store are the caller's to close,
// the store last.
func (n *Node) Close() {
	n.Background.End()
	n.Background.runs.Wait()
	if n.shared != nil {
		n.shared.leave()
	}
}
