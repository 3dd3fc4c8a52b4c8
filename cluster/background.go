package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"zproxy/internal/routine"
	"zproxy/store"
)

// Background is what a process does by itself, besides its sessions.
type Background struct {
	mu   sync.Mutex
	ctx  context.Context // of what runs; it ends with the process
	stop context.CancelFunc
	runs routine.Group
	log  *slog.Logger
}

func newBackground(log *slog.Logger) *Background {
	b := &Background{log: log}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Run runs something in a goroutine of its own until it returns, which it must do when its
// context ends. After Close it says false and does nothing.
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
	b := n.Background
	b.mu.Lock()
	b.stop()
	b.mu.Unlock()
	b.runs.Wait()
	if n.shared != nil {
		n.shared.leave()
	}
}
