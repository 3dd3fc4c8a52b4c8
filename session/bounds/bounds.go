// Package bounds limits the statement that a session runs: cancel requests and timeouts, which end it, and its
// memory and time on the processors. It knows nothing of what the statement does.
//
// Read `Bounds` first. What is charged is in session/charge, the pool in internal/memory, the scheduler in
// internal/cpu.
package bounds

import (
	"context"
	"errors"
	"time"

	"zproxy/cluster/build"
	"zproxy/expr"
	"zproxy/expr/work"
	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/session/charge"
	"zproxy/sqlerr"
)

// Bounds are those of the statements of a session, one after the other.
type Bounds struct {
	Memory memory.Account
	Task   cpu.Task
	Made   charge.Making // by the statement that runs, before its plan does
	Work   *expr.Context // counts and charges what is computed before its plan runs

	cancellation
	expiry
	clients *build.Clients
	ctx     context.Context // of the statement that runs; nil: none does
	end     func()          // ends a statement that has no timeout
}

// Begin makes the bounds of a session that takes memory of a pool and computes in a queue; clients counts its
// statements.
func (b *Bounds) Begin(pool *memory.Pool, scheduler *cpu.Scheduler, clients *build.Clients) {
	b.Memory, b.clients, b.end = pool.Account(), clients, b.ends
	b.Task.Join(scheduler)
	b.Made.Account = &b.Memory
	b.Work = &expr.Context{Meter: work.Meter{Interrupt: b.Interrupted, Memory: &b.Made}}
}

// Watch gives the context of one statement, which a cancel request or a timeout ends; a limit of 0 is none.
func (b *Bounds) Watch(ctx context.Context, limit time.Duration) (_ context.Context, end func()) {
	ctx = b.cancellation.begin(ctx)
	b.clients.BeginStatement()
	b.ctx = ctx
	b.Work.Begin()
	b.Task.Begin()
	if limit <= 0 {
		b.Memory.Begin(ctx)
		return ctx, b.end
	}
	timeout := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout")
	ctx, done := context.WithTimeoutCause(ctx, limit, timeout)
	b.ctx = ctx
	b.Memory.Begin(ctx)
	return ctx, func() { done(); b.end() }
}

func (b *Bounds) ends() {
	b.clients.EndStatement()
	b.Task.End()
	b.ctx = nil
	b.Made.End()
	b.Memory.End()
	b.cancellation.end()
}

// Context is that of the statement that runs, as far as one does.
func (b *Bounds) Context() context.Context {
	if b.ctx != nil {
		return b.ctx
	}
	return context.Background()
}

// Interrupted is why the statement that runs is to end, nil when it is not, or none runs.
func (b *Bounds) Interrupted() error {
	if b.ctx == nil {
		return nil
	}
	b.Task.Yield(b.ctx)
	cause := context.Cause(b.ctx)
	if cause != nil && !errors.As(cause, new(*sqlerr.Error)) {
		return sqlerr.Wrap(cause, sqlerr.QueryCanceled, "canceling statement due to user request")
	}
	return cause
}

// GrowMessage charges the session for a message of the client before it is read. The context ends the
// waiting for memory.
func (b *Bounds) GrowMessage(ctx context.Context, bytes int64) error {
	b.Memory.Begin(ctx)
	defer b.Memory.End()
	return b.Memory.Grow(bytes)
}

// ShrinkMessage gives back what GrowMessage charged.
func (b *Bounds) ShrinkMessage(bytes int64) { b.Memory.Shrink(bytes) }

// Close gives back everything, at the end of the session.
func (b *Bounds) Close() {
	b.cancellation.close()
	b.EndTransaction()
	b.Memory.Close()
}
