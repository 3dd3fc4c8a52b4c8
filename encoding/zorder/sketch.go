package zorder

import (
	"encoding/binary"
	"math"
	"sort"
)

// Sketch tells how rows lie along a curve: the first 64 bits of addresses, in ascending
// order, with equally many rows between each two.
type Sketch struct {
	Quantiles []uint64
	Total     float64 // rows
}

// Rows estimates the rows between two addresses, both included. Between quantiles it takes
// rows to be spread evenly.
func (s Sketch) Rows(lo, hi []byte) float64 {
	return math.Max(0, s.below(lead(hi), 1)-s.below(lead(lo), 0))
}

// below is how many rows are thought to lie below an address that begins with x, or, with
// more, below the one that begins with x+1.
func (s Sketch) below(x uint64, more float64) float64 {
	q := s.Quantiles
	if len(q) < 2 {
		return s.Total * (float64(x) + more) / (1 << 64)
	}
	i := sort.Search(len(q), func(i int) bool { return q[i] > x })
	piece := s.Total / float64(len(q)-1)
	switch i {
	case 0:
		return 0
	case len(q):
		return s.Total
	}
	width := float64(q[i] - q[i-1])
	return piece * (float64(i-1) + math.Min(1, (float64(x-q[i-1])+more)/width))
}

// lead is the first 64 bits of an address.
func lead(z []byte) uint64 {
	var first [8]byte
	copy(first[:], z)
	return binary.BigEndian.Uint64(first[:])
}
