// Package span is what a predicate leaves of the values of a column, and of the tuples
// of a key: intervals, sets of intervals, and spans. It knows values, not bytes. Which intervals a condition leaves
// is not decided here. Read Interval, Set and Span first.
package span

import (
	"slices"

	"zproxy/types"
)

// Interval is the values between two ends that are not NULL. An end that is NULL is
// open towards that side.
type Interval struct {
	Low, High         types.Value
	LowOpen, HighOpen bool // the end itself is not in
}

// Point says whether the interval is one value.
func (i Interval) Point() bool {
	return !i.Low.IsNull() && !i.High.IsNull() && !i.LowOpen && !i.HighOpen && types.Compare(i.Low, i.High) == 0
}

// All says whether every value that is not NULL is in.
func (i Interval) All() bool { return i.Low.IsNull() && i.High.IsNull() }

func (i Interval) empty() bool {
	if i.Low.IsNull() || i.High.IsNull() {
		return false
	}
	c := types.Compare(i.Low, i.High)
	return c > 0 || c == 0 && (i.LowOpen || i.HighOpen)
}

// Contains says whether a value that is not NULL is in.
func (i Interval) Contains(v types.Value) bool {
	if !i.Low.IsNull() {
		if c := types.Compare(v, i.Low); c < 0 || c == 0 && i.LowOpen {
			return false
		}
	}
	if !i.High.IsNull() {
		if c := types.Compare(v, i.High); c > 0 || c == 0 && i.HighOpen {
			return false
		}
	}
	return true
}

// Prefix is the texts that begin with a prefix: up to the prefix with its last
// byte increased. The bound need not be valid UTF-8.
func Prefix(prefix string) Interval {
	in := Interval{Low: types.NewText(prefix)}
	p := []byte(prefix)
	for i := len(p) - 1; i >= 0; i-- {
		if p[i]++; p[i] != 0 {
			in.High, in.HighOpen = types.NewText(string(p[:i+1])), true
			break
		}
	}
	return in
}

// Set is some values of a column: disjoint intervals in ascending order, and perhaps
// NULL. The zero Set is empty.
type Set struct {
	Intervals []Interval
	Null      bool
}

// Everything is all values and NULL.
var Everything = Set{Intervals: []Interval{{}}, Null: true}

// NotNull is all values but NULL.
var NotNull = Set{Intervals: []Interval{{}}}

// OnlyNull is NULL.
var OnlyNull = Set{Null: true}

// Points is a set of single values; NULLs among them are left out.
func Points(values ...types.Value) Set {
	sorted := make([]types.Value, 0, len(values))
	for _, v := range values {
		if !v.IsNull() {
			sorted = append(sorted, v)
		}
	}
	slices.SortFunc(sorted, types.Compare)
	sorted = slices.CompactFunc(sorted, func(a, b types.Value) bool { return types.Compare(a, b) == 0 })
	s := Set{}
	for _, v := range sorted {
		s.Intervals = append(s.Intervals, Interval{Low: v, High: v})
	}
	return s
}

// Of is the set of one interval.
func Of(i Interval) Set {
	if i.empty() {
		return Set{}
	}
	return Set{Intervals: []Interval{i}}
}

// Joined is the set of intervals that begin and end in order, of which those next to each other may overlap.
func Joined(list []Interval) Set {
	out := Set{}
	for _, in := range list {
		last := len(out.Intervals) - 1
		switch {
		case in.empty():
		case last >= 0 && !meet(out.Intervals[last], in).empty():
			out.Intervals[last].High, out.Intervals[last].HighOpen = in.High, in.HighOpen
		default:
			out.Intervals = append(out.Intervals, in)
		}
	}
	return out
}

// Empty says whether nothing is in the set.
func (s Set) Empty() bool { return len(s.Intervals) == 0 && !s.Null }

// IsEverything says whether the set leaves nothing out.
func (s Set) IsEverything() bool {
	return s.Null && len(s.Intervals) == 1 && s.Intervals[0].All()
}

// Discrete says whether the set is single values only.
func (s Set) Discrete() bool {
	return !slices.ContainsFunc(s.Intervals, func(i Interval) bool { return !i.Point() })
}

// Contains says whether a value is in the set.
func (s Set) Contains(v types.Value) bool {
	if v.IsNull() {
		return s.Null
	}
	return slices.ContainsFunc(s.Intervals, func(i Interval) bool { return i.Contains(v) })
}

// Intersect is the set of what is in both.
func (s Set) Intersect(t Set) Set {
	switch {
	case s.IsEverything():
		return t
	case t.IsEverything():
		return s
	}
	out := Set{Null: s.Null && t.Null}
	for i, j := 0, 0; i < len(s.Intervals) && j < len(t.Intervals); {
		a, b := s.Intervals[i], t.Intervals[j]
		if both := meet(a, b); !both.empty() {
			out.Intervals = append(out.Intervals, both)
		}
		if endsBefore(a, b) {
			i++
		} else {
			j++
		}
	}
	return out
}

// Complement is the set of what is not in this one.
func (s Set) Complement() Set {
	out := Set{Null: !s.Null}
	gap := Interval{}
	for _, i := range s.Intervals {
		if gap.High, gap.HighOpen = i.Low, !i.LowOpen; !i.Low.IsNull() && !gap.empty() {
			out.Intervals = append(out.Intervals, gap)
		}
		if i.High.IsNull() {
			return out
		}
		gap = Interval{Low: i.High, LowOpen: !i.HighOpen}
	}
	gap.High, gap.HighOpen = types.Null, false
	out.Intervals = append(out.Intervals, gap)
	return out
}

// Union is the set of what is in one of both.
func (s Set) Union(t Set) Set { return s.Complement().Intersect(t.Complement()).Complement() }

// Within says whether everything in the set is in another one.
func (s Set) Within(t Set) bool { return s.Intersect(t.Complement()).Empty() }

// Hull is the smallest interval around the values of the set.
func (s Set) Hull() Interval {
	if len(s.Intervals) == 0 {
		return Interval{}
	}
	first, last := s.Intervals[0], s.Intervals[len(s.Intervals)-1]
	return Interval{Low: first.Low, LowOpen: first.LowOpen, High: last.High, HighOpen: last.HighOpen}
}

func meet(a, b Interval) Interval {
	out := a
	if out.Low.IsNull() || !b.Low.IsNull() && lowAfter(b, a) {
		out.Low, out.LowOpen = b.Low, b.LowOpen
	}
	if endsBefore(b, a) {
		out.High, out.HighOpen = b.High, b.HighOpen
	}
	return out
}

func lowAfter(a, b Interval) bool {
	c := types.Compare(a.Low, b.Low)
	return c > 0 || c == 0 && a.LowOpen
}

// endsBefore says whether a ends before b does.
func endsBefore(a, b Interval) bool {
	switch {
	case a.High.IsNull():
		return false
	case b.High.IsNull():
		return true
	}
	c := types.Compare(a.High, b.High)
	return c < 0 || c == 0 && a.HighOpen && !b.HighOpen
}

// Span is an interval of tuples on a key: those that begin with the values of Prefix
// and go on with a value in Last. Without a Last (nil) they may go on with anything.
type Span struct {
	Prefix []types.Value // NULL stands for NULL
	Last   *Interval     // of the next part; never holds NULL
}
