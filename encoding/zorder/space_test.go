package zorder

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The boxes of rows Z17 to Z25 leave nothing but equalities and free dimensions, for which the formula and the number
// of addresses are the same; a range counts by the codes that it leaves.
func TestSpace(t *testing.T) {
	four, err := New(16, 16, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	code := func(v uint64) []byte { return Align(nil, v, 16) }
	low, high := [][]byte{code(5), code(2), code(8), nil}, [][]byte{code(5), code(2), code(8), nil}
	s := box(four, low, high).Space(whole(four))
	if s.Addresses.String() != "65536" || s.Excluded[0] != 1 || s.Excluded[3] != 0 {
		t.Errorf("three equalities: %+v", s)
	}
	two, err := New(16, 16)
	if err != nil {
		t.Fatal(err)
	}
	s = box(two, [][]byte{code(2768), code(3)}, [][]byte{code(62768), code(3)}).Space(whole(two))
	if s.Addresses.String() != "60001" || math.Abs(s.Excluded[0]-(1-60001./65536)) > 1e-12 || s.Excluded[1] != 1 {
		t.Errorf("60,001 codes by one: %+v", s)
	}
}

func whole(c *Curve) *Box { return box(c, make([][]byte, c.Dims()), make([][]byte, c.Dims())) }

func box(c *Curve, low, high [][]byte) *Box {
	b := c.Box(low, high)
	return &b
}

// Counting the addresses of a small space that a box contains gives its numbers.
func TestSpaceByCounting(t *testing.T) {
	r := random(t)
	for range 200 {
		bits := []int{1 + r.IntN(5), 1 + r.IntN(5), 1 + r.IntN(3)}
		c, err := New(bits...)
		if err != nil {
			t.Fatal(err)
		}
		low, high := make([][]byte, 3), make([][]byte, 3)
		for d, n := range bits {
			x, y := pair(r, n)
			low[d], high[d] = Align(nil, x, n), Align(nil, y, n)
		}
		b := box(c, low, high)
		var in, between int64
		for z := range 1 << c.Bits() {
			at := Align(nil, uint64(z), c.Bits())
			if b.Contains(at) {
				in++
			}
			if string(at) >= string(b.Min()) && string(at) <= string(b.Max()) {
				between++
			}
		}
		if s := b.Space(whole(c)); s.Addresses.Int64() != in || s.Between.Int64() != between {
			t.Fatalf("%v bits, %x to %x: %+v, counted %d and %d", bits, low, high, s, in, between)
		}
	}
}

// pair is two codes of so many bits, the lower one first.
func pair(r *rand.Rand, bits int) (low, high uint64) {
	x, y := r.Uint64N(1<<bits), r.Uint64N(1<<bits)
	return min(x, y), max(x, y)
}
