package bounds

import (
	"context"
	"sync"
)

// cancellation is what ends the statement that a session is running. One context serves
// all statements until it is cancelled, since most are over sooner than a context is
// made.
type cancellation struct {
	mu      sync.Mutex
	parent  context.Context
	ctx     context.Context
	cancel  context.CancelCauseFunc
	running bool
	ended   error // why there will be no statement any more; nil: there may be
}

// begin gives the context of a statement, one that is cancelled already after Terminate.
func (c *cancellation) begin(parent context.Context) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil || c.ctx.Err() != nil || c.parent != parent {
		c.close()
		c.parent = parent
		c.ctx, c.cancel = context.WithCancelCause(parent)
	}
	c.running = true
	if c.ended != nil {
		c.cancel(c.ended)
	}
	return c.ctx
}

// end lets requests come too late for the statement.
func (c *cancellation) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = false
}

// Request cancels the statement, if one is running. The next one gets another context.
func (c *cancellation) Request(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.cancel(cause)
	}
}

// Terminate cancels the statement that is running and those that come after it: a client may
// have sent the next one already.
func (c *cancellation) Terminate(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = cause
	if c.running {
		c.cancel(cause)
	}
}

// Cause is why the statement was cancelled, nil when it was not.
func (c *cancellation) Cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return context.Cause(c.ctx)
}

// close gives the context back.
func (c *cancellation) close() {
	if c.cancel != nil {
		c.cancel(nil)
	}
}
