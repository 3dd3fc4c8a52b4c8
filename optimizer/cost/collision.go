package cost

import (
	"bytes"
	"math"

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
	if !d.Lossy() || s.bounds() == nil && len(s.Common) == 0 {
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
	f := 0.0
	low := c.d.Code(bounds[0])
	for _, v := range bounds[1:] {
		high := c.d.Code(v)
		f += c.d.ShareOf(cells, keys.Codes{Low: low, High: high})
		low = high
	}
	return f / float64(len(bounds)-1)
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
