package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"zproxy/cluster/retry"
	"zproxy/internal/routine"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
)

// workerPool writes the parts of a load, several at once: one more with each part for which the store has time,
// half as many when it has not.
type workerPool struct {
	ctx   context.Context
	bound int
	write func(context.Context, *part, *plan.NodeProfile) (int, error)

	mu      sync.Mutex
	changed *sync.Cond
	group   routine.Group
	queue   []*part
	rows    int // of parts in the queue and at work
	bytes   int64
	workers int // goroutines there are
	busy    int // of them, those that write
	width   int // that may
	ended   bool
	written int64
	used    plan.NodeProfile
	err     error
	doubt   bool // a part that failed may have been written in part
	unhook  func() bool
}

func newWorkerPool(ctx context.Context, bound int, write func(context.Context, *part, *plan.NodeProfile) (int, error)) *workerPool {
	w := &workerPool{ctx: ctx, bound: bound, width: min(bound, firstWorkers), write: write}
	w.changed = sync.NewCond(&w.mu)
	w.unhook = context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changed.Broadcast()
	})
	return w
}

// failed says whether there is no use in going on.
func (w *workerPool) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over()
}

func (w *workerPool) over() bool { return w.err != nil || w.ctx.Err() != nil }

// take takes a part, once no more than a window is left to be written. It says false when there is
// no use in it.
func (w *workerPool) take(p *part) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for (w.rows >= windowRows || w.bytes >= windowBytes) && !w.over() {
		w.changed.Wait()
	}
	if w.over() {
		return false
	}
	w.queue, w.rows, w.bytes = append(w.queue, p), w.rows+len(p.rows), w.bytes+p.bytes
	if w.workers < w.width {
		w.workers++
		w.group.Go(w.work, w.broke)
	}
	w.changed.Broadcast()
	return true
}

// finish waits for what is left to be written, or when the data has ended with an error, gives it up. It
// says how many rows were written, what that took, and why not all.
func (w *workerPool) finish(giveUp bool) (int64, plan.NodeProfile, error) {
	w.mu.Lock()
	w.ended = true
	if giveUp && w.err == nil && w.ctx.Err() == nil {
		w.queue = slices.DeleteFunc(w.queue, func(p *part) bool { return p.tries == 0 }) // what was begun is finished, so that it is known
	}
	w.changed.Broadcast()
	w.mu.Unlock()
	w.group.Wait()
	w.unhook()
	w.doubt = w.doubt || slices.ContainsFunc(w.queue, func(p *part) bool { return p.doubt })
	err := w.err
	if err == nil && w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	return w.written, w.used, err
}

// work writes parts until there are no more.
func (w *workerPool) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for !w.over() && (len(w.queue) == 0 && !w.ended || len(w.queue) > 0 && w.busy >= w.width) {
			w.changed.Wait()
		}
		if w.over() || len(w.queue) == 0 {
			return
		}
		p := w.queue[0]
		w.queue = w.queue[1:]
		w.busy++
		w.mu.Unlock()
		n, used, err := w.try(p)
		w.mu.Lock()
		w.busy--
		w.account(p, n, used, err)
		w.changed.Broadcast()
	}
}

// broke gives a load up after a bug.
func (w *workerPool) broke(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
	w.changed.Broadcast()
}

// try makes one try at a part. A bug is the error of that.
func (w *workerPool) try(p *part) (n int, used plan.NodeProfile, err error) {
	err = routine.Do(func() (err error) {
		if p.tries > 0 {
			if err := retry.Pause(w.ctx, p.tries); err != nil {
				return err
			}
		}
		n, err = w.write(w.ctx, p, &used)
		return err
	})
	return n, used, err
}

// account notes how a try at a part has ended. What may succeed later is tried again, and what is too
// large in pieces.
func (w *workerPool) account(p *part, n int, used plan.NodeProfile, err error) {
	w.used.Add(&used)
	noTime := errors.Is(err, store.ErrBusy) || unanswered(err)
	switch {
	case noTime || used.Stats.Throttled > 0:
		w.width = max(w.width/2, 1)
	case err == nil:
		w.width = min(w.width+1, w.bound)
	}
	// What was given up may still arrive, and a row of the part look taken that it has put itself.
	late := p.doubt && sqlerr.Has(err, sqlerr.UniqueViolation)
	again := noTime || late || errors.Is(err, store.ErrConflict)
	switch {
	case err == nil:
		w.rows, w.bytes = w.rows-n, w.bytes-p.bytes
		w.written += int64(n)
	case again && p.tries < retry.Most:
		p.tries++
		w.queue = slices.Insert(w.queue, 0, p)
	case errors.Is(err, store.ErrTooLarge) && len(p.rows) > 1:
		w.queue = slices.Insert(w.queue, 0, p.cut(err)...)
	default:
		w.doubt = w.doubt || p.doubt
		if w.err == nil {
			w.err = err
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
