package keys

import (
	"bytes"
	"slices"

	"zproxy/catalog/part"
	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/types"
)

// Sets gives what a predicate leaves of a column, by the column's ID.
type Sets = part.Sets

// Walk says how far to go through the parts of a layout, and how.
type Walk = part.Walk

// Spans are the spans of a layout that hold every row whose columns are in the sets, in
// key order and without overlaps. Parts that have several values make several spans; a
// part of which only an interval is known ends the walk.
func (c *Codec) Spans(w Walk, sets Sets) []span.Span {
	if c.computes || w.Counted > 0 {
		return c.Union(w.Spans(c.parts, len(c.table.Columns), sets))
	}
	spans := []span.Span{{}}
	for _, p := range c.parts[:w.Parts] {
		set := sets(p.ID)
		next := make([]span.Span, 0, len(spans))
		for _, s := range spans {
			next = appendSteps(next, s.Prefix, set, &p)
		}
		spans = next
		if !set.Discrete() {
			break
		}
	}
	return spans
}

// Tuple is a comparison of the parts of a key, from one on, with values: (a, b) > (1, 2).
type Tuple struct {
	Values  []types.Value // the first of them is of the last part of TupleSpans, none is NULL
	Greater bool
	Equal   bool // the values themselves are in
}

// TupleSpans are the spans of Spans, of which the last part is compared together with those
// behind it: /1/(2 - ] and then /(1 - ] for (a, b) > (1, 2). The parts compared have one
// direction. A span that ends before them, at an interval that was not counted out, stays.
func (c *Codec) TupleSpans(w Walk, sets Sets, t Tuple) []span.Span {
	w.Parts--
	first := c.parts[w.Parts]
	var out []span.Span
	for _, s := range c.Spans(w, sets) {
		if len(s.Prefix) < w.Parts { // the walk did not come to the parts compared
			out = append(out, s)
			continue
		}
		for i := range t.Values {
			if t.Greater != first.Desc {
				i = len(t.Values) - 1 - i
			}
			set := t.step(i)
			if i == 0 {
				set = set.Intersect(sets(first.ID))
			} else if !sets(first.ID).Contains(t.Values[0]) {
				continue
			}
			out = appendSteps(out, append(slices.Clone(s.Prefix), t.Values[:i]...), set, &first)
		}
	}
	return out
}

// step is what is left of part i where the parts before it equal their values.
func (t Tuple) step(i int) span.Set {
	open := i < len(t.Values)-1 || !t.Equal
	if t.Greater {
		return span.Of(span.Interval{Low: t.Values[i], LowOpen: open})
	}
	return span.Of(span.Interval{High: t.Values[i], HighOpen: open})
}

// appendSteps goes on from a prefix by the values of one more part, in key order.
func appendSteps(dst []span.Span, prefix []types.Value, set span.Set, p *part.Bound) []span.Span {
	start := len(dst)
	null := func() {
		if set.Null {
			dst = append(dst, span.Span{Prefix: append(slices.Clone(prefix), types.Null)})
		}
	}
	if p.NullsSwapped {
		null()
	}
	for _, in := range set.Intervals {
		if in.Point() {
			dst = append(dst, span.Span{Prefix: append(slices.Clone(prefix), in.Low)})
			continue
		}
		dst = append(dst, span.Span{Prefix: prefix, Last: &in})
	}
	if !p.NullsSwapped {
		null()
	}
	if p.Desc {
		slices.Reverse(dst[start:])
	}
	return dst
}

// Range is the range of bytes of a span. With its partition bound the range is in that
// partition; otherwise it runs over partitions and, in a store whose partitions have no
// order, can only be everything.
func (c *Codec) Range(s span.Span, ordered bool) store.Range {
	n := len(c.partition)
	if len(s.Prefix) < n && !ordered {
		return store.Range{}
	}
	from, to, split := c.ends(s)
	if len(s.Prefix) < n {
		return store.Range{From: from, To: to}
	}
	r := store.Range{Partition: slices.Clone(from[:split]), From: from[split:]}
	if to != nil && split <= len(to) && bytes.Equal(to[:split], from[:split]) {
		r.To = to[split:] // else it ends with the partition
	}
	if r.Partition == nil {
		r.Partition = []byte{}
	}
	return r
}

// ends are the keys, partition and sort key in one, between which those of a span are,
// and how many bytes of them are the partition.
func (c *Codec) ends(s span.Span) (from, to []byte, split int) {
	prefix := make([]byte, 0, 16*(len(s.Prefix)+1))
	for i, v := range s.Prefix {
		prefix = appendValue(prefix, &c.parts[i], v)
		if i+1 == len(c.partition) {
			split = len(prefix)
		}
	}
	if s.Last != nil {
		from, to = bounds(prefix, *s.Last, &c.parts[len(s.Prefix)])
		return from, to, split
	}
	return prefix, ordered.Successor(prefix), split
}

// bounds are the ends of an interval behind a prefix. NULL is outside of it.
func bounds(prefix []byte, in span.Interval, p *part.Bound) (from, to []byte) {
	low := func() []byte { // just above everything below the interval, as it sorts ascending
		if in.Low.IsNull() {
			return afterNull(prefix, p)
		}
		enc := ordered.Append(slices.Clone(prefix), in.Low, false)
		if in.LowOpen {
			return ordered.Successor(enc)
		}
		return enc
	}
	high := func() []byte {
		if in.High.IsNull() {
			return beforeNull(prefix, p)
		}
		enc := ordered.Append(slices.Clone(prefix), in.High, false)
		if in.HighOpen {
			return enc
		}
		return ordered.Successor(enc)
	}
	if !p.Desc {
		return low(), high()
	}
	return descending(prefix, in, p)
}

// descending is bounds for a part whose bits are inverted: the high end comes first.
func descending(prefix []byte, in span.Interval, p *part.Bound) (from, to []byte) {
	if in.High.IsNull() {
		from = afterNull(prefix, p)
	} else {
		from = ordered.Append(slices.Clone(prefix), in.High, true)
		if in.HighOpen {
			from = ordered.Successor(from)
		}
	}
	if in.Low.IsNull() {
		return from, beforeNull(prefix, p)
	}
	to = ordered.Append(slices.Clone(prefix), in.Low, true)
	if !in.LowOpen {
		to = ordered.Successor(to)
	}
	return from, to
}

// afterNull is where the values of a part begin behind a prefix, after NULL if that comes first.
func afterNull(prefix []byte, p *part.Bound) []byte {
	if p.Desc == p.NullsSwapped {
		return slices.Clone(prefix)
	}
	return ordered.Successor(p.Append(slices.Clone(prefix), types.Null))
}

// beforeNull is where they end, before NULL if that comes last.
func beforeNull(prefix []byte, p *part.Bound) []byte {
	if p.Desc == p.NullsSwapped {
		return p.Append(slices.Clone(prefix), types.Null)
	}
	return ordered.Successor(prefix)
}

// Streams groups spans, which are in key order, by the values of their first n parts.
func Streams(spans []span.Span, n int) [][]span.Span {
	var out [][]span.Span
	start := 0
	for i := range spans {
		if i > start && !sameStream(spans[start], spans[i], n) {
			out, start = append(out, spans[start:i]), i
		}
	}
	if start < len(spans) {
		out = append(out, spans[start:])
	}
	return out
}

func sameStream(a, b span.Span, n int) bool {
	x, y := a.Prefix[:min(n, len(a.Prefix))], b.Prefix[:min(n, len(b.Prefix))]
	return slices.EqualFunc(x, y, func(v, w types.Value) bool {
		return v.IsNull() == w.IsNull() && (v.IsNull() || types.Compare(v, w) == 0)
	})
}

// Partitions counts the partitions of spans, where a partition key has n parts. It says
// false when a span runs over partitions.
func Partitions(spans []span.Span, n int) (count int, ok bool) {
	seen := map[string]bool{}
	for _, s := range spans {
		if len(s.Prefix) < n {
			return 0, false
		}
		var key []byte
		for _, v := range s.Prefix[:n] {
			key = ordered.Append(key, v, false)
		}
		seen[string(key)] = true
	}
	return len(seen), true
}
