package zorder

import (
	"math"
	"math/bits"
	"slices"
)

// The corners of sub-boxes are addresses as words, the first bit the highest of the first word.

// litmax makes the highest corner of a sub-box that of the half below a cut at bit p:
// 0 at p and 1 in the later bits of the same dimension.
func (b *Box) litmax(z []uint64, p int) {
	at, first := p/64, uint64(1)<<63>>(p%64)
	row := b.cells[at*len(b.curve.bits)+int(b.curve.order[p]):]
	z[at] = z[at]&^first | row[0].mask&(first-1)
	for w := at + 1; w < len(z); w++ {
		row = row[len(b.curve.bits):]
		z[w] |= row[0].mask
	}
}

// bigmin makes the lowest corner of a sub-box that of the half above a cut at bit p:
// 1 at p and 0 in the later bits of the same dimension.
func (b *Box) bigmin(z []uint64, p int) {
	at, first := p/64, uint64(1)<<63>>(p%64)
	row := b.cells[at*len(b.curve.bits)+int(b.curve.order[p]):]
	z[at] = (z[at] | first) &^ (row[0].mask & (first - 1))
	for w := at + 1; w < len(z); w++ {
		row = row[len(b.curve.bits):]
		z[w] &^= row[0].mask
	}
}

// adjacent reports whether there is no address between two.
func (c *Curve) adjacent(lo, hi []uint64) bool {
	unit := uint64(1) << ((64 - c.Bits()%64) % 64)
	for w := len(lo) - 1; w >= 0; w, unit = w-1, 1 {
		next := lo[w] + unit
		if next != hi[w] {
			return false
		}
		if next != 0 { // nothing is carried
			return slices.Equal(lo[:w], hi[:w])
		}
	}
	return false
}

// cut returns the first bit in which two corners differ, Bits if none.
func (c *Curve) cut(a, b []uint64) int {
	for w := range a {
		if x := a[w] ^ b[w]; x != 0 {
			return w*64 + bits.LeadingZeros64(x)
		}
	}
	return c.Bits()
}

// measure computes the shares for a box with some corners, from the last bits to the first: a bit
// that is on the far side of the middle adds half, and what follows counts half. One unit is
// added at the end, since bounds are included.
func (s *sides) measure(lo, hi []uint64) {
	var below, above [MaxDims]float64
	for d := range below {
		below[d], above[d] = 1, 1
	}
	c := s.box.curve
	for p := c.Bits() - 1; p >= 0; p-- {
		d, one := c.order[p], uint64(1)<<63>>(p%64)
		s.below[p], s.above[p] = below[d], above[d]
		below[d], above[d] = below[d]/2, above[d]/2
		if lo[p/64]&one == 0 {
			below[d] += 0.5
		}
		if hi[p/64]&one != 0 {
			above[d] += 0.5
		}
	}
}

// volume returns the number of addresses in the box between two corners that
// first differ at the cut, as a share of the cell of all addresses that begin
// as they do.
func (s *sides) volume(lo, hi []uint64, cut int) float64 {
	c := s.box.curve
	share, exponent := 1.0, cut-c.Bits()
	for d, ofDimension := range c.addressBits {
		for r, p := range ofDimension {
			if (lo[p/64]^hi[p/64])<<(p%64)>>63 != 0 {
				share *= s.below[p] + s.above[p]
				exponent += c.bits[d] - r - 1
				break
			}
		}
	}
	return math.Ldexp(share, exponent)
}

// span returns the number of addresses from lo to hi as a share of the same
// cell. It adds what lies on each side of the middle of the cell; a
// difference would lose its digits when both are near the middle.
func (c *Curve) span(lo, hi []uint64, cut int) float64 {
	if cut == c.Bits() {
		return 1
	}
	return (c.length(lo, cut+1, ^uint64(0)) + c.length(hi, cut+1, 0)) / 2
}

// length reads an address from bit p on, flipped or not, as a
// binary fraction and adds one unit in the last place: the share of a half that
// lies between its middle and an end.
func (c *Curve) length(z []uint64, p int, flip uint64) float64 {
	share := 1.0
	for ; p+64 < c.Bits(); p += 64 {
		share /= 1 << 64
		if x := window(z, p) ^ flip; x != 0 {
			return share * (float64(x) + fraction(window(z, p+64)^flip))
		}
	}
	rest := c.Bits() - p
	if rest == 0 {
		return share
	}
	x := (window(z, p) ^ flip) >> (64 - rest)
	return share * (float64(x) + 1) / float64(uint64(1)<<(rest-1)) / 2
}

// window returns the 64 bits of z from bit p on, zero beyond its end.
func window(z []uint64, p int) uint64 {
	w := p / 64
	if w >= len(z) {
		return 0
	}
	x := z[w] << (p % 64)
	if w+1 < len(z) {
		x |= z[w+1] >> (64 - p%64)
	}
	return x
}
