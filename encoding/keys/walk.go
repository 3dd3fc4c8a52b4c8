package keys

import (
	"bytes"
	"slices"

	"zproxy/encoding/span"
	"zproxy/types"
)

// Walk says how far to go through the parts of a layout, and how.
type Walk struct {
	Parts int // leading parts that make the spans
	// Counted is how many leading parts are to have single values, so that intervals of
	// their columns are counted out where they are short. One that is not ends the walk.
	Counted int
}

// maxCounted is how many ways intervals are counted out to at most, all together. Sets of
// points may be as large as the statement made them.
const maxCounted = 1000

// way is one way through the parts that were walked: their values, and those of the
// columns that they come from. Ways fork where a column has several values, and keep to
// one of them from then on: so parts that are computed from one column agree.
type way struct {
	prefix []types.Value
	last   *span.Interval // of the next part: the way ends here
	row    types.Row      // values of columns, by their places in the table
	bound  []bool         // which of them are known
}

// choice is a value that a part can have, on the way that it has it.
type choice struct {
	way
	value types.Value
}

// walker is one walk.
type walker struct {
	*Codec
	Walk
	sets Sets
}

// walk makes the spans of a layout with computed parts: in key order, and none of a key
// that another one has.
func (c *Codec) walk(walk Walk, sets Sets) []span.Span {
	w := &walker{Codec: c, Walk: walk, sets: sets}
	columns := len(c.table.Columns)
	ways := []way{{row: make(types.Row, columns), bound: make([]bool, columns)}}
	for i := range walk.Parts {
		next := make([]way, 0, len(ways))
		most := 0
		if i < w.Counted {
			most = maxCounted / max(len(ways), 1)
		}
		for _, from := range ways {
			next = w.step(next, i, from, most)
		}
		ways = next
		if slices.ContainsFunc(ways, func(to way) bool { return to.last != nil }) {
			break
		}
	}
	return c.tidy(ways)
}

// step appends the ways that go on from one by one part, of which intervals are counted out
// to no more than most values.
func (w *walker) step(dst []way, i int, from way, most int) []way {
	p := &w.parts[i]
	choices, ok := p.choices(w, from, most)
	if !ok {
		return from.along(dst, p.rest(w, from, most))
	}
	dst = slices.Grow(dst, len(choices))
	for _, c := range choices {
		dst = append(dst, c.way.with(c.value))
	}
	return dst
}

func (w way) with(v types.Value) way {
	w.prefix = append(slices.Clip(w.prefix), v)
	return w
}

// bind is the way on which a column has a value.
func (w way) bind(column int, v types.Value) way {
	w.row, w.bound = slices.Clone(w.row), slices.Clone(w.bound)
	w.row[column], w.bound[column] = v, true
	return w
}

// along appends the ways that go on by all that is in a set, whose intervals end them.
func (w way) along(dst []way, set span.Set) []way {
	for _, in := range set.Intervals {
		if in.Point() {
			dst = append(dst, w.with(in.Low))
			continue
		}
		to := w
		to.last = &in
		dst = append(dst, to)
	}
	if set.Null {
		dst = append(dst, w.with(types.Null))
	}
	return dst
}

// set is what is left of a column.
func (w *walker) set(s source) span.Set {
	set := w.sets(s.id)
	set.Null = set.Null && !s.filled
	return set
}

// values are the values that a column can have, if they are single ones, or no more than
// most can be counted out.
func (w *walker) values(s source, most int) ([]types.Value, bool) {
	set := w.set(s)
	if s.domain > 0 {
		set = set.Intersect(span.Of(span.Interval{Low: types.NewInt(0), High: types.NewInt(int64(s.domain - 1))}))
		most = s.domain
	}
	var out []types.Value
	for _, in := range set.Intervals {
		if in.Point() {
			out = append(out, in.Low)
			continue
		}
		counted, ok := countOut(in, most-len(out))
		if !ok {
			return nil, false
		}
		out = append(out, counted...)
	}
	if set.Null {
		out = append(out, types.Null)
	}
	return out, true
}

// countOut are the values of an interval of integers or dates, if there are no more than
// most.
func countOut(in span.Interval, most int) ([]types.Value, bool) {
	low, make, ok := countable(in.Low)
	high, _, okToo := countable(in.High)
	if !ok || !okToo {
		return nil, false
	}
	if in.LowOpen {
		low++
	}
	if in.HighOpen {
		high--
	}
	if high-low >= int64(most) || high-low < 0 && high > low {
		return nil, false
	}
	var out []types.Value
	for i := low; i <= high; i++ {
		out = append(out, make(i))
	}
	return out, true
}

// countable reads a value of a type whose values follow each other one by one. The ends of
// the types themselves are not counted to.
func countable(v types.Value) (int64, func(int64) types.Value, bool) {
	switch v.Kind() {
	case types.KindInt:
		n := v.Int()
		return n, types.NewInt, n > -1<<62 && n < 1<<62
	case types.KindDate:
		_, finite := momentOf(v)
		return int64(v.Days()), func(i int64) types.Value { return types.NewDate(int32(i)) }, finite
	}
	return 0, nil, false
}

// fork goes every way on which columns have single values. Columns whose values must be
// counted out for that may together have no more than most.
func (w *walker) fork(from way, sources []source, most int) ([]way, bool) {
	out := []way{from}
	for _, s := range sources {
		if from.bound[s.column] {
			continue
		}
		values, ok := w.values(s, most/len(out))
		if !ok {
			return nil, false
		}
		next := make([]way, 0, len(out)*len(values))
		for _, to := range out {
			for _, v := range values {
				next = append(next, to.bind(s.column, v))
			}
		}
		if out = next; len(out) == 0 {
			return nil, true
		}
	}
	return out, true
}

// tidy makes spans of ways.
func (c *Codec) tidy(ways []way) []span.Span {
	spans := make([]span.Span, len(ways))
	for i, w := range ways {
		spans[i] = span.Span{Prefix: w.prefix, Last: w.last}
	}
	return c.Union(spans)
}

// Union is spans in key order that hold what some spans do, those that overlap made one.
func (c *Codec) Union(spans []span.Span) []span.Span {
	type ranged struct {
		span.Span
		from, to []byte
	}
	all := make([]ranged, len(spans))
	for i, s := range spans {
		from, to, _ := c.ends(s)
		all[i] = ranged{s, from, to}
	}
	slices.SortStableFunc(all, func(a, b ranged) int { return bytes.Compare(a.from, b.from) })
	out := make([]span.Span, 0, len(all))
	var end []byte
	for i, r := range all {
		switch {
		case i == 0 || end != nil && bytes.Compare(end, r.from) <= 0:
			out = append(out, r.Span)
		case end == nil || r.to != nil && bytes.Compare(r.to, end) <= 0:
			continue // the last one holds all of it
		default:
			out[len(out)-1] = c.joined(out[len(out)-1], r.Span)
		}
		end = r.to
	}
	return out
}

// joined is a span from the beginning of one to the end of another, which overlap and so
// are intervals of one part, unless the other holds all of the one.
func (c *Codec) joined(a, b span.Span) span.Span {
	if a.Last == nil || b.Last == nil || len(a.Prefix) != len(b.Prefix) {
		return b
	}
	last := *a.Last
	if c.parts[len(a.Prefix)].desc {
		last.Low, last.LowOpen = b.Last.Low, b.Last.LowOpen
	} else {
		last.High, last.HighOpen = b.Last.High, b.Last.HighOpen
	}
	a.Last = &last
	return a
}
