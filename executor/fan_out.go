package executor

import (
	"math"
	"slices"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// A scan of several ranges is a fan-out: one after the other where no order is asked for,
// else merged. The ranges that are in order one after the other make a stream.

// source gives the batches of streams by their numbers, each until the next one of its stream
// is asked for. It says false at the end of a stream, and behind an error.
type source func(stream int) (*types.Batch, error, bool)

// parallel is how many scans may be under way at once. Those of rows that are to be written
// leave notes in the transaction, and are not together.
func (r *reader) parallel() int {
	if r.scan.Write {
		return 1
	}
	return max(r.env.Parallel, 1)
}

// merged delivers the entries of spans in the order of a merge.
func (r *reader) merged(m *plan.Merge, spans []span.Span) Rows {
	ranges, points := r.rangesOf(spans), r.pointwise(spans)
	bound := !slices.ContainsFunc(spans, func(s span.Span) bool { return len(s.Prefix) < m.Parts })
	streams := keys.Streams(spans, m.Parts)
	wide, by := r.withKeys(m.By)
	switch {
	case !bound, points && len(ranges) > 1, len(ranges) == 1 && ranges[0].Whole():
		return wide.sorted(by, len(r.reads), ranges, points)
	case len(streams) < 2:
		return r.inTurn(ranges, points)
	}
	if r.scan.Access.Reverse {
		slices.Reverse(streams)
	}
	each := make([][]store.Range, len(streams))
	for i, s := range streams {
		each[i], ranges = ranges[:len(s)], ranges[len(s):] // in one order with the streams
	}
	return wide.mergedStreams(by, len(r.reads), each)
}

// withKeys is a reader that reads what an order needs, too: columns that nobody else reads
// come behind the others.
func (r *reader) withKeys(order []plan.Order) (*reader, []plan.SortKey) {
	wide := *r
	wide.reads, wide.sorts, wide.asked = slices.Clone(r.reads), true, nil
	by := make([]plan.SortKey, len(order))
	for i, o := range order {
		at := slices.Index(wide.reads, o.Column)
		if at < 0 {
			at, wide.reads = len(wide.reads), append(wide.reads, o.Column)
		}
		by[i] = plan.SortKey{Expr: expr.Column{Index: at}, Desc: o.Desc, NullsFirst: o.NullsFirst}
	}
	return &wide, by
}

// sorted delivers entries that do not come as streams in order: whole keys, which are read
// in one step, and ranges over partitions that no span could name.
func (r *reader) sorted(by []plan.SortKey, width int, ranges []store.Range, points bool) Rows {
	most := int64(math.MaxInt64)
	if !r.lookup && len(r.scan.Access.EntryFilter) == 0 {
		most = r.need
	}
	r.need = math.MaxInt64
	return produce(r.frame, width, func(out *output) error {
		s := newSorter(r.frame, by, len(r.reads), most)
		defer s.close()
		if err := r.frame.each(r.inTurn(ranges, points), func(row types.Row) error { return s.add(row, r.env.Expr) }); err != nil {
			return err
		}
		return s.each(func(row types.Row) error { return out.append(row[:width]) })
	})
}

// mergedStreams delivers the entries of streams, each in order, as one, of equal ones that
// of the earlier stream first.
func (r *reader) mergedStreams(by []plan.SortKey, width int, streams [][]store.Range) Rows {
	return func(yield func(*types.Batch, error) bool) {
		next, stop := r.open(streams)
		defer stop()
		m := newMerger(by, width, next)
		m.out = r.env.Tables.batches.Get(width)
		defer r.env.Tables.batches.Put(m.out)
		m.few = r.few()
		for i := range streams {
			if err := m.start(i); err != nil {
				yield(nil, err)
				return
			}
		}
		m.order()
		for more := true; more; {
			err := m.fill()
			if err == nil {
				err = r.canceled()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			more = m.out.Len() > 0 && yield(m.out, nil)
		}
	}
}

// open begins to read streams, until the function is called.
func (r *reader) open(streams [][]store.Range) (source, func()) {
	enough := r.share(len(streams))
	if n := r.parallel(); n > 1 {
		p := r.ahead(streams, n)
		for range streams {
			p.begin(enough)
		}
		return p.next, p.close
	}
	t := r.turns(streams, enough)
	return t.next, t.close
}

// share is how many entries of one of n streams will probably do, 0 when all are wanted. Rows
// that are spread by a hash stray from their mean by its square root, and seldom by more than
// twice that: a store that takes its time is asked for so many. Where filters drop rows and each request
// is waited for, they are as many more as probably are dropped. Where none is, nobody guesses: then it
// is what costs about as much as to ask for it.
func (r *reader) share(n int) int {
	if !r.few() {
		return 0
	}
	mean := float64(r.need) / float64(n)
	if r.env.Store.RangeRequests {
		mean *= r.drops()
	}
	enough := mean
	if r.env.Store.Parallel > 1 {
		enough += 2.5 * math.Sqrt(mean)
	}
	if r.filters() && len(r.tests) == 0 {
		enough = max(enough, r.env.Store.RangePrice)
	}
	return int(min(math.Ceil(enough), math.MaxInt32))
}

// merger merges rows of streams.
type merger struct {
	heap[*streamHead]
	by    []plan.SortKey
	at    []int // the places of the keys in a row
	width int   // columns that come out
	next  source
	few   bool // not all rows are wanted
	spent bool // the batch of the first head is used up
	out   *types.Batch
}

// streamHead is the foremost row of a stream.
type streamHead struct {
	row    types.Row
	place  int // of the row in the batch
	batch  *types.Batch
	stream int
}

func newMerger(by []plan.SortKey, width int, next source) *merger {
	m := &merger{by: by, width: width, next: next}
	m.before = m.earlier
	for _, k := range by {
		m.at = append(m.at, k.Expr.(expr.Column).Index)
	}
	return m
}

// start takes a stream in, unless it is empty.
func (m *merger) start(number int) error {
	h := &streamHead{stream: number}
	ok, err := h.read(m.next)
	if ok {
		m.heads = append(m.heads, ranked[*streamHead]{m.prefix(h), h})
	}
	return err
}

// fill merges a batch of rows; an empty one is the end. Where not all are wanted it ends
// before more is read: it may be all that is wanted.
func (m *merger) fill() error {
	m.out.Reset(m.width)
	for len(m.heads) > 0 {
		if m.spent {
			if m.few && m.out.Len() > 0 {
				return nil
			}
			if err := m.refill(); err != nil {
				return err
			}
			continue
		}
		if m.out.Full() {
			return nil
		}
		h := m.heads[0].of
		m.out.Append(h.row[:m.width])
		if !h.step() {
			m.spent = true
			continue
		}
		m.heads[0].prefix = m.prefix(h)
		m.sink(0)
	}
	return nil
}

// refill goes on with the stream of the first head.
func (m *merger) refill() error {
	m.spent = false
	h := m.heads[0].of
	ok, err := h.read(m.next)
	switch {
	case err != nil:
		return err
	case ok:
		m.heads[0].prefix = m.prefix(h)
		m.sink(0)
	default:
		m.drop()
	}
	return nil
}

// read takes the next batch that has rows, and says whether there is one.
func (h *streamHead) read(next source) (bool, error) {
	for {
		batch, err, ok := next(h.stream)
		if err != nil || !ok {
			return false, err
		}
		if batch.Len() > 0 {
			h.batch, h.place, h.row = batch, 0, batch.Row(0)
			return true, nil
		}
	}
}

// step goes on to the next row of the batch, and says whether there is one.
func (h *streamHead) step() bool {
	if h.place++; h.place == h.batch.Len() {
		return false
	}
	h.row = h.batch.Row(h.place)
	return true
}

// prefix is that of the first key, as a sort has it.
func (m *merger) prefix(h *streamHead) uint64 {
	if len(m.by) == 0 {
		return 0
	}
	return prefix(m.by[0], h.row[m.at[0]])
}

// earlier orders streams by their foremost rows, and by their numbers.
func (m *merger) earlier(a, b **streamHead) bool {
	for i, at := range m.at {
		if order := compareBy(m.by[i], (*a).row[at], (*b).row[at]); order != 0 {
			return order < 0
		}
	}
	return (*a).stream < (*b).stream
}
