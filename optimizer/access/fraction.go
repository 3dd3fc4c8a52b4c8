package access

import (
	"math"

	"zproxy/catalog"
	"zproxy/encoding/span"
	"zproxy/planner/plan"
	"zproxy/types"
)

// What is assumed where nothing is known, as in PostgreSQL: an equality keeps one row in
// 200, a bound on one side a third, bounds on both sides one row in 200.
const (
	unknownDistinct = 200
	oneSided        = 1.0 / 3
	twoSided        = 1.0 / 200
)

// fraction is the share of rows that a bound keeps: points by the number of distinct
// values, an interval by its share of the known values, taken to be uniform.
func (c *chooser) fraction(b plan.Bound) float64 {
	stats := c.scan.Table.Stats.Columns[b.Column]
	one := (1 - stats.Nulls) / c.distinct(b.Column)
	low, high := false, false
	f := 1.0
	for _, t := range b.Terms {
		if c.isLife(b.Column, t) {
			continue
		}
		switch t.Op {
		case plan.TermEQ:
			return one
		case plan.TermIn, plan.TermAny:
			f = math.Min(f, float64(pointsOf(t))*one)
		case plan.TermNull:
			return math.Max(stats.Nulls, 1/math.Max(c.scan.Table.RowCount(), 1))
		case plan.TermNotNull:
			f *= 1 - stats.Nulls
		case plan.TermPrefix:
			low, high = true, true
		case plan.TermLT, plan.TermLE:
			high = true
		default:
			low = true
		}
	}
	if !low && !high {
		return f
	}
	if share, ok := c.share(b, stats); ok {
		return math.Min(f, share)
	}
	if low && high {
		return math.Min(f, twoSided)
	}
	return math.Min(f, oneSided)
}

// distinct is the number of values that a column is thought to have.
func (c *chooser) distinct(column uint32) float64 {
	t := c.scan.Table
	if d := t.Stats.Columns[column].Distinct; d > 0 {
		return d
	}
	if l := t.Primary.Columns(); len(l) == 1 && l[0] == column {
		return math.Max(t.RowCount(), 1)
	}
	return math.Min(unknownDistinct, math.Max(t.RowCount(), 1))
}

// share is the part of the known interval of values that a bound leaves. A bound by a
// parameter has no value yet.
func (c *chooser) share(b plan.Bound, stats catalog.ColumnStats) (float64, bool) {
	if stats.Min.IsNull() || stats.Max.IsNull() {
		return 0, false
	}
	set, err := b.Set(c.ctx)
	if err != nil {
		return 0, false
	}
	lowest, highest := position(stats.Min), position(stats.Max)
	width := highest - lowest
	if width <= 0 || math.IsNaN(width) || math.IsInf(width, 0) {
		return 1, true
	}
	covered := 0.0
	for _, in := range set.Intervals {
		covered += c.width(in, lowest, highest)
	}
	atLeast := 1 / math.Max(c.distinct(b.Column), 1)
	return math.Min(1, math.Max(covered/width, math.Min(atLeast, 1))) * (1 - stats.Nulls), true
}

func (c *chooser) width(in span.Interval, lowest, highest float64) float64 {
	from, to := lowest, highest
	if !in.Low.IsNull() {
		from = math.Max(from, position(in.Low))
	}
	if !in.High.IsNull() {
		to = math.Min(to, position(in.High))
	}
	return math.Max(0, to-from)
}

// position places a value on a line, so that distances between values of a column can be
// compared. NaN is behind all numbers, as in their order.
func position(v types.Value) float64 {
	if x := coordinate(v); !math.IsNaN(x) {
		return x
	}
	return math.Inf(1)
}

func coordinate(v types.Value) float64 {
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
		return float64(types.MicrosOfInterval(v))
	case types.KindBool:
		if v.Bool() {
			return 1
		}
		return 0
	case types.KindUUID:
		u := v.UUID()
		return textPosition(string(u[:]))
	}
	return textPosition(v.Text())
}

// textPosition reads the first eight bytes as a number.
func textPosition(s string) float64 {
	f, scale := 0.0, 1.0
	for i := range min(len(s), 8) {
		scale /= 256
		f += float64(s[i]) * scale
	}
	return f
}
