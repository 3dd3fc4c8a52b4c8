package zorder

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// Map is a monotone piecewise linear map of 64-bit codes to codes of fewer bits.
//
// Interleaving helps only if the high bits of every dimension divide the rows.
// Raw codes rarely do: numbers stored in 64 bits are mostly small, and times
// share their first bits. A map gives each piece between two knots the same
// number of codes. It must be frozen when an index is built, for entries made by
// different maps cannot be compared.
//
// Values outside the knots, see also Grown, share 1/64 of the codes on each side, spread evenly
// up to the end of the 64-bit domain, so that none of them are thrown together
// before the bits run out.
type Map struct {
	Knots []uint64 // in ascending order; without any the map is the identity
}

// The codes below margin belong to values before the first knot, as many at the
// top to those after the last. All codes are computed with 64 bits and then cut.
const (
	margin = 1 << 58
	middle = math.MaxUint64 - 2*margin + 1
)

// Bounds returns the map for values known to lie between lo and hi, evenly.
func Bounds(lo, hi uint64) Map {
	return Map{Knots: []uint64{min(lo, hi), max(lo, hi)}}
}

// Quantiles returns a map whose knots, at least two, have the same number of
// values of the sample between them. A value that fills several knots keeps its
// share of the codes, of which it uses one. Without a sample the map is the
// identity.
func Quantiles(sample []uint64, knots int) Map {
	if len(sample) == 0 {
		return Map{}
	}
	sorted := slices.Clone(sample)
	slices.Sort(sorted)
	m := Map{Knots: make([]uint64, max(knots, 2))}
	for i := range m.Knots {
		m.Knots[i] = sorted[scale(uint64(i), uint64(len(sorted)-1), uint64(len(m.Knots)-1))]
	}
	return m
}

// Grown returns the map for values that are to go on beyond those that it was made from: on
// each side pieces follow that reach as far as half of its knots, at their mean width, so
// that values there are told apart as well as those inside. These are left half of the codes: with
// more or less than a power of two the first bits would divide them unevenly. No piece reaches
// beyond low or high.
func (m Map) Grown(low, high uint64) Map {
	pieces := len(m.Knots) - 1
	if pieces < 1 || m.Knots[0] == m.Knots[pieces] {
		return m
	}
	first, last := m.Knots[0], m.Knots[pieces]
	reach := max((last-first)/2, 1)
	below, above := min(reach, first-min(low, first)), min(reach, max(high, last)-last)
	if pieces == 1 {
		return Bounds(first-below, last+above)
	}
	// Where low or high is nearer than the reach, fewer pieces fit; the last one ends there.
	more := uint64(pieces+1) / 2
	var out Map
	for i := more; i > 0; i-- {
		if scale(i-1, reach, more) < below {
			out.Knots = append(out.Knots, first-min(below, scale(i, reach, more)))
		}
	}
	out.Knots = append(out.Knots, m.Knots...)
	for i := range more {
		if scale(i, reach, more) < above {
			out.Knots = append(out.Knots, last+min(above, scale(i+1, reach, more)))
		}
	}
	return out
}

// Code returns the code of v in 1 to 64 bits. A greater v never has a smaller
// code.
func (m Map) Code(v uint64, bits int) uint64 {
	return m.full(v) >> (64 - bits)
}

// full returns the code of v in 64 bits. Integers keep it monotone where
// floating point would round.
func (m Map) full(v uint64) uint64 {
	k := m.Knots
	if len(k) == 0 {
		return v
	}
	i := sort.Search(len(k), func(i int) bool { return v < k[i] }) // the knot after v
	switch i {
	case 0:
		return scale(v, margin, k[0])
	case len(k):
		code := uint64(math.MaxUint64 - margin + 1)
		if last := k[i-1]; v > last {
			code += scale(v-last, margin-1, math.MaxUint64-last)
		}
		return code
	}
	// Knots that are equal cannot both be neighbours of v, so no piece is empty.
	pieces := uint64(len(k) - 1)
	from, to := scale(uint64(i-1), middle, pieces), scale(uint64(i), middle, pieces)
	return margin + from + scale(v-k[i-1], to-from, k[i]-k[i-1])
}

// scale returns a*size/of, rounded down, for a <= of with no overflow on the way.
func scale(a, size, of uint64) uint64 {
	if a == of {
		return size
	}
	hi, lo := bits.Mul64(a, size)
	q, _ := bits.Div64(hi, lo, of)
	return q
}
