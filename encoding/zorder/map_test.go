package zorder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMapIdentity(t *testing.T) {
	for _, bits := range []int{1, 8, 32, 64} {
		v := uint64(0xfedcba9876543210)
		if got, want := (Map{}).Code(v, bits), v>>(64-bits); got != want {
			t.Errorf("%d bits: %x, want %x", bits, got, want)
		}
	}
}

func TestMapPieces(t *testing.T) {
	m := Map{Knots: []uint64{1000, 2000, 2100, 10000}}
	for _, tc := range []struct{ v, code uint64 }{
		{0, 0}, {500, 1 << 25}, {1000, 1 << 26}, // the margin is 1/64 of the codes
		{1500, 1<<26 + (1<<32-1<<27)/6}, {2000, 1<<26 + (1<<32-1<<27)/3}, {2050, 1 << 31},
		{2100, 1<<26 + (1<<32-1<<27)/3*2}, {10000, 1<<32 - 1<<26}, {math.MaxUint64, 1<<32 - 1},
	} {
		if got := m.Code(tc.v, 32); max(got, tc.code)-min(got, tc.code) > 1 {
			t.Errorf("code of %d is %x, want %x", tc.v, got, tc.code)
		}
	}
}

func TestBoundsIsOnePiece(t *testing.T) {
	m := Bounds(100, 200)
	if low, mid, high := m.Code(100, 6), m.Code(150, 6), m.Code(199, 6); low != 1 || mid != 32 || high != 62 {
		t.Errorf("codes %d, %d, %d", low, mid, high)
	}
	if !slices.Equal(Bounds(200, 100).Knots, m.Knots) {
		t.Error("the order of the bounds matters")
	}
}

// randomKnots makes knots of many kinds: few, equal, at the ends, dense, sparse.
func randomKnots(r *rand.Rand) []uint64 {
	knots := make([]uint64, r.IntN(12))
	for i := range knots {
		switch r.IntN(4) {
		case 0:
			knots[i] = r.Uint64()
		case 1:
			knots[i] = r.Uint64N(20)
		case 2:
			knots[i] = math.MaxUint64 - r.Uint64N(20)
		default:
			knots[i] = knots[r.IntN(i+1)]
		}
	}
	slices.Sort(knots)
	return knots
}

func TestMapIsMonotone(t *testing.T) {
	r := random(t)
	for range 2000 {
		m := Map{Knots: randomKnots(r)}
		bits := 1 + r.IntN(64)
		values := []uint64{0, math.MaxUint64, r.Uint64(), r.Uint64(), r.Uint64N(30)}
		for _, k := range m.Knots {
			values = append(values, k, k+1, k-1)
		}
		slices.Sort(values)
		last := uint64(0)
		for i, v := range values {
			code := m.Code(v, bits)
			if i > 0 && code < last || bits < 64 && code>>bits != 0 {
				t.Fatalf("knots %v, %d bits: code of %d is %x after %x", m.Knots, bits, v, code, last)
			}
			last = code
		}
	}
}

// Outside the knots a map goes on up to the ends of the domain.
func TestMapDoesNotClamp(t *testing.T) {
	m := Map{Knots: []uint64{1 << 40, 1 << 41}}
	values := []uint64{0, 1 << 39, 1 << 40, 1 << 41, 1 << 62, 1 << 63, math.MaxUint64}
	for i := 1; i < len(values); i++ {
		if a, b := m.Code(values[i-1], 16), m.Code(values[i], 16); a >= b {
			t.Errorf("code of %d is %d, of %d it is %d", values[i-1], a, values[i], b)
		}
	}
}

// Each code of four bits gets nearly the same number of values of a very uneven
// sample; the first and the last lose a quarter of their width to the margins.
func TestQuantilesSpread(t *testing.T) {
	r := random(t)
	sample := make([]uint64, 10000)
	for i := range sample {
		sample[i] = uint64(math.Exp(r.Float64() * 40))
	}
	unsorted := slices.Clone(sample)
	m := Quantiles(sample, 257)
	if !slices.Equal(sample, unsorted) || len(m.Knots) != 257 || !slices.IsSorted(m.Knots) {
		t.Fatalf("%d knots, sample changed %t", len(m.Knots), !slices.Equal(sample, unsorted))
	}
	var count [16]int
	for _, v := range sample {
		count[m.Code(v, 4)]++
	}
	for code, n := range count {
		if n < 10000/16*7/10 || n > 10000/16*12/10 {
			t.Errorf("code %d has %d of 10000 values", code, n)
		}
	}
}

func TestQuantilesOfLittle(t *testing.T) {
	if m := Quantiles(nil, 256); len(m.Knots) != 0 {
		t.Errorf("no sample: knots %v", m.Knots)
	}
	if m := Quantiles([]uint64{7}, 1); !slices.Equal(m.Knots, []uint64{7, 7}) {
		t.Errorf("one value: knots %v", m.Knots)
	}
	if m := Quantiles([]uint64{3, 1, 2, 2}, 4); !slices.Equal(m.Knots, []uint64{1, 2, 2, 3}) {
		t.Errorf("four values: knots %v", m.Knots)
	}
}
