package copy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/internal/routine"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
)

// workerPool writes the parts of a load, several at once.
type workerPool struct {
	ctx    context.Context
	write  func(context.Context, *part, *plan.NodeProfile) (int, error)
	unhook func() bool
	group  routine.Group

	mu      sync.Mutex
	changed *sync.Cond
	workers int // goroutines there are
	busy    int // of them, those that write
	limit   limit
	charge  int64 // write units that the load may be charged; 0: any number
	backlog backlog
	ended   bool // nothing more is taken
	done    outcome
}

// limit is how many workers may write at once: one more with each part for which the store has time, half as many when
// it has not.
type limit struct{ now, most int }

func (l *limit) rise() { l.now = min(l.now+1, l.most) }

func (l *limit) halve() { l.now = max(l.now/2, 1) }

// backlog is the parts that are to be written.
type backlog struct {
	queue []*part
	rows  int // of parts in the queue and at work
	bytes int64
}

// full says whether no other part may wait.
func (b *backlog) full() bool { return b.rows >= windowRows || b.bytes >= windowBytes }

// add takes a part that is new.
func (b *backlog) add(p *part) {
	b.queue, b.rows, b.bytes = append(b.queue, p), b.rows+len(p.rows), b.bytes+p.bytes
}

// next gives the part that is to be written next.
func (b *backlog) next() *part {
	p := b.queue[0]
	b.queue = b.queue[1:]
	return p
}

// again takes parts that were at work, before all others.
func (b *backlog) again(parts ...*part) { b.queue = slices.Insert(b.queue, 0, parts...) }

// wrote forgets a part, whose rows were written.
func (b *backlog) wrote(p *part, rows int) { b.rows, b.bytes = b.rows-rows, b.bytes-p.bytes }

// outcome is what has come of a load.
type outcome struct {
	written int64 // rows
	used    plan.NodeProfile
	err     error // nil: all parts were written
	doubt   bool  // a part that failed may have been written in part
}

func newWorkerPool(
	ctx context.Context, most int, write func(context.Context, *part, *plan.NodeProfile) (int, error),
) *workerPool {
	w := &workerPool{ctx: ctx, write: write, limit: limit{now: min(most, firstWorkers), most: most}}
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

func (w *workerPool) over() bool { return w.done.err != nil || w.ctx.Err() != nil }

// take takes a part, once no more than a window is left to be written. It says false when there is
// no use in it.
func (w *workerPool) take(p *part) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.backlog.full() && !w.over() {
		w.changed.Wait()
	}
	if w.over() {
		return false
	}
	w.backlog.add(p)
	if w.workers < w.limit.now {
		w.workers++
		w.group.Go(w.work, w.broke)
	}
	w.changed.Broadcast()
	return true
}

// finish waits for what is left to be written, or when the data has ended with an error, gives it up.
func (w *workerPool) finish(giveUp bool) *outcome {
	w.mu.Lock()
	w.ended = true
	queue := &w.backlog.queue
	if giveUp && !w.over() { // what was begun is finished, so that it is known
		*queue = slices.DeleteFunc(*queue, func(p *part) bool { return p.tries == 0 })
	}
	w.changed.Broadcast()
	w.mu.Unlock()
	w.group.Wait()
	w.unhook()
	done := &w.done
	done.doubt = done.doubt || slices.ContainsFunc(*queue, func(p *part) bool { return p.doubt })
	if done.err == nil && w.ctx.Err() != nil {
		done.err = context.Cause(w.ctx)
	}
	return done
}

// work writes parts until there are no more.
func (w *workerPool) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for !w.over() && !w.ready() {
			w.changed.Wait()
		}
		if w.over() || len(w.backlog.queue) == 0 {
			return
		}
		p := w.backlog.next()
		w.busy++
		w.mu.Unlock()
		n, used, err := w.try(p)
		w.mu.Lock()
		w.busy--
		w.account(p, n, used, err)
		w.changed.Broadcast()
	}
}

// ready says whether a worker that is idle has something to do: to write a part, or to end.
func (w *workerPool) ready() bool {
	if len(w.backlog.queue) == 0 {
		return w.ended
	}
	return w.busy < w.limit.now
}

// broke gives a load up after a bug.
func (w *workerPool) broke(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done.err = cmp.Or(w.done.err, err)
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
	done := &w.done
	done.used.Add(&used)
	noTime := errors.Is(err, store.ErrBusy) || unanswered(err)
	switch {
	case noTime || used.Stats.Throttled > 0:
		w.limit.halve()
	case err == nil:
		w.limit.rise()
	}
	// What was given up may still arrive, and a row of the part look taken that it has put itself.
	late := p.doubt && sqlerr.Has(err, sqlerr.UniqueViolation)
	again := noTime || late || errors.Is(err, store.ErrConflict) && !errors.Is(err, lock.ErrAwaited)
	switch {
	case err == nil:
		w.backlog.wrote(p, n)
		done.written += int64(n)
		w.tooDear()
	case again && p.tries < retry.Most:
		p.tries++
		w.backlog.again(p)
	case errors.Is(err, store.ErrTooLarge) && len(p.rows) > 1:
		w.backlog.again(p.cut(err)...)
	default:
		done.doubt = done.doubt || p.doubt
		if done.err == nil {
			done.err = err
		}
	}
}

// tooDear ends a load that has been charged more than it may, unless all of it is written.
func (w *workerPool) tooDear() {
	units := w.done.used.Stats.WriteUnits
	if w.charge == 0 || units <= float64(w.charge) || w.done.err != nil || w.ended && w.backlog.rows == 0 {
		return
	}
	w.done.err = sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement was charged %g write units, more than %d",
		units, w.charge).
		WithDetail("The limit is the setting zproxy.max_write_units.").
		WithHint("SET zproxy.max_write_units = 0 lifts the limit.")
}

// unanswered says whether a store gave no answer for as long as it was waited for, which it may have
// time for when fewer ask. What it does not allow, or from credentials that it does not accept, it will
// not allow by waiting.
func unanswered(err error) bool {
	return (errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrUnknown)) &&
		!errors.As(err, new(*store.Denied))
}

// counted is an error with how many rows are there in spite of it, if any are.
func (o *outcome) counted(err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || o.written == 0 && !o.doubt {
		return err
	}
	text := fmt.Sprintf("%d rows were written.", o.written)
	if o.doubt {
		text = fmt.Sprintf("At least %d rows were written.", o.written)
	}
	if e.Detail != "" {
		text = e.Detail + "\n" + text
	}
	counted := e.WithDetail("%s", text)
	var line *executor.LineError
	if errors.As(err, &line) {
		return executor.AtLine(counted, line.Line)
	}
	return counted
}
