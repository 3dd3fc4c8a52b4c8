package zorder

import (
	"cmp"
	"math/bits"
	"slices"
)

// Hull returns the lowest and the highest corner, as points, of the smallest box that
// contains all addresses from lo to hi, both included.
//
// The addresses between are those of few cells: from the bit on at which lo and hi first
// differ, each 0 of lo is a cell of addresses that have a 1 there and begin as lo does, and
// each 1 of hi is one of those that have a 0.
func (c *Curve) Hull(lo, hi []byte) (low, high [][]byte) {
	h := hull{Curve: c, low: slices.Clone(lo), high: slices.Clone(lo)}
	h.add(lo, c.Bits())
	h.add(hi, c.Bits())
	for p := c.differ(lo, hi) + 1; p < c.Bits(); p++ {
		if !bit(lo, p) {
			h.add(lo, p)
		}
		if bit(hi, p) {
			h.add(hi, p)
		}
	}
	return c.Deinterleave(h.low), c.Deinterleave(h.high)
}

// hull is a box that grows. Its corners are addresses, each dimension of which changes alone.
type hull struct {
	*Curve
	low, high []byte
}

// add takes in the cell of all addresses that begin as z does, up to bit p, which is the
// other one; with p = Bits it is z alone.
func (h *hull) add(z []byte, p int) {
	first, last := slices.Clone(z), slices.Clone(z)
	if p < h.Bits() {
		first[p/8] ^= 0x80 >> (p % 8)
		last[p/8] ^= 0x80 >> (p % 8)
		for i := p / 8; i < len(z); i++ {
			free := byte(0xff) >> min(8, max(0, p+1-8*i))
			first[i] &^= free
			last[i] |= free
		}
	}
	for _, mask := range h.masks {
		if compareMasked(first, h.low, mask) < 0 {
			putMasked(h.low, first, mask)
		}
		if compareMasked(last, h.high, mask) > 0 {
			putMasked(h.high, last, mask)
		}
	}
}

// compareMasked compares the bits of a mask in two addresses.
func compareMasked(a, b, mask []byte) int {
	for i, m := range mask {
		if x, y := a[i]&m, b[i]&m; x != y {
			return cmp.Compare(x, y)
		}
	}
	return 0
}

// putMasked sets the bits of a mask to those of another address.
func putMasked(dst, z, mask []byte) {
	for i, m := range mask {
		dst[i] = dst[i]&^m | z[i]&m
	}
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
