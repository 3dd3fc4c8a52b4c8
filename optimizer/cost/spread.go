package cost

import (
	"math"
	"slices"
	"sort"

	"zproxy/catalog"
	"zproxy/catalog/extent"
	"zproxy/encoding/span"
	"zproxy/types"
)

// spread is how the values of a column are thought to lie: the common ones as they were counted, the
// others as their histogram says, or evenly between the least and the greatest, or not known.
type spread struct {
	*catalog.ColumnStats
	rows, distinct float64 // at least 1
	common         float64 // the share of rows that have one of Common
}

// others is the share of rows with a value that is neither NULL nor common.
func (s *spread) others() float64 { return math.Max(0, 1-s.Nulls-s.common) }

// kinds is how many different values others have.
func (s *spread) kinds() float64 { return math.Max(1, s.distinct-float64(len(s.Common))) }

// point is the share of rows that have one value that is not common.
func (s *spread) point() float64 {
	f := s.others() / s.kinds()
	if n := len(s.Common); n > 0 {
		f = math.Min(f, s.Common[n-1].Share)
	}
	return f
}

// anyPoint is the share of rows that have a value of which nothing is known.
func (s *spread) anyPoint() float64 {
	f := (1 - s.Nulls) / s.distinct
	if len(s.Common) > 0 {
		f = math.Min(f, s.Common[0].Share)
	}
	return f
}

// least is the share that any condition is thought to keep: a row.
func (s *spread) least() float64 { return math.Min(1, 1/s.rows) }

// share is the share of rows whose values are in a set.
func (s *spread) share(set span.Set) float64 {
	f := 0.0
	if set.Null {
		f = s.Nulls
	}
	if len(set.Intervals) == 1 && set.Intervals[0].All() {
		return f + 1 - s.Nulls
	}
	points := 0
	for _, in := range set.Intervals {
		if in.Point() {
			points++
		} else {
			f += s.between(in)
		}
	}
	for _, c := range s.Common {
		switch at := atOrAfter(set.Intervals, c.Value); {
		case at == len(set.Intervals) || !set.Intervals[at].Contains(c.Value):
			continue
		case set.Intervals[at].Point():
			points--
		}
		f += c.Share
	}
	return math.Min(1, f+float64(points)*s.point())
}

// atOrAfter finds in ascending intervals the first one that does not end below a value.
func atOrAfter(list []span.Interval, v types.Value) int {
	return sort.Search(len(list), func(i int) bool {
		return list[i].High.IsNull() ||
			types.Compare(v, list[i].High) <= 0
	})
}

// between is the share of rows with a value in an interval that is not common. There is one at least:
// what is known may be older than the greatest value.
func (s *spread) between(in span.Interval) float64 {
	low, high := !in.Low.IsNull(), !in.High.IsNull()
	bounds := s.bounds()
	switch {
	case bounds == nil && low && high:
		return twoSided
	case bounds == nil:
		return oneSided
	}
	from, to := 0.0, 1.0
	if low {
		from = s.below(bounds, in.Low, in.LowOpen)
	}
	if high {
		to = s.below(bounds, in.High, !in.HighOpen)
	}
	share := to - from
	if low && high && isText(in.Low) {
		share = amongTexts(bounds, in, share)
	}
	return math.Max(s.others()*share, s.point()) + s.beyond(in)
}

// beyond is the share of rows with a value in an interval that were written since the statistics, below or above all
// that they know.
func (s *spread) beyond(in span.Interval) float64 {
	return s.tail(in, s.Beyond.Below, s.Min) + s.tail(in, s.Beyond.Above, s.Max)
}

// tail is such a part of the rows beyond an end as an interval has of the way from there to the farthest one.
func (s *spread) tail(in span.Interval, t extent.Tail, end types.Value) float64 {
	if t.Rows <= 0 || end.IsNull() || t.Value.IsNull() || types.Compare(t.Value, end) == 0 {
		return 0
	}
	low, high := end, t.Value
	if types.Compare(high, low) < 0 {
		low, high = high, low
	}
	way := func(v types.Value) float64 {
		switch {
		case types.Compare(v, low) <= 0:
			return 0
		case types.Compare(v, high) >= 0:
			return 1
		}
		return within(low, high, v)
	}
	from, to := 0.0, 1.0
	if !in.Low.IsNull() {
		from = way(in.Low)
	}
	if !in.High.IsNull() {
		to = way(in.High)
	}
	return t.Rows / s.rows * math.Max(0, to-from)
}

// amongTexts is the share of texts between two others, of which the way between the nearest bounds says little: words
// come again, and do not lie evenly. As many pieces are taken as have their bound there. If none has, it is less than
// one: the geometric mean of half of one and of what the way says.
func amongTexts(bounds []types.Value, in span.Interval, way float64) float64 {
	inside, pieces := 0, float64(len(bounds)-1)
	for _, b := range bounds[1 : len(bounds)-1] {
		if in.Contains(b) {
			inside++
		}
	}
	if inside == 0 {
		return math.Max(way, math.Sqrt(way/2/pieces))
	}
	return math.Max(way, float64(inside)/pieces)
}

func isText(v types.Value) bool {
	return v.Kind() == types.KindText || v.Kind() == types.KindBpchar || v.Kind() == types.KindCitext ||
		v.Kind() == types.KindCollated
}

// bounds are those of the histogram, which may be a single piece; nil when nothing is known.
func (s *spread) bounds() []types.Value {
	switch {
	case len(s.Histogram) > 1:
		return s.Histogram
	case s.Min.IsNull() || s.Max.IsNull():
		return nil
	}
	return []types.Value{s.Min, s.Max}
}

// below is the share of the rows with values that are not common that lie below one, with those at it
// or without them. Between two bounds values are taken to be spread evenly.
func (s *spread) below(bounds []types.Value, v types.Value, with bool) float64 {
	one, pieces := 1/s.kinds(), float64(len(bounds)-1)
	i, found := slices.BinarySearchFunc(bounds, v, types.Compare)
	for with && i < len(bounds) && types.Compare(bounds[i], v) == 0 {
		i++ // behind all that are equal
	}
	switch i {
	case 0:
		return 0
	case len(bounds):
		return 1
	}
	at := float64(i) / pieces // of the bound i itself, when that is v and v is left out
	if with || !found {
		in := within(bounds[i-1], bounds[i], v)
		if at = (float64(i-1) + in) / pieces; i == 1 {
			at += one * (1 - in) // the least value has rows as well
		}
	}
	if !with {
		at -= one
	}
	return math.Min(1, math.Max(0, at))
}

// within is how far a value is on the way between two others, in the middle where that cannot be said.
func within(low, high, v types.Value) float64 {
	a, b, x := position(low), position(high), position(v)
	switch v.Kind() {
	case types.KindText, types.KindJSON, types.KindEnum, types.KindBpchar, types.KindCitext:
		a, b, x = textPositions(low.Compared(), high.Compared(), v.Compared())
	case types.KindCollated:
		a, b, x = bytePositions(string(low.SortKey()), string(high.SortKey()), string(v.SortKey()))
	case types.KindBytes:
		a, b, x = bytePositions(low.Text(), high.Text(), v.Text())
	case types.KindUUID:
		p, q, r := low.UUID(), high.UUID(), v.UUID()
		a, b, x = bytePositions(string(p[:]), string(q[:]), string(r[:]))
	}
	if f := (x - a) / (b - a); f >= 0 && f <= 1 && !math.IsInf(b-a, 0) {
		return f
	}
	return 0.5
}

// position places a value on a line, so that distances between values of a column can be
// compared: NaN when it has no place.
func position(v types.Value) float64 {
	switch v.Kind() {
	case types.KindInt:
		return float64(v.Int())
	case types.KindFloat:
		return v.Float()
	case types.KindNumeric:
		f, _ := v.Numeric().Float64()
		return f
	case types.KindDate:
		return float64(v.Days())
	case types.KindTimestamp, types.KindTime:
		return float64(v.Micros())
	case types.KindTimetz:
		return float64(types.UTCOfTimetz(v))
	case types.KindInterval:
		return float64(v.Interval().Length())
	case types.KindBool:
		if v.Bool() {
			return 1
		}
		return 0
	}
	return math.NaN()
}
