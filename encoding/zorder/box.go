package zorder

import (
	"bytes"
	"math/bits"
	"slices"
)

// Box is an interval of each dimension of a curve, bounds included. It does not
// change and may be shared; what Min, Max and Cover return is part of it.
type Box struct {
	curve    *Curve
	min, max []byte
	cells    []cell // word by word, in each the dimensions in turn
	words    int    // 64-bit words of an address, the last one filled up with zeros
	empty    bool
	below    uint32 // dimensions, as bits, that have a lower bound
	above    uint32 // and that have an upper bound
}

// cell is what one word of an address must be compared with for one dimension.
type cell struct {
	mask, lo, hi uint64
}

// Box returns the box between two points, each given as for Interleave. In
// place of a dimension's bound nil means none.
func (c *Curve) Box(lo, hi [][]byte) Box {
	top := slices.Clone(hi)
	for d := range top {
		if top[d] == nil {
			top[d] = bytes.Repeat([]byte{0xff}, (c.bits[d]+7)/8)
		}
	}
	b := Box{
		curve: c,
		min:   c.Interleave(make([]byte, 0, c.Len()), lo),
		max:   c.Interleave(make([]byte, 0, c.Len()), top),
		words: (c.Len() + 7) / 8,
	}
	b.cells = make([]cell, 0, b.words*c.Dims())
	for w := range b.words {
		for d := range c.bits {
			m := word(c.masks[d], w)
			b.cells = append(b.cells, cell{mask: m, lo: word(b.min, w) & m, hi: word(b.max, w) & m})
		}
	}
	for d := range c.bits {
		b.bound(d)
	}
	return b
}

// bound notes which bounds of dimension d exclude anything, and whether they
// exclude everything.
func (b *Box) bound(d int) {
	equal := true
	for i := d; i < len(b.cells); i += len(b.curve.bits) {
		c := b.cells[i]
		if c.lo != 0 {
			b.below |= 1 << d
		}
		if c.hi != c.mask {
			b.above |= 1 << d
		}
		b.empty = b.empty || equal && c.lo > c.hi
		equal = equal && c.lo == c.hi
	}
}

// Min returns the address of the corner that is lowest in every dimension: no
// address in the box is smaller.
func (b *Box) Min() []byte { return b.min }

// Max returns the address of the corner that is highest in every dimension: no
// address in the box is greater.
func (b *Box) Max() []byte { return b.max }

// Empty reports whether the box contains no address.
func (b *Box) Empty() bool { return b.empty }

// Contains reports whether the box contains the address with which z begins;
// bytes after it do not count.
//
// Bits of one dimension keep their order when those of the others are masked
// out, so masked words are compared with the bounds directly. The first word
// decides unless a dimension equals a bound there.
func (b *Box) Contains(z []byte) bool {
	x := word(z, 0)
	equal := false
	for d := range b.curve.bits {
		c := &b.cells[d]
		v := x & c.mask
		if v <= c.lo || v >= c.hi {
			if v < c.lo || v > c.hi {
				return false
			}
			equal = true
		}
	}
	return !equal || b.words == 1 || b.ContainsCell(z, z)
}

// ContainsCell reports whether the box contains all addresses that begin with
// the bits with which two of them begin; bytes after these two do not count.
// These addresses are a box, too, and all that lie between the two on the curve
// are among them.
//
// In each dimension the lowest corner of that box must not be below, and the
// highest one not above. Where a bound's first words equal those of the corner,
// the rest of the corner is all zeros or all ones.
func (b *Box) ContainsCell(from, to []byte) bool {
	low, high := b.below, b.above // dimensions whose bits so far equal the bound's
	common := true
	cells := b.cells
	for w := 0; low|high != 0 && w < b.words; w++ {
		x, y := uint64(0), ^uint64(0)
		if common {
			x, y = word(from, w), word(to, w)
			free := ^uint64(0) >> bits.LeadingZeros64(x^y)
			x, y, common = x&^free, y|free, x == y
		}
		row := cells[:len(b.curve.bits)]
		cells = cells[len(row):]
		for d := range row {
			c, one := &row[d], uint32(1)<<d
			if lo := x & c.mask; low&one != 0 && lo != c.lo {
				if lo < c.lo {
					return false
				}
				low &^= one
			}
			if hi := y & c.mask; high&one != 0 && hi != c.hi {
				if hi > c.hi {
					return false
				}
				high &^= one
			}
		}
	}
	return true
}
