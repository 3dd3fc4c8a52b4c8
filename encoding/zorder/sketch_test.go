package zorder

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSketch compares estimates with counts, of rows that are here dense, there sparse, and in places
// many at one address.
func TestSketch(t *testing.T) {
	r := random(t)
	for range 200 {
		rows := make([]uint64, 1+r.IntN(5000))
		for i := range rows {
			rows[i] = r.Uint64() >> r.IntN(64) << r.IntN(64)
		}
		slices.Sort(rows)
		pieces := 1 + r.IntN(100)
		s := Sketch{Total: float64(len(rows))}
		for i := range pieces + 1 {
			s.Quantiles = append(s.Quantiles, rows[i*(len(rows)-1)/pieces])
		}
		for range 50 {
			lo, hi := pick(r, rows), pick(r, rows)
			if lo > hi {
				lo, hi = hi, lo
			}
			want := float64(before(rows, hi, 1) - before(rows, lo, 0))
			got := s.Rows(Align(nil, lo, 64), Align(nil, hi, 64))
			if slack := 2*s.Total/float64(pieces) + 2; math.Abs(got-want) > slack {
				t.Fatalf("%d rows in %d pieces, %x to %x: estimate %v, want %v", len(rows), pieces, lo, hi, got, want)
			}
		}
	}
}

// pick is a row, a neighbour of one, or anything.
func pick(r *rand.Rand, rows []uint64) uint64 {
	if r.IntN(4) == 0 {
		return r.Uint64()
	}
	return rows[r.IntN(len(rows))] + r.Uint64N(3) - 1
}

// before counts the rows below x, or with more those up to it.
func before(rows []uint64, x uint64, more int) int {
	at, _ := slices.BinarySearchFunc(rows, x, func(row, x uint64) int {
		return cmp.Or(cmp.Compare(row, x), 1-2*more)
	})
	return at
}

// What lies side by side adds up, also where the first 64 bits do not tell rows apart.
func TestSketchAddsUp(t *testing.T) {
	r := random(t)
	for range 500 {
		s := Sketch{Total: float64(r.IntN(10000))}
		for range r.IntN(40) {
			s.Quantiles = append(s.Quantiles, r.Uint64N(8)<<r.IntN(62))
		}
		slices.Sort(s.Quantiles)
		ends := make([][]byte, 3)
		for i := range ends {
			ends[i] = Align(Align(nil, pick(r, append(s.Quantiles, 7)), 64), r.Uint64N(16)<<60|1<<59, 64)
		}
		slices.SortFunc(ends, slices.Compare)
		next := slices.Clone(ends[1])
		next[15]++
		parts, all := s.Rows(ends[0], ends[1])+s.Rows(next, ends[2]), s.Rows(ends[0], ends[2])
		if math.Abs(parts-all) > 1e-6*s.Total || all > s.Total*(1+1e-9) {
			t.Fatalf("%x: %v rows up to %x and behind it, %v together", ends, parts, ends[1], all)
		}
	}
}

// Rows whose addresses all begin with the same 64 bits are told apart by what follows.
func TestSketchOfOnePrefix(t *testing.T) {
	s := Sketch{Quantiles: make([]uint64, 100), Total: 1000}
	for i := range s.Quantiles {
		s.Quantiles[i] = 77
	}
	lo, hi := Align(nil, 77, 64), Align(nil, 77, 64)
	lo, hi = Align(lo, 1<<62, 64), Align(hi, 1<<63-1, 64)
	if got := s.Rows(lo, hi); math.Abs(got-250) > 1 {
		t.Errorf("a quarter of 1000 rows is %v", got)
	}
}
