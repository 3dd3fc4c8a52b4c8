package executor

import (
	"zproxy/store"
	"zproxy/types"
)

// interleaver reads streams by one scan: a batch of this one, then a batch of that, as a merger wants
// them. So what a scan needs is there once for all of them.
type interleaver struct {
	*reader
	streams []streamState
	now     int // the stream that is read
	read    int // that of the batch before, until the next one begins
	held    hold
}

// leastAsked is how many entries a stream is asked for that had too few: to ask at all costs
// an embedded store more than these.
const leastAsked = 4

// streamState is where a stream stands.
type streamState struct {
	ranges []store.Range // what is left
	begun  bool          // of the first of them something was read
	asked  int           // how many entries are asked for
	got    int
	batch  *types.Batch // what the consumer has
	bytes  int64        // that are held for it
	before []byte       // the partition of the range before the first, in the order of keys
}

// interleaved prepares to read streams; enough is how many entries of one will probably do, 0 when
// all are wanted.
func (r *reader) interleaved(streams [][]store.Range, enough int) *interleaver {
	t := &interleaver{reader: r, streams: make([]streamState, len(streams)), held: r.hold()}
	var before []byte
	for i, ranges := range streams {
		t.streams[i] = streamState{ranges: ranges, asked: types.BatchRows, before: before}
		before = ranges[len(ranges)-1].Partition
		if enough > 0 {
			t.streams[i].asked = min(enough, types.BatchRows)
		}
	}
	return t
}

// feed gives a merger what it wants, and hands on what it merges.
func (t *interleaver) feed(m *merger, yield func(*types.Batch, error) bool) {
	request := t.request(t.begin())
	request.Next = t.next
	for batch, err := range t.batches(&request) {
		if err == nil {
			err = t.take(batch)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !t.give(m, yield) {
			return
		}
	}
}

// give gives a merger the batch of the stream that was read, and the ends of streams that have nothing
// left, until another batch is needed. A batch without items says nothing yet where other ranges follow.
func (t *interleaver) give(m *merger, yield func(*types.Batch, error) bool) bool {
	s := &t.streams[t.now]
	switch {
	case s.batch.Len() > 0:
		m.give(s.batch)
	case len(s.ranges) > 0:
		return true
	default:
		m.give(nil)
	}
	for m.run(yield) && m.more() {
		if t.now = m.wants; len(t.streams[t.now].ranges) > 0 {
			return true
		}
		m.give(nil)
	}
	return false
}

// next notes what is left of the range that was read, and goes on to the stream that is wanted.
func (t *interleaver) next(rest store.Range) (store.Range, int) {
	if was := &t.streams[t.read]; was.begun {
		was.ranges[0] = rest
	}
	return t.begin()
}

// begin notes that the wanted stream is read.
func (t *interleaver) begin() (store.Range, int) {
	t.read, t.marks.stream = t.now, t.now
	s := &t.streams[t.now]
	if !s.begun {
		t.partition = s.before
		t.countRange(s.ranges[0])
		s.before, s.begun = s.ranges[0].Partition, true
	}
	return s.ranges[0], s.asked
}

// take keeps the rows of a batch, which is the store's. One with less than what was asked for ends a range.
func (t *interleaver) take(batch *types.Batch) error {
	s := &t.streams[t.now]
	if s.batch == nil {
		s.batch = t.env.Tables.batches.Get(batch.Width())
	}
	rows := batch.Len()
	s.got += rows
	s.batch.Swap(batch)
	if rows < s.asked {
		s.ranges, s.begun = s.ranges[1:], false
	}
	if t.few() {
		s.asked = min(max(s.got/4, leastAsked), types.BatchRows)
	}
	before := s.bytes
	s.bytes = batchBytes(s.batch)
	return t.held.add(s.bytes - before)
}

// close gives back what the streams have.
func (t *interleaver) close() {
	for _, s := range t.streams {
		if s.batch != nil {
			t.env.Tables.batches.Put(s.batch)
		}
	}
	t.held.release()
}
