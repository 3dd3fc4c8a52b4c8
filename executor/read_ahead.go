package executor

import (
	"context"
	"sync"

	"zproxy/internal/routine"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// readAhead is how many batches of a stream are asked for before the one at hand is done.
const readAhead = 2

// ahead reads streams in goroutines, each a little ahead of the consumer. It counts for the
// node and holds memory only in the goroutine of the consumer.
type ahead struct {
	*reader
	stop     context.CancelFunc
	ranges   [][]store.Range
	streams  []*aheadStream // nil: it has not begun, or is at its end
	begun    int            // streams that have begun: the first ones
	group    routine.Group
	scans    chan struct{} // one for each scan that is under way
	buffered buffered
	mu       sync.Mutex
	atOnce   int
}

// aheadStream is one stream. The consumer asks for batches, and gets them in their order.
type aheadStream struct {
	asks    chan struct{}
	asked   int // batches that were asked for and have not come
	got     chan aheadBatch
	now     aheadBatch // what the consumer has
	taken   int        // batches that have come
	profile plan.NodeProfile
}

// ahead prepares to read streams, scans of them at once.
func (r *reader) ahead(streams [][]store.Range, scans int) *ahead {
	wide := *r
	wide.first = nil // which is that of one goroutine
	a := &ahead{reader: &wide, ranges: streams, streams: make([]*aheadStream, len(streams))}
	a.scans, a.buffered.held = make(chan struct{}, scans), r.hold()
	a.ctx, a.stop = context.WithCancel(r.ctx)
	return a
}

// begin begins to read the next stream.
func (a *ahead) begin(enough int) {
	s := &aheadStream{asks: make(chan struct{}, readAhead), got: make(chan aheadBatch, readAhead)}
	ranges := a.ranges[a.begun]
	a.streams[a.begun] = s
	a.begun++
	r := *a.reader
	r.profile = &s.profile
	a.partition = ranges[len(ranges)-1].Partition
	a.ask(s)
	a.group.Go(func() { a.run(s, r.sequence(ranges, enough)) }, func(err error) {
		defer close(s.got) // in rows: a scan is under way, and a batch was asked for
		<-a.scans
		s.got <- aheadBatch{err: err}
	})
}

// run reads a stream, batch by batch as it is asked to. The batches of the store are its own,
// so they are copied.
func (a *ahead) run(s *aheadStream, rows Rows) {
	if !a.enter(s) {
		close(s.got)
		return
	}
	for batch, err := range rows {
		out := a.buffered.take(a.env.Tables, batch, err)
		<-a.scans
		s.got <- out
		if err != nil || !a.enter(s) {
			close(s.got)
			return
		}
	}
	<-a.scans
	close(s.got)
}

// enter waits until a stream is asked for a batch and a scan may go on; it says false when
// no more is wanted.
func (a *ahead) enter(s *aheadStream) bool {
	select {
	case <-s.asks:
	case <-a.ctx.Done():
		return false
	}
	select {
	case a.scans <- struct{}{}:
	case <-a.ctx.Done():
		return false
	}
	a.mu.Lock()
	a.atOnce = max(a.atOnce, len(a.scans))
	a.mu.Unlock()
	return true
}

func (a *ahead) ask(s *aheadStream) {
	s.asked++
	s.asks <- struct{}{}
}

// feed gives a merger what it wants, and hands on what it merges.
func (a *ahead) feed(m *merger, yield func(*types.Batch, error) bool) {
	for more := true; more && m.more(); {
		batch, err, ok := a.next(m.wants)
		if err == nil {
			err = a.canceled()
		}
		switch {
		case err != nil:
			yield(nil, err)
			return
		case !ok:
			m.give(nil)
		case batch.Len() > 0:
			m.give(batch)
		default:
			continue
		}
		more = m.run(yield)
	}
}

// next is the next batch of a stream. While the consumer has it, more is asked for if memory
// allows: where all rows are wanted, or what was thought to be enough was not.
func (a *ahead) next(i int) (*types.Batch, error, bool) {
	s := a.streams[i]
	if s == nil {
		return nil, nil, false
	}
	a.giveBack(s)
	if s.asked == 0 {
		a.ask(s)
	}
	var ok bool
	if s.now, ok = <-s.got; !ok {
		a.profile.Add(&s.profile)
		a.streams[i] = nil
		err := a.canceled()
		return nil, err, err != nil
	}
	s.asked--
	s.taken++
	err := s.now.err
	if err == nil {
		err = a.holdBatches()
	}
	for (!a.few() || s.taken > 1) && s.asked < readAhead && a.buffered.bytes.Load() < a.workMemory() {
		a.ask(s)
	}
	return s.now.batch, err, true
}

// giveBack takes back the batch that the consumer has.
func (a *ahead) giveBack(s *aheadStream) {
	a.buffered.giveBack(a.env.Tables, s.now)
	s.now = aheadBatch{}
}

// holdBatches holds what the batches take at present.
func (a *ahead) holdBatches() error {
	err := a.buffered.hold()
	a.profile.Memory = max(a.profile.Memory, a.buffered.held.bytes)
	return err
}

// close stops the streams, and counts what they took once they have stopped.
func (a *ahead) close() {
	a.stop()
	a.group.Wait()
	for _, s := range a.streams[:a.begun] {
		if s != nil {
			a.profile.Add(&s.profile)
		}
	}
	a.profile.AtOnce = max(a.profile.AtOnce, int64(a.atOnce))
	a.buffered.held.release()
}

// concatenated delivers the entries of ranges in their order, reading several at once. Where
// not all rows are wanted, the first ranges may have enough of them: one is read at first,
// and twice as many at once with each that had too few.
func (r *reader) concatenated(ranges []store.Range, scans int) Rows {
	return func(yield func(*types.Batch, error) bool) {
		streams := make([][]store.Range, len(ranges))
		for i := range ranges {
			streams[i] = ranges[i : i+1]
		}
		a := r.ahead(streams, scans)
		defer a.close()
		window := scans
		if r.few() {
			window = 1
		}
		enough, got := r.enough(), 0
		for i := range streams {
			for a.begun < min(i+window, len(streams)) {
				a.begin(more(enough, got))
			}
			for {
				batch, err, ok := a.next(i)
				if !ok {
					break
				}
				if err == nil {
					got += batch.Len()
				}
				if !yield(batch, err) || err != nil {
					return
				}
			}
			window = min(2*window, scans)
		}
	}
}
