package zorder

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Next appends to dst the smallest address in the box that is not smaller than
// the address with which z begins, or returns false if there is none. It is
// BIGMIN of Tropf and Herzog, "Multidimensional range search in dynamically
// balanced trees" (1981), but finds the bit to change with masks over whole
// words instead of walking down bit by bit.
//
// An answer greater than z shares its bits with z up to one that is 0 in z and
// 1 in the answer, which should be as far right as possible. That bit lies no
// further right than the first at which z leaves the box in any dimension, and
// in its own dimension z must differ from the upper bound at the bit or before
// it, so that there is room for the 1. What follows is as small as the lower
// bounds allow.
func (b *Box) Next(dst, z []byte) ([]byte, bool) {
	if b.empty {
		return dst, false
	}
	s := step{word: -1, low: b.below}
	high := b.above // dimensions whose bits so far equal the upper bound's
	cells := b.cells
	for w := range b.words {
		x := word(z, w)
		row := cells[:len(b.curve.bits)]
		cells = cells[len(row):]
		room, out := uint64(0), 64
		for d := range row {
			c, one := &row[d], uint32(1)<<d
			v := x & c.mask
			if s.low&one != 0 && v != c.lo {
				p := bits.LeadingZeros64(v ^ c.lo)
				s.low &^= one
				s.rise[d] = int32(w*64 + p)
				if v < c.lo {
					out = min(out, p)
				}
			}
			switch {
			case high&one == 0:
				room |= c.mask
			case v < c.hi:
				room |= c.mask & (^uint64(0) >> bits.LeadingZeros64(v^c.hi))
				high &^= one
			case v > c.hi:
				out = min(out, bits.LeadingZeros64(v^c.hi))
			}
		}
		room &^= x
		if out == 64 {
			s.choose(w, room)
			continue
		}
		if first := uint64(1) << 63 >> out; x&first == 0 { // below a lower bound: rise to it
			s.word, s.bit, s.below = w, first, true
		} else {
			s.choose(w, room&^(first|(first-1)))
		}
		if s.word < 0 {
			return dst, false
		}
		return b.rise(dst, z, &s), true
	}
	return b.same(dst, z), true
}

// step is the way from an address to the next one inside a box.
type step struct {
	word  int            // where the bit to set is, -1 if there is none yet
	bit   uint64         // the bit
	below bool           // z is below a lower bound, which has this bit
	low   uint32         // dimensions whose bits equal the lower bound's throughout
	rise  [MaxDims]int32 // for the others, the first bit that differs
}

// choose takes the last of the bits of word w that have room, if there are any.
func (s *step) choose(w int, room uint64) {
	if room != 0 {
		s.word, s.bit = w, room&-room
	}
}

// rise appends z up to the bit of the step, the bit, and after it the lower
// bounds of the dimensions that are not above them yet.
func (b *Box) rise(dst, z []byte, s *step) []byte {
	at := s.word*64 + bits.LeadingZeros64(s.bit)
	fill := s.low
	for d := range b.curve.bits {
		if b.below>>d&1 != 0 && s.rise[d] >= int32(at) {
			fill |= 1 << d
		}
	}
	if !s.below { // the bit itself lifts its dimension above the lower bound
		fill &^= 1 << b.curve.order[at]
	}
	buf, dst := extend(dst, b.curve.Len())
	for w := range s.word {
		putWord(buf, w, word(z, w))
	}
	putWord(buf, s.word, word(z, s.word)&^(s.bit-1)|s.bit|b.lowest(s.word, fill)&(s.bit-1))
	for w := s.word + 1; w < b.words; w++ {
		putWord(buf, w, b.lowest(w, fill))
	}
	return dst
}

// lowest returns the bits that the lower bounds of some dimensions have in word w.
func (b *Box) lowest(w int, dims uint32) uint64 {
	var x uint64
	for row := b.cells[w*len(b.curve.bits):]; dims != 0; dims &= dims - 1 {
		x |= row[bits.TrailingZeros32(dims)].lo
	}
	return x
}

// same appends the address with which z begins.
func (b *Box) same(dst, z []byte) []byte {
	buf, dst := extend(dst, b.curve.Len())
	for w := range b.words {
		putWord(buf, w, word(z, w))
	}
	buf[len(buf)-1] &= 0xff << (len(buf)*8 - b.curve.Bits())
	return dst
}

// extend makes room for n more bytes of dst and returns them, too.
func extend(dst []byte, n int) (tail, all []byte) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	return all[len(dst):], all
}

// putWord sets the w-th 64 bits of z, as far as z goes.
func putWord(z []byte, w int, x uint64) {
	if i := 8 * w; i+8 <= len(z) {
		binary.BigEndian.PutUint64(z[i:], x)
		return
	}
	for i := 8 * w; i < len(z); i++ {
		z[i] = byte(x >> 56)
		x <<= 8
	}
}
