package executor

import (
	"context"
	"slices"
	"sync/atomic"

	"zproxy/internal/routine"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Workers compute a part of a plan for parts of the range that its scan reads: morsels (Leis, Boncz, Kemper, Neumann:
// Morsel-driven parallelism, 2014). Each takes the next part when it is done with one. The rows come in the order of
// the parts, as if there were no workers.

const (
	// partBatches is how many batches of a part are made before they are consumed.
	partBatches = 64
	// partsAhead is how many parts of each worker are begun before they are consumed.
	partsAhead = 4
)

// gather delivers the rows of its input. Workers compute them if there are any, and more than one part.
func gather(f frame, n plan.Gather) Rows {
	return func(yield func(*types.Batch, error) bool) {
		parts, err := scannedParts(f, n)
		switch {
		case err != nil:
			yield(nil, err)
		case len(parts) < 2:
			f.input(n.Input)(yield)
		default:
			gatherParts(f, n, parts, yield)
		}
	}
}

// gatherParts has workers compute parts.
func gatherParts(f frame, n plan.Gather, parts []store.Range, yield func(*types.Batch, error) bool) {
	sides, err := buildSides(f, n)
	defer sides.close()
	switch {
	case err != nil:
		yield(nil, err)
	case sides.spilled:
		f.input(n.Input)(yield)
	default:
		g := newGathering(f, n, parts)
		defer g.close()
		g.run(yield)
	}
}

// scannedParts divides what the scan of a gather reads; fewer than two parts: it is not divided.
func scannedParts(f frame, n plan.Gather) (parts []store.Range, err error) {
	scan, ok := n.Scan()
	if !ok || f.env.Workers < 2 || f.env.MaxRead > 0 || f.env.MaxUnits > 0 {
		return nil, nil
	}
	at := f
	numbers := pathNumbers(f, n)
	at.number = numbers[len(numbers)-1]
	r, err := newReader(at, scan)
	if err != nil {
		return nil, err
	}
	defer func() {
		if len(parts) < 2 { // the scan counts itself
			r.profile.Scans--
		}
	}()
	if !scan.Access.Divides() || r.keeps() || r.marks.wanted() { // it may have been chosen again
		return nil, nil
	}
	path, _ := scan.Access.Spans()
	spans, sets, err := spanReader{r, path}.spans()
	if err != nil || sets == nil || (spanReader{r, path}).pointwise(spans) {
		return nil, err
	}
	ranges := spanReader{r, path}.rangesOf(spans)
	parts, err = divided(r, ranges)
	if err == nil && len(parts) > 1 {
		err = askForAll(r, ranges)
	}
	return parts, err
}

// pathNumbers are the numbers of the nodes on the path to the scan that is divided.
func pathNumbers(f frame, n plan.Gather) []int {
	_, numbers := n.Path()
	for i := range numbers {
		numbers[i] += f.number
	}
	return numbers
}

// divided are the parts of ranges, in the order in which they are read.
func divided(r *reader, ranges []store.Range) (parts []store.Range, err error) {
	for _, g := range ranges {
		divided, err := r.env.Txn.Divide(r.from.space, g)
		if err != nil {
			return nil, r.storeError(err, "divide", r.from.space.Name)
		}
		if len(divided) == 0 {
			divided = []store.Range{g}
		}
		if r.scan.Access.Reverse {
			slices.Reverse(divided)
		}
		parts = append(parts, divided...)
	}
	return parts, nil
}

// gathering is one run of a gather.
type gathering struct {
	frame
	node     plan.Gather
	parts    []store.Range
	results  []chan aheadBatch // of the parts
	next     atomic.Int64      // the part that is begun next
	window   chan struct{}     // one for each part that is begun and not consumed
	buffered buffered
	stop     context.CancelFunc
	group    routine.Group
	workers  []*worker
	scanned  atomic.Int64 // rows of the scan
}

// worker computes parts.
type worker struct {
	*gathering
	env  *Env  // its own
	part int   // the one that it is at
	done int64 // how many it has begun
}

func newGathering(f frame, n plan.Gather, parts []store.Range) *gathering {
	g := &gathering{frame: f, node: n, parts: parts, results: make([]chan aheadBatch, len(parts))}
	g.buffered.held = f.hold()
	g.ctx, g.stop = context.WithCancel(f.ctx)
	workers := min(f.env.Workers, len(parts))
	g.window = make(chan struct{}, workers*partsAhead)
	for i := range g.results {
		g.results[i] = make(chan aheadBatch, partBatches)
	}
	for range workers {
		w := &worker{gathering: g, env: g.fork()}
		g.workers = append(g.workers, w)
		g.group.Go(w.work, func(err error) { w.send(aheadBatch{err: err}) })
	}
	f.profile().AtOnce = int64(workers)
	return g
}

// fork is the env of a worker.
func (g *gathering) fork() *Env {
	out := fork(g.frame)
	out.built = g.env.built
	if g.env.Saw != nil {
		out.Saw = func(_ plan.Scan, rows int64) { g.scanned.Add(rows) }
	}
	return out
}

// fork is an env for another goroutine, which shares nothing that changes with others but the transaction.
func fork(f frame) *Env {
	e := f.env
	out := &Env{Txn: e.Txn, Expr: e.Expr.Fork(), Store: e.Store, Tables: e.Tables, Profile: e.Profile.Fork(),
		Task: e.Task, Bounds: e.Bounds}
	out.Parallel, out.Workers, out.before, out.pushed = 1, 0, e.before, e.pushed
	if e.Profile == nil {
		out.Total = &plan.NodeProfile{}
	}
	frame{ctx: f.ctx, env: out}.bind()
	return out
}

// endFork counts what the nodes below took in a fork, which ends; once is as for plan.Profile.AddWorker.
func endFork(f frame, fork *Env, below plan.Node, once []int) {
	if f.env.Profile != nil {
		f.env.Profile.AddWorker(fork.Profile, f.number+1, plan.CountNodes(below), once)
	} else {
		f.profile().Add(fork.Total)
	}
	fork.release()
}

// work computes one part after the other.
func (w *worker) work() {
	for w.enter() {
		if w.part = int(w.next.Add(1)) - 1; w.part >= len(w.parts) {
			return
		}
		w.env.part = &w.parts[w.part]
		w.done++
		for batch, err := range rows(frame{ctx: w.ctx, env: w.env, number: w.number + 1}, w.node.Input) {
			if !w.send(w.buffered.take(w.env.Tables, batch, err)) || err != nil {
				return
			}
		}
		close(w.results[w.part])
	}
}

// enter waits until another part may begin; it says false when no more is wanted.
func (w *worker) enter() bool {
	select {
	case w.window <- struct{}{}:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// send hands over a batch of the part, and says whether more is wanted.
func (w *worker) send(b aheadBatch) bool {
	select {
	case w.results[w.part] <- b:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// run delivers the batches of one part after the other.
func (g *gathering) run(yield func(*types.Batch, error) bool) {
	for _, results := range g.results {
		for ended := false; !ended; {
			select {
			case b, ok := <-results:
				if ended = !ok; ok && !g.deliver(b, yield) {
					return
				}
			case <-g.ctx.Done():
				yield(nil, context.Cause(g.ctx))
				return
			}
		}
		<-g.window
	}
}

// deliver hands on a batch, and says whether more is wanted.
func (g *gathering) deliver(b aheadBatch, yield func(*types.Batch, error) bool) bool {
	if b.err == nil {
		b.err = g.canceled()
	}
	if b.err == nil {
		b.err = g.buffered.hold()
	}
	if b.err != nil {
		yield(nil, b.err)
		return false
	}
	defer g.buffered.giveBack(g.env.Tables, b)
	return yield(b.batch, nil)
}

// close ends the workers, and counts what they took.
func (g *gathering) close() {
	g.stop()
	g.group.Wait()
	p := g.profile()
	p.Memory = max(p.Memory, g.buffered.held.bytes)
	g.buffered.held.release()
	once := pathNumbers(g.frame, g.node)
	path, _ := g.node.Path()
	joins := slices.ContainsFunc(path, func(n plan.Node) bool { _, is := n.(plan.Join); return is })
	for _, w := range g.workers {
		if g.env.Profile != nil {
			if total := w.env.Profile.Total(); !joins { // else it is not known which nodes leave rows out
				p.AddLeftOut(&total)
			}
		} else {
			w.env.Total.Scans -= w.done // they are of one scan
		}
		endFork(g.frame, w.env, g.node.Input, once)
	}
	if scan, _ := g.node.Scan(); g.env.Saw != nil && int(g.next.Load()) >= len(g.parts) {
		g.env.Saw(scan, g.scanned.Load())
	}
}
