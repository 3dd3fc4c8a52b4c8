package zorder

import (
	"math"
	"math/bits"
	"slices"
)

// litmax returns the greatest address of a sub-box below the cut at bit p: hi
// with 0 at p and 1 in the later bits of the same dimension.
func (c *Curve) litmax(hi []byte, p int) []byte {
	z, m := slices.Clone(hi), c.masks[c.order[p]]
	first := byte(0x80) >> (p % 8)
	z[p/8] = z[p/8]&^first | m[p/8]&(first-1)
	for i := p/8 + 1; i < len(z); i++ {
		z[i] |= m[i]
	}
	return z
}

// bigmin returns the smallest address of a sub-box above the cut at bit p: lo
// with 1 at p and 0 in the later bits of the same dimension.
func (c *Curve) bigmin(lo []byte, p int) []byte {
	z, m := slices.Clone(lo), c.masks[c.order[p]]
	first := byte(0x80) >> (p % 8)
	z[p/8] = (z[p/8] | first) &^ (m[p/8] & (first - 1))
	for i := p/8 + 1; i < len(z); i++ {
		z[i] &^= m[i]
	}
	return z
}

// differ returns the first bit in which two addresses differ, Bits if none.
func (c *Curve) differ(a, b []byte) int {
	for w := 0; w*8 < len(a); w++ {
		if x := word(a, w) ^ word(b, w); x != 0 {
			return w*64 + bits.LeadingZeros64(x)
		}
	}
	return c.Bits()
}

// volume returns the number of addresses in the box between two corners that
// first differ at the cut, as a share of the cell of all addresses that begin
// as they do.
func (c *Curve) volume(lo, hi []byte, cut int) float64 {
	share, exponent := 1.0, cut-c.Bits()
	for d, places := range c.places {
		for r, p := range places {
			if bit(lo, int(p)) != bit(hi, int(p)) {
				share *= c.width(lo, uint8(d), r+1, true) + c.width(hi, uint8(d), r+1, false)
				exponent += c.bits[d] - r - 1
				break
			}
		}
	}
	return math.Ldexp(share, exponent)
}

// span returns the number of addresses from lo to hi as a share of the same
// cell. Like volume it adds what lies on each side of the middle of the cell; a
// difference would lose its digits when both are near the middle.
func (c *Curve) span(lo, hi []byte, cut int) float64 {
	if cut == c.Bits() {
		return 1
	}
	return (c.length(lo, cut+1, ^uint64(0)) + c.length(hi, cut+1, 0)) / 2
}

// width reads the bits of dimension d from its bit r on, flipped or not, as a
// binary fraction and adds one unit in the last place: the share of a half that
// lies between its middle and an end.
func (c *Curve) width(z []byte, d uint8, r int, flip bool) float64 {
	f, unit := 0.0, 1.0
	for _, p := range c.places[d][r:] {
		unit /= 2
		if bit(z, int(p)) != flip {
			f += unit
		}
		if unit < f*(1.0/(1<<40)) {
			break
		}
	}
	return f + unit
}

// length is width for an address as a whole.
func (c *Curve) length(z []byte, p int, flip uint64) float64 {
	rest := c.Bits() - p
	for at := 0; at < rest; at += 64 {
		x := window(z, p+at) ^ flip
		if n := rest - at; n <= 64 { // the last bits, and the unit
			x &^= ^uint64(0) >> n
			return math.Ldexp(float64(x)+float64(uint64(1)<<(64-n)), -64-at)
		}
		if x != 0 {
			y := window(z, p+at+64) ^ flip
			return math.Ldexp(float64(x)+float64(y)/(1<<64), -64-at)
		}
	}
	return 1
}

// window returns the 64 bits of z from bit p on.
func window(z []byte, p int) uint64 {
	return word(z, p/64)<<(p%64) | word(z, p/64+1)>>(64-p%64)
}
