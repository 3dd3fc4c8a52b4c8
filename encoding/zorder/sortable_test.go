package zorder

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/big"
	"slices"
	"testing"
)

// A document of a weather station, with the numbers that its Z-address is made of: the table
// keeps the values, the address only their order.
func TestDocument(t *testing.T) {
	c := mustNew(t, 32, 8, 64, 64)
	point := [][]byte{Uint(nil, 1469566800, 4), Int(nil, -5, 1), Float64(nil, 40.749207), Float64(nil, -73.985174)}
	for d, want := range []string{"5797cf50", "7b", "c0445fe603d57796", "3fad80f2e8c04859"} {
		if got := hex.EncodeToString(point[d]); got != want {
			t.Errorf("dimension %d is %s, want %s", d+1, got, want)
		}
	}
	z := c.Interleave(nil, point)
	if got, want := hex.EncodeToString(z), "2e5d59dda8c3e5b82db67dd098544af2223a6a9369"; got != want {
		t.Errorf("the address is %s, want %s", got, want)
	}
	if !bytes.Equal(z, naive(point, c.bits)) {
		t.Errorf("the address is %x, bit by bit it is %x", z, naive(point, c.bits))
	}
}

// naive interleaves one bit at a time.
func naive(point [][]byte, bits []int) []byte {
	var out big.Int
	n := 0
	for r := range slices.Max(bits) {
		for d, width := range bits {
			if r < width {
				out.Lsh(&out, 1)
				out.SetBit(&out, 0, uint(point[d][r/8]>>(7-r%8)&1))
				n++
			}
		}
	}
	out.Lsh(&out, uint(-n&7))
	return out.FillBytes(make([]byte, (n+7)/8))
}

// Floats of one sign have the order of their bits read as integers, negative ones the reverse:
// what Float64 flips, and why it is not enough to flip the sign.
func TestFloatsAreSignAndMagnitude(t *testing.T) {
	r := random(t)
	for range 10_000 {
		a, b := math.Float64frombits(r.Uint64()>>1), math.Float64frombits(r.Uint64()>>1)
		if a != a || b != b {
			continue
		}
		x, y := math.Float64bits(a), math.Float64bits(b)
		if (a < b) != (x < y) || (-a > -b) != (x|1<<63 < y|1<<63) {
			t.Fatalf("%g is %x, %g is %x", a, x, b, y)
		}
	}
}

// Texts are ordered by their bytes, so dates that are written one way are in order.
func TestDatesAsTexts(t *testing.T) {
	dates := []string{"1999-12-31", "2016-01-31", "2016-02-01", "2016-10-01", "2016-10-02", "2017-01-01"}
	checkOrder(t, dates, func(s string) []byte { return Text(nil, s, 10) })
	// The same day as a date, by its week, and by its day of the year: between days of other months.
	mixed := []string{"2016-02-01", "2016-W05-1", "2016-032"}
	var at []int
	codes := [][]byte{Text(nil, "2016-02-01", 10), Text(nil, "2016-10-01", 10)}
	for _, s := range mixed {
		n, _ := slices.BinarySearchFunc(codes, Text(nil, s, 10), bytes.Compare)
		at = append(at, n)
	}
	if slices.Equal(at, []int{0, 0, 0}) || at[1] != 2 || at[2] != 1 {
		t.Errorf("ways to write the first of February have the places %d", at)
	}
}

// Texts that look the same are apart when they are written with other characters.
func TestNormalFormsDiffer(t *testing.T) {
	composed, decomposed := "caf\u00e9", "cafe\u0301"
	checkOrder(t, []string{decomposed, "caff", composed}, func(s string) []byte { return Text(nil, s, 8) })
}
