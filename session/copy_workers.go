package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"zproxy/internal/routine"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
)

// crew writes the parts of a load, several at once: one more with each part for which the store has time,
// half as many when it has not.
type crew struct {
	ctx   context.Context
	bound int
	write func(context.Context, *part, *plan.NodeProfile) (int, error)

	mu      sync.Mutex
	changed *sync.Cond
	group   routine.Group
	queue   []*part
	rows    int // of parts in the queue and at work
	bytes   int64
	hands   int // goroutines there are
	busy    int // of them, those that write
	width   int // that may
	ended   bool
	written int64
	used    plan.NodeProfile
	err     error
	doubt   bool // a part that failed may have been written in part
	unhook  func() bool
}

func newCrew(ctx context.Context, bound int, write func(context.Context, *part, *plan.NodeProfile) (int, error)) *crew {
	c := &crew{ctx: ctx, bound: bound, width: min(bound, firstWorkers), write: write}
	c.changed = sync.NewCond(&c.mu)
	c.unhook = context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	return c
}

// failed says whether there is no use in going on.
func (c *crew) failed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over()
}

func (c *crew) over() bool { return c.err != nil || c.ctx.Err() != nil }

// take takes a part, once no more than a window is left to be written. It says false when there is
// no use in it.
func (c *crew) take(p *part) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for (c.rows >= windowRows || c.bytes >= windowBytes) && !c.over() {
		c.changed.Wait()
	}
	if c.over() {
		return false
	}
	c.queue, c.rows, c.bytes = append(c.queue, p), c.rows+len(p.rows), c.bytes+p.bytes
	if c.hands < c.width {
		c.hands++
		c.group.Go(c.work, c.broke)
	}
	c.changed.Broadcast()
	return true
}

// finish waits for what is left to be written, or when the data has ended with an error, gives it up. It
// says how many rows were written, what that took, and why not all.
func (c *crew) finish(giveUp bool) (int64, plan.NodeProfile, error) {
	c.mu.Lock()
	c.ended = true
	if giveUp && c.err == nil && c.ctx.Err() == nil {
		c.queue = slices.DeleteFunc(c.queue, func(p *part) bool { return p.tries == 0 }) // what was begun is finished, so that it is known
	}
	c.changed.Broadcast()
	c.mu.Unlock()
	c.group.Wait()
	c.unhook()
	c.doubt = c.doubt || slices.ContainsFunc(c.queue, func(p *part) bool { return p.doubt })
	err := c.err
	if err == nil && c.ctx.Err() != nil {
		err = context.Cause(c.ctx)
	}
	return c.written, c.used, err
}

// work writes parts until there are no more.
func (c *crew) work() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for !c.over() && (len(c.queue) == 0 && !c.ended || len(c.queue) > 0 && c.busy >= c.width) {
			c.changed.Wait()
		}
		if c.over() || len(c.queue) == 0 {
			return
		}
		p := c.queue[0]
		c.queue = c.queue[1:]
		c.busy++
		c.mu.Unlock()
		n, used, err := c.try(p)
		c.mu.Lock()
		c.busy--
		c.settle(p, n, used, err)
		c.changed.Broadcast()
	}
}

// broke gives a load up after a bug.
func (c *crew) broke(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = cmp.Or(c.err, err)
	c.changed.Broadcast()
}

// try makes one try at a part. A bug is the error of that.
func (c *crew) try(p *part) (n int, used plan.NodeProfile, err error) {
	err = routine.Do(func() (err error) {
		if p.tries > 0 {
			if err := pause(c.ctx, p.tries); err != nil {
				return err
			}
		}
		n, err = c.write(c.ctx, p, &used)
		return err
	})
	return n, used, err
}

// settle notes how a try at a part has ended. What may succeed later is tried again, and what is too
// large in pieces.
func (c *crew) settle(p *part, n int, used plan.NodeProfile, err error) {
	c.used.Add(&used)
	noTime := errors.Is(err, store.ErrBusy) || unanswered(err)
	switch {
	case noTime || used.Stats.Throttled > 0:
		c.width = max(c.width/2, 1)
	case err == nil:
		c.width = min(c.width+1, c.bound)
	}
	// What was given up may still arrive, and a row of the part look taken that it has put itself.
	late := p.doubt && sqlerr.Has(err, sqlerr.UniqueViolation)
	retry := noTime || late || errors.Is(err, store.ErrConflict)
	switch {
	case err == nil:
		c.rows, c.bytes = c.rows-n, c.bytes-p.bytes
		c.written += int64(n)
	case retry && p.tries < maxRetries:
		p.tries++
		c.queue = slices.Insert(c.queue, 0, p)
	case errors.Is(err, store.ErrTooLarge) && len(p.rows) > 1:
		c.queue = slices.Insert(c.queue, 0, p.cut(err)...)
	default:
		c.doubt = c.doubt || p.doubt
		if c.err == nil {
			c.err = err
		}
	}
}

// cut makes pieces of a part that is too large: such as an error says, or halves.
func (p *part) cut(err error) (pieces []*part) {
	most := (len(p.rows) + 1) / 2
	if many := (*tooMany)(nil); errors.As(err, &many) {
		most = many.most
	}
	for rows := range slices.Chunk(p.rows, most) {
		piece := newPart(rows)
		piece.doubt, piece.tries = p.doubt, p.tries
		pieces = append(pieces, piece)
	}
	return pieces
}

// unanswered says whether a store gave no answer for as long as it was waited for, which it may have
// time for when fewer ask. What it does not allow, or from credentials that it does not accept, it will
// not allow by waiting.
func unanswered(err error) bool {
	return (errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrUnknown)) && !errors.As(err, new(*store.Denied))
}
