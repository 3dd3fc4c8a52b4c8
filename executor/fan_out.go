package executor

import (
	"math"
	"slices"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// A scan of several ranges is a fan-out: one after the other where no order is asked for,
// else merged. The ranges that are in order one after the other make a stream.

// source reads streams.
type source interface {
	// feed gives a merger the batches that it wants, and hands on what it merges, or an error.
	feed(m *merger, yield func(*types.Batch, error) bool)
	close()
}

// parallel is how many scans may be under way at once. Those of rows that are to be written
// leave notes in the transaction, and are not together, nor are those with marks, which are of cursors.
func (r *reader) parallel() int {
	if r.keeps() || r.marks.wanted() {
		return 1
	}
	return max(r.env.Parallel, 1)
}

// mergeReader reads spans in the order of a merge.
type mergeReader struct {
	spanReader
	merge *plan.Merge
}

// entries delivers the entries of spans in the order of the merge.
func (r mergeReader) entries(spans []span.Span) Rows {
	m := r.merge
	ranges, points := r.rangesOf(spans), r.pointwise(spans)
	bound := !slices.ContainsFunc(spans, func(s span.Span) bool { return len(s.Prefix) < m.Parts })
	streams := keys.Streams(spans, m.Parts)
	wide, by := r.withKeys(m.By)
	parts := m.Parts
	if points && r.marks.wanted() {
		points, streams, parts = false, eachAlone(spans), math.MaxInt
	}
	switch {
	case r.marks.wanted() && (!bound || len(ranges) == 1 && ranges[0].Whole()):
		return failed(NotResumable("a sort"))
	case !bound, points && len(ranges) > 1, len(ranges) == 1 && ranges[0].Whole():
		return wide.sorted(by, len(r.reads), ranges, points)
	case len(streams) < 2:
		return r.sequentially(ranges, points)
	}
	if r.scan.Access.Reverse {
		slices.Reverse(streams)
	}
	each := make([][]store.Range, len(streams))
	for i, s := range streams {
		each[i], ranges = ranges[:len(s)], ranges[len(s):] // in one order with the streams
	}
	each = wide.marks.restOfStreams(each, streams, parts, r.from.codec)
	return wide.mergedStreams(by, len(r.reads), each)
}

// eachAlone makes a stream of each span.
func eachAlone(spans []span.Span) [][]span.Span {
	streams := make([][]span.Span, len(spans))
	for i := range spans {
		streams[i] = spans[i : i+1]
	}
	return streams
}

// withKeys is a reader that reads what an order needs, too: columns that nothing else reads
// come behind the others.
func (r mergeReader) withKeys(order []plan.Order) (*reader, []plan.SortKey) {
	wide := *r.reader
	wide.reads = slices.Clone(r.reads)
	by := make([]plan.SortKey, len(order))
	for i, o := range order {
		at := slices.Index(wide.reads, o.Column)
		if at < 0 {
			at, wide.reads = len(wide.reads), append(wide.reads, o.Column)
		}
		by[i] = plan.SortKey{Expr: expr.Column{Index: at}, Desc: o.Desc, NullsFirst: o.NullsFirst}
	}
	wide.asked = wide.from.columns(wide.reads) // all of them
	return &wide, by
}

// sorted delivers entries that do not come as streams in order: whole keys, which are read
// in one step, and ranges over partitions that no span could name.
func (r *reader) sorted(by []plan.SortKey, width int, ranges []store.Range, points bool) Rows {
	most := int64(math.MaxInt64)
	if !r.looksUp() && len(r.filter) == 0 && !r.scan.Access.Soft {
		most = r.need
	}
	r.need = math.MaxInt64
	return produce(r.frame, width, func(out *output) error {
		s := newSorter(r.frame, by, len(r.reads), most)
		defer s.close()
		if err := r.frame.each(r.sequentially(ranges, points),
			func(row types.Row) error { return s.add(row, r.env.Expr) }); err != nil {
			return err
		}
		return s.each(func(row types.Row) error { return out.append(row[:width]) })
	})
}

// mergedStreams delivers the entries of streams, each in order, as one, of equal ones that
// of the earlier stream first.
func (r *reader) mergedStreams(by []plan.SortKey, width int, streams [][]store.Range) Rows {
	return func(yield func(*types.Batch, error) bool) {
		from := r.open(streams)
		defer from.close()
		m := newMerger(by, width, len(streams))
		m.marks = r.marks.width()
		m.out = r.env.Tables.batches.Get(width + m.marks)
		defer r.env.Tables.batches.Put(m.out)
		m.few = r.few()
		from.feed(m, yield)
	}
}

// open prepares to read streams.
func (r *reader) open(streams [][]store.Range) source {
	enough := r.share(len(streams))
	n := r.parallel()
	if n == 1 {
		return r.interleaved(streams, enough)
	}
	a := r.ahead(streams, n)
	for range streams {
		a.begin(enough)
	}
	return a
}

// share is how many entries of one of n streams will probably do, 0 when all are wanted. Rows
// that are spread by a hash stray from their mean by its square root, and seldom by more than
// twice that: a store that takes its time is asked for so many. Where filters drop rows and each request
// is waited for, they are as many more as probably are dropped. Where none is, there is no guess: then it
// is what costs about as much as to ask for it.
func (r *reader) share(n int) int {
	if !r.few() {
		return 0
	}
	mean := float64(r.need) / float64(n)
	if r.env.Store.RangeRequests {
		mean *= r.drops()
	}
	stray := 1.0
	if r.env.Store.Parallel > 1 {
		stray = 2.5
	}
	enough := mean + stray*math.Sqrt(mean)
	if r.filters() && len(r.tests) == 0 {
		enough = max(enough, r.env.Store.RangePrice)
	}
	return int(min(math.Ceil(enough), math.MaxInt32))
}
