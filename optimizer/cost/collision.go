package cost

import (
	"bytes"
	"math"
	"sort"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// CellFraction is the share of the rows of a table whose codes in a dimension are those of the values that a bound
// keeps. It is more than the share that the bound keeps, which is given, where other values have the same codes.
func CellFraction(t *catalog.Table, of catalog.Dimension, b plan.Bound, values *expr.Context, keeps float64) float64 {
	d := keys.NewDimension(t, of)
	s := spreadOf(t, of.Column)
	if !d.Lossy() || of.Form != "" || s.bounds() == nil && len(s.Common) == 0 {
		return keeps
	}
	c := collisions{s, &d}
	if set, err := b.Set(values); err == nil {
		return math.Min(1, math.Max(keeps, c.share(set)))
	}
	return math.Min(1, math.Max(keeps, keeps*c.perPoint()))
}

// collisions are what is known of a column by the codes that its values have.
type collisions struct {
	*spread
	d *keys.Dimension
}

// share is the share of rows whose codes are those of the values of a set.
func (c collisions) share(set span.Set) float64 {
	f := 0.0
	for _, cells := range c.d.Codes(set) {
		for _, v := range c.Common {
			if cells.Has(c.d.Code(v.Value)) {
				f += v.Share
			}
		}
		if c.Nulls > 0 && cells.Has(c.d.Code(types.Null)) {
			f += c.Nulls
		}
		f += c.others() * c.within(cells)
	}
	return f
}

// within is the share of the values of the histogram whose codes are in an interval. Between two bounds codes are
// taken to be spread evenly.
func (c collisions) within(cells keys.Codes) float64 {
	bounds := c.bounds()
	if len(bounds) < 2 {
		return 0
	}
	// The bounds from first on to before behind have codes in the interval: codes are in the order of values.
	first := sort.Search(len(bounds), func(i int) bool { return bytes.Compare(c.d.Code(bounds[i]), cells.Low) >= 0 })
	behind := sort.Search(len(bounds), func(i int) bool { return bytes.Compare(c.d.Code(bounds[i]), cells.High) > 0 })
	f := math.Max(0, float64(behind-first-1))
	if first > 0 && first < len(bounds) {
		f += c.piece(cells, bounds[first-1], bounds[first])
	}
	if behind > first && behind < len(bounds) {
		f += c.piece(cells, bounds[behind-1], bounds[behind])
	}
	return f / float64(len(bounds)-1)
}

// piece is the share of the codes from one bound to the next that are in an interval.
func (c collisions) piece(cells keys.Codes, from, to types.Value) float64 {
	return c.d.ShareOf(cells, keys.Codes{Low: c.d.Code(from), High: c.d.Code(to)})
}

// perPoint is how many times as many rows have the code of a value, on average over the rows, as have the value.
func (c collisions) perPoint() float64 {
	codes := make([][]byte, 0, len(c.Histogram))
	for _, v := range c.bounds() {
		codes = append(codes, c.d.Code(v))
	}
	f, weight := 0.0, c.others()/float64(max(1, len(codes)))
	for i := 0; i < len(codes); {
		end := i + 1
		for end < len(codes) && bytes.Equal(codes[i], codes[end]) {
			end++
		}
		if n := end - i; n > 1 {
			share := float64(n) * weight
			f += share * share
		}
		i = end
	}
	return f / math.Max(c.anyPoint(), math.SmallestNonzeroFloat64)
}
