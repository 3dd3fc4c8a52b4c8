package sampling

import (
	"math"
	"testing"

	"zproxy/types"
)

// TestShares wants samples of about their share of the rows, the same for the same seed, and others for other seeds.
func TestShares(t *testing.T) {
	method := Method("bernoulli")
	pick := func(percent, seed float64) map[int64]bool {
		out := map[int64]bool{}
		for id := range int64(10_000) {
			v, err := method.FnN(nil, []types.Value{types.NewFloat(percent), types.NewFloat(seed), types.NewInt(id)})
			if err != nil {
				t.Fatal(err)
			}
			if v.IsTrue() {
				out[id] = true
			}
		}
		return out
	}
	for _, percent := range []float64{0, 1, 25, 50, 99.5, 100} {
		if got := float64(len(pick(percent, 1))) / 100; got < percent-2 || got > percent+2 {
			t.Errorf("%v percent: got %v", percent, got)
		}
	}
	both := 0
	other := pick(50, 2)
	for id := range pick(50, 1) {
		if other[id] {
			both++
		}
	}
	if both < 2300 || both > 2700 {
		t.Errorf("two seeds have %d rows in common, of about 5000", both)
	}
	if a, b := pick(10, 0), pick(10, math.Copysign(0, -1)); len(a) != len(b) {
		t.Errorf("0 and -0: %d and %d rows", len(a), len(b))
	}
}
