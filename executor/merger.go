package executor

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// merger merges streams of rows, each in order, of equal rows that of the earlier stream first. Who
// reads the streams gives it the batches that it wants, one at a time, and takes back what it merged.
type merger struct {
	tournament[streamHead]
	by    []plan.SortKey
	at    []int // the ordinals of the keys in a row
	width int   // columns that come out
	marks int   // the last columns of a row, which come out, too
	wants int   // the stream of which more is needed: none can be merged before
	begun bool  // each stream has given something
	few   bool  // not all rows are wanted
	out   *types.Batch
}

// streamHead is the foremost row of a stream.
type streamHead struct {
	row      types.Row
	position int // of the row in the batch
	batch    *types.Batch
	stream   int
}

func newMerger(by []plan.SortKey, width, streams int) *merger {
	m := &merger{by: by, width: width}
	m.before = m.earlier
	m.heads = make([]contestant[streamHead], streams)
	for _, k := range by {
		m.at = append(m.at, k.Expr.(expr.Column).Index)
	}
	return m
}

// more says whether any stream has something left.
func (m *merger) more() bool { return !m.begun || !m.first().over }

// give is told what comes next in the stream that is wanted: rows, which stay until another batch of that
// stream is given, or nil behind the last ones.
func (m *merger) give(batch *types.Batch) {
	c := &m.heads[m.wants]
	if batch == nil {
		c.leave()
	} else {
		c.of = streamHead{batch: batch, row: batch.Row(0), stream: m.wants}
		c.prefix = m.prefix(c.of.row)
	}
	switch {
	case m.begun:
		m.again()
	case m.wants+1 < len(m.heads):
		m.wants++
	default:
		m.begun = true
		m.begin()
	}
}

// run merges until a stream is wanted, and hands full batches on. Where not all rows are wanted it hands on
// what it has before more is read: it may be all that is wanted. It says whether to go on.
func (m *merger) run(yield func(*types.Batch, error) bool) bool {
	for m.begun {
		c := m.first()
		if c.over {
			return m.emit(yield)
		}
		h := &c.of
		m.take(h.row)
		if m.out.Full() && !m.emit(yield) {
			return false
		}
		if !h.step() {
			m.wants = h.stream
			return !m.few || m.emit(yield)
		}
		c.prefix = m.prefix(h.row)
		m.again()
	}
	return true
}

// take puts what is to come out of a row into the batch.
func (m *merger) take(row types.Row) {
	if m.marks == 0 {
		m.out.Append(row[:m.width])
		return
	}
	out := m.out.Extend()
	copy(out, row[:m.width])
	copy(out[m.width:], row[len(row)-m.marks:])
}

// emit yields what was merged, if anything, and says whether more is wanted.
func (m *merger) emit(yield func(*types.Batch, error) bool) bool {
	if m.out.Len() == 0 {
		return true
	}
	more := yield(m.out, nil)
	m.out.Reset(m.width + m.marks)
	return more
}

// step goes on to the next row of the batch, and says whether there is one.
func (h *streamHead) step() bool {
	if h.position++; h.position == h.batch.Len() {
		return false
	}
	h.row = h.batch.Row(h.position)
	return true
}

// prefix is that of the first key, as a sort has it.
func (m *merger) prefix(row types.Row) uint64 {
	if len(m.by) == 0 {
		return 0
	}
	return prefix(m.by[0], row[m.at[0]])
}

// earlier orders streams by their foremost rows, and by their numbers.
func (m *merger) earlier(a, b *streamHead) bool {
	for i, at := range m.at {
		if order := compareBy(m.by[i], a.row[at], b.row[at]); order != 0 {
			return order < 0
		}
	}
	return a.stream < b.stream
}
