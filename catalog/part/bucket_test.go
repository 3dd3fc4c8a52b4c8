package part

import (
	"math"
	"testing"

	"zproxy/encoding/span"
	"zproxy/types"
)

// TestBucketsUpToInfinity reads no bucket of an end that is open, also where that is infinite.
func TestBucketsUpToInfinity(t *testing.T) {
	for _, ends := range [][2]types.Value{
		{types.NewTimestamp(math.MinInt64), types.NewTimestamp(math.MaxInt64)},
		{types.NewDate(math.MinInt32), types.NewDate(math.MaxInt32)},
	} {
		in := span.Interval{Low: ends[0], High: ends[1], HighOpen: true}
		for _, unit := range AllUnits[2:] {
			if got := (&period{unit: unit}).Hull(span.Of(in)); got.Contains(ends[1]) || !got.Contains(ends[0]) {
				t.Errorf("%ss: %+v", unit, got)
			}
			in.HighOpen = false
			if got := (&period{unit: unit}).Hull(span.Of(in)); !got.Contains(ends[1]) || !got.Contains(ends[0]) {
				t.Errorf("%ss with the end: %+v", unit, got)
			}
			in.HighOpen = true
		}
	}
}
