package part

import (
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

// Sets gives what a predicate leaves of a column, by the column's ID.
type Sets func(column uint32) span.Set

// maxCounted is how many ways intervals are counted out to at most, all together. Sets of
// points may be as large as the statement made them.
const maxCounted = 1000

// way is one way through the parts that were walked: their values, and those of the
// columns that they come from. Ways fork where a column has several values, and keep to
// one of them from then on: so parts that are computed from one column agree.
type way struct {
	prefix []types.Value
	last   *span.Interval // of the next part: the way ends here
	row    types.Row      // values of columns, by their ordinals in the table
	bound  []bool         // which of them are known
}

// choice is a value that a part can have, on the way that it has it.
type choice struct {
	way
	value types.Value
}

// walker is one walk.
type walker struct {
	Walk
	parts []Bound
	sets  Sets
}

// Spans are the spans that a walk makes of parts, in any order, of a table with so many columns. They hold
// every row whose columns are in the sets.
func (walk Walk) Spans(parts []Bound, columns int, sets Sets) []span.Span {
	w := &walker{Walk: walk, parts: parts, sets: sets}
	ways := []way{{row: make(types.Row, columns), bound: make([]bool, columns)}}
	k := &values{walker: w}
	for i := range walk.Parts {
		next := make([]way, 0, len(ways))
		k.most = 0
		if i < w.Counted {
			k.most = maxCounted / max(len(ways), 1)
		}
		for _, from := range ways {
			next = k.step(next, &w.parts[i], from)
		}
		ways = next
		if slices.ContainsFunc(ways, func(to way) bool { return to.last != nil }) {
			break
		}
	}
	spans := make([]span.Span, len(ways))
	for i, w := range ways {
		spans[i] = span.Span{Prefix: w.prefix, Last: w.last}
	}
	return spans
}

func (w way) with(v types.Value) way {
	w.prefix = append(slices.Clip(w.prefix), v)
	return w
}

// bind is the way on which a column has a value.
func (w way) bind(ordinal int, v types.Value) way {
	w.row, w.bound = slices.Clone(w.row), slices.Clone(w.bound)
	w.row[ordinal], w.bound[ordinal] = v, true
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
func (w *walker) set(s *Source) span.Set {
	set := w.sets(s.ID)
	set.Null = set.Null && !s.Filled
	return set
}

// mayBeNull says whether a piece of a text may be NULL.
func (w *walker) mayBeNull(b *Bound) bool {
	if of, ok := b.Of.(piece); ok {
		return w.anyNull(of.nulls())
	}
	return w.set(&b.Source).Null
}

func (w *walker) anyNull(of []Source) bool {
	return slices.ContainsFunc(of, func(s Source) bool { return w.set(&s).Null })
}

// fork goes every way on which columns have single values. Columns whose values must be
// counted out for that may together have no more than most.
func (w *walker) fork(from way, sources []Source, most int) ([]way, bool) {
	out := []way{from}
	for i := range sources {
		s := &sources[i]
		if from.bound[s.Ordinal] {
			continue
		}
		values, ok := listed(w.set(s), most/len(out))
		if !ok {
			return nil, false
		}
		next := make([]way, 0, len(out)*len(values))
		for _, to := range out {
			for _, v := range values {
				next = append(next, to.bind(s.Ordinal, v))
			}
		}
		if out = next; len(out) == 0 {
			return nil, true
		}
	}
	return out, true
}

// listed are the values of a set, if they are single ones, or no more than most can be counted out.
func listed(set span.Set, most int) ([]types.Value, bool) {
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
