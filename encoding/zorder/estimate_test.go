package zorder

import (
	"math"
	"math/big"
	"testing"
)

func TestSearchSpace(t *testing.T) {
	if n := SearchSpace(32); n.String() != "4294967296" {
		t.Errorf("32 bits: %v", n)
	}
	if n := SearchSpace(16, 16, 16, 16); n.String() != "18446744073709551616" {
		t.Errorf("four times 16 bits: %v", n)
	}
}

// Four attributes of 16 bits. The second row is often printed as 65,535, which
// is a misprint: it is 2^16.
func TestAddresses(t *testing.T) {
	widths := []int{16, 16, 16, 16}
	for exact, want := range map[int]string{
		4: "1", 3: "65536", 2: "4294967296", 1: "281474976710656", 0: "18446744073709551616",
	} {
		if got := Addresses(64, 4, exact).String(); got != want {
			t.Errorf("%d exact: %s, want %s", exact, got, want)
		}
		excluded := make([]float64, 4)
		for d := range exact {
			excluded[d] = 1
		}
		if n, _ := AddressesShare(widths, excluded).Int(nil); n.String() != want {
			t.Errorf("%d excluded: %s, want %s", exact, n, want)
		}
	}
	if got := Addresses(32, 3, 1).Int64(); got != int64(math.Pow(2, 64./3)) {
		t.Errorf("32 bits for three: %d", got)
	}
}

// A bound that excludes half of a dimension counts half as much as an exact one.
func TestAddressesShare(t *testing.T) {
	got, _ := AddressesShare([]int{8, 16, 32}, []float64{0.5, 0, 1}).Float64()
	if got != 1<<20 {
		t.Errorf("%v, want 2^20", got)
	}
	huge := AddressesShare([]int{8192, 8192}, []float64{0, 0})
	if want := new(big.Float).SetInt(SearchSpace(8192, 8192)); huge.Cmp(want) != 0 {
		t.Errorf("%v, want %v", huge, want)
	}
}

func TestEstimated(t *testing.T) {
	for _, tc := range []struct {
		n         float64
		fractions []float64
		v, p      float64
	}{
		{1e6, []float64{0.1, 0.1}, 1e4, 101 * 101},
		{1e6, []float64{0.01, 1, 1}, 1e4, 2 * 101 * 101},
		{1e6, []float64{1, 1}, 1e6, 1001 * 1001},
		{0, []float64{1, 0.5}, 0, 1},
	} {
		var sides []Side
		for _, f := range tc.fractions {
			sides = append(sides, Side{f, 1})
		}
		e := Estimated(tc.n, sides)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(a, b) }
		if !near(e.V, tc.v) || !near(e.P, tc.p) || !near(e.Cost, tc.v+4*(tc.p-tc.v)) {
			t.Errorf("%v rows, %v: %+v", tc.n, tc.fractions, e)
		}
	}
}

// What a scan reads and how often it seeks make up its cost, at half the price for an entry in
// vain and that of fifteen entries for a seek.
func TestReadsMakeUpTheCost(t *testing.T) {
	e := Estimated(2e6, []Side{{0.1, 1}, {0.1, 1}, {0.1, 1}})
	entries, seeks := Reads(2e6, e.V, e.P)
	if got := e.V + 0.6*(entries-e.V) + 15*seeks; math.Abs(got-e.Cost) > 1e-6*e.Cost {
		t.Errorf("%g entries and %g seeks cost %g, want %g", entries, seeks, got, e.Cost)
	}
	if entries, seeks := Reads(1000, 1000, 1925); entries != 1000 || seeks != 0 {
		t.Errorf("for everything %g entries are read, with %g seeks", entries, seeks)
	}
}

// Three values of a dimension cut three cells.
func TestEstimatedPieces(t *testing.T) {
	if e := Estimated(1e4, []Side{{0.03, 3}, {1, 1}}); e.P != 6*101 || e.V != 300 || e.Side != 100 {
		t.Errorf("%+v", e)
	}
}
