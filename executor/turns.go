package executor

import (
	"iter"

	"zproxy/store"
	"zproxy/types"
)

// turns reads streams by one scan: a batch of this one, then a batch of that, as they are
// asked for. So what a scan needs is there once for all of them.
type turns struct {
	*reader
	streams []turn
	now     int // the stream whose turn it is
	read    int // that of the turn before, until the next one begins
	scan    func() (*types.Batch, error, bool)
	stop    func()
	held    hold
}

// leastTurn is how many entries a stream is asked for that had too few: to ask at all costs
// an embedded store more than these.
const leastTurn = 4

// turn is where a stream stands.
type turn struct {
	ranges []store.Range // what is left
	begun  bool          // of the first of them something was read
	asked  int           // how many entries are asked for
	got    int
	batch  *types.Batch // what the consumer has
	bytes  int64        // that are held for it
}

// turns prepares to read streams; enough is how many entries of one will probably do, 0 when
// all are wanted.
func (r *reader) turns(streams [][]store.Range, enough int) *turns {
	t := &turns{reader: r, streams: make([]turn, len(streams)), held: r.hold()}
	for i, ranges := range streams {
		t.streams[i] = turn{ranges: ranges, asked: types.BatchRows}
		if enough > 0 {
			t.streams[i].asked = min(enough, types.BatchRows)
		}
	}
	return t
}

// next is the next batch of a stream.
func (t *turns) next(i int) (*types.Batch, error, bool) {
	t.now = i
	s := &t.streams[i]
	for len(s.ranges) > 0 {
		if t.scan == nil {
			request := t.request(t.begin())
			request.Next = t.turn
			t.scan, t.stop = iter.Pull2(t.batches(&request))
		}
		batch, err, ok := t.scan()
		if err != nil || !ok {
			return nil, err, ok
		}
		if err := t.take(s, batch); err != nil {
			return nil, err, true
		}
		if t.few() {
			s.asked = min(max(s.got/4, leastTurn), types.BatchRows)
		}
		if s.batch.Len() > 0 {
			return s.batch, nil, true
		}
	}
	return nil, nil, false
}

// turn goes on to the stream whose turn it is.
func (t *turns) turn(rest store.Range) (store.Range, int) {
	if was := &t.streams[t.read]; was.begun {
		was.ranges[0] = rest
	}
	return t.begin()
}

// begin notes that the stream whose turn it is is read.
func (t *turns) begin() (store.Range, int) {
	t.read = t.now
	s := &t.streams[t.now]
	if !s.begun {
		t.countRange(s.ranges[0])
		s.begun = true
	}
	return s.ranges[0], s.asked
}

// take copies a batch, which is the store's. One with less than what was asked for ends a range.
func (t *turns) take(s *turn, batch *types.Batch) error {
	if s.batch == nil {
		s.batch = t.env.Tables.batches.Get(batch.Width())
	}
	s.batch.Reset(batch.Width())
	s.batch.AppendAll(batch)
	s.got += batch.Len()
	if batch.Len() < s.asked {
		s.ranges, s.begun = s.ranges[1:], false
	}
	before := s.bytes
	s.bytes = batchBytes(batch)
	return t.held.add(s.bytes - before)
}

// close ends the scan.
func (t *turns) close() {
	if t.stop != nil {
		t.stop()
	}
	for _, s := range t.streams {
		if s.batch != nil {
			t.env.Tables.batches.Put(s.batch)
		}
	}
	t.held.release()
}
