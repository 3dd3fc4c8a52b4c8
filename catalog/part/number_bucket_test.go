package part

import (
	"math"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/encoding/span"
	"zproxy/types"
	"zproxy/types/numeric"
)

// TestHullOfNumerics wants all buckets that numbers between two ends lie in, also where that is the first
// or the last one.
func TestHullOfNumerics(t *testing.T) {
	s := &slice{width: apd.New(25, -2)}
	for _, c := range []struct {
		low, high string
		open      bool // at both ends
		in, out   []int64
	}{
		{"0.3", "0.8", false, []int64{1, 2, 3}, []int64{0, 4}},
		{"0.25", "0.75", false, []int64{1, 2, 3}, []int64{0, 4}},
		{"0.25", "0.75", true, []int64{1, 2}, []int64{0, 3}},
		{"-0.25", "0.00", true, []int64{-1}, []int64{-2, 0}},
		{"-1e30", "-2305843009213693952", true, []int64{math.MinInt64}, []int64{math.MinInt64 + 1}},
		{"-Infinity", "-2305843009213693951.75", true, []int64{math.MinInt64}, []int64{math.MinInt64 + 1}},
		{"2305843009213693951.75", "1e30", true, []int64{math.MaxInt64}, []int64{math.MaxInt64 - 1}},
		{"1e30", "Infinity", true, []int64{math.MaxInt64}, []int64{math.MaxInt64 - 1}},
		{"Infinity", "NaN", false, []int64{math.MaxInt64}, []int64{math.MaxInt64 - 1}},
	} {
		in := span.Interval{Low: numberOf(t, c.low), High: numberOf(t, c.high), LowOpen: c.open, HighOpen: c.open}
		hull := s.Hull(span.Of(in))
		for _, n := range c.in {
			if !hull.Contains(types.NewInt(n)) {
				t.Errorf("from %s to %s, open %t: bucket %d is missing in %+v", c.low, c.high, c.open, n, hull)
			}
		}
		for _, n := range c.out {
			if hull.Contains(types.NewInt(n)) {
				t.Errorf("from %s to %s, open %t: bucket %d is in %+v", c.low, c.high, c.open, n, hull)
			}
		}
	}
}

func numberOf(t *testing.T, text string) types.Value {
	d, err := numeric.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return types.NewNumeric(d)
}
