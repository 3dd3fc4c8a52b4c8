package bounds

import (
	"context"
	"errors"
	"testing"
)

// TestCancellation cancels before, in and after statements: only the one that runs ends.
func TestCancellation(t *testing.T) {
	cause := errors.New("cancelled")
	var c cancellation
	first := c.begin(t.Context())
	c.end()
	c.Request(cause)
	if second := c.begin(t.Context()); second != first || second.Err() != nil {
		t.Errorf("a late request has cancelled the next statement: %v", context.Cause(second))
	}
	c.Request(cause)
	if got := context.Cause(first); got != cause {
		t.Errorf("a request in time has cancelled with the cause %v", got)
	}
	c.end()
	third := c.begin(t.Context())
	if third.Err() != nil {
		t.Error("a statement after a cancelled one is cancelled")
	}
	other, stop := context.WithCancel(t.Context())
	stop()
	if c.begin(other).Err() == nil || third.Err() == nil {
		t.Error("a statement of another parent has the context of the first")
	}
	c.close()
}

// TestTermination ends the statement that runs and those after it.
func TestTermination(t *testing.T) {
	cause := errors.New("terminated")
	var between, running cancellation
	between.begin(t.Context())
	between.end()
	between.Terminate(cause)
	if got := context.Cause(between.begin(t.Context())); got != cause {
		t.Errorf("a statement that had been sent before the end has the cause %v", got)
	}
	ctx := running.begin(t.Context())
	running.Terminate(cause)
	if got := context.Cause(ctx); got != cause {
		t.Errorf("the statement that runs has the cause %v", got)
	}
}
