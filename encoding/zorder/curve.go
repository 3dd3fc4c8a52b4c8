package zorder

import (
	"encoding/binary"
	"fmt"
)

// Limits of a curve.
const (
	MaxDims = 16   // dimensions of one curve
	MaxBits = 8192 // bits of one dimension
)

// Curve is the bit order of a Z-order index: how the bits of its dimensions are
// interleaved. One bit of each dimension is taken in turn, the first
// dimension's first; a dimension that has run out of bits is left out. A Curve
// does not change and may be shared.
type Curve struct {
	bits        []int     // width of each dimension
	addressBits [][]int32 // by dimension: the address bit of each of its bits
	masks       [][]byte  // by dimension: its bits in an address
	order       []uint8   // by address bit: the dimension it comes from
	rank        []uint16  // by address bit: which bit of the dimension it is
	runs        []int32   // by address bit: where the run of bits of its dimension ends
	stretches   []stretch // the same order as tables, for Interleave
}

// New returns the curve of dimensions with the given numbers of bits.
func New(bits ...int) (*Curve, error) {
	if len(bits) < 1 || len(bits) > MaxDims {
		return nil, fmt.Errorf("zorder: %d dimensions, want 1 to %d", len(bits), MaxDims)
	}
	for i, b := range bits {
		if b < 1 || b > MaxBits {
			return nil, fmt.Errorf("zorder: dimension %d has %d bits, want 1 to %d", i+1, b, MaxBits)
		}
	}
	c := &Curve{bits: append([]int(nil), bits...), addressBits: make([][]int32, len(bits))}
	for from := 0; ; {
		s, ok := newStretch(bits, from)
		if !ok {
			break
		}
		c.stretches = append(c.stretches, s)
		c.lay(s)
		from = s.to
	}
	c.index()
	return c, nil
}

// lay appends the bits of a stretch to the order of the curve.
func (c *Curve) lay(s stretch) {
	for r := s.from; r < s.to; r++ {
		for _, d := range s.dims {
			c.addressBits[d] = append(c.addressBits[d], int32(len(c.order)))
			c.order = append(c.order, uint8(d))
			c.rank = append(c.rank, uint16(r))
		}
	}
}

// index derives masks and runs from the order.
func (c *Curve) index() {
	c.masks = make([][]byte, len(c.bits))
	for d := range c.masks {
		c.masks[d] = make([]byte, c.Len())
	}
	c.runs = make([]int32, len(c.order))
	end := len(c.order)
	for p := len(c.order) - 1; p >= 0; p-- {
		if p+1 < end && c.order[p] != c.order[p+1] {
			end = p + 1
		}
		c.runs[p] = int32(end)
		setBit(c.masks[c.order[p]], p)
	}
}

// Dims returns the number of dimensions.
func (c *Curve) Dims() int { return len(c.bits) }

// Bits returns the number of bits of an address.
func (c *Curve) Bits() int { return len(c.order) }

// Len returns the number of bytes of an address; bits that fill up the last
// byte are zero.
func (c *Curve) Len() int { return (len(c.order) + 7) / 8 }

// Interleave appends the address of a point to dst. The point has one byte
// slice for each dimension, big-endian and left-aligned: its first bits count,
// as many as the dimension is wide, and bits beyond the slice are zero.
func (c *Curve) Interleave(dst []byte, point [][]byte) []byte {
	w := bitWriter{dst: dst}
	for i := range c.stretches {
		c.stretches[i].write(&w, point)
	}
	return w.close()
}

// Deinterleave returns the point of an address, the inverse of Interleave.
func (c *Curve) Deinterleave(z []byte) [][]byte {
	point := make([][]byte, len(c.bits))
	for d, bits := range c.bits {
		point[d] = make([]byte, (bits+7)/8)
	}
	for p, d := range c.order {
		if bit(z, p) {
			setBit(point[d], int(c.rank[p]))
		}
	}
	return point
}

// stretch is a part of the order in which the same dimensions take turns.
type stretch struct {
	dims     []int
	from, to int      // the bits of each dimension that are taken here
	step     int      // bits of each that are interleaved at a time
	spread   []uint64 // step bits -> the same bits len(dims) places apart
}

// newStretch returns the stretch that starts with bit from of each dimension,
// or false if none is so wide.
func newStretch(bits []int, from int) (stretch, bool) {
	s := stretch{from: from, to: MaxBits}
	for d, b := range bits {
		if b > from {
			s.dims = append(s.dims, d)
			s.to = min(s.to, b)
		}
	}
	k := len(s.dims)
	s.step = 8
	if k > 8 {
		s.step = 4 // the spread bits must fit into 64
	}
	s.spread = make([]uint64, 1<<s.step)
	for v := range s.spread {
		for i := range s.step {
			s.spread[v] |= uint64(v>>i&1) << (i * k)
		}
	}
	return s, k > 0
}

// write interleaves the bits of the stretch.
func (s *stretch) write(w *bitWriter, point [][]byte) {
	k := len(s.dims)
	for at := s.from; at < s.to; at += s.step {
		n := min(s.step, s.to-at)
		var v uint64
		for i, d := range s.dims {
			v |= s.spread[peek(point[d], at)>>(8-s.step)] << (k - 1 - i)
		}
		w.put(v>>((s.step-n)*k), n*k)
	}
}

// peek returns the eight bits of p from bit at on.
func peek(p []byte, at int) uint8 {
	i, shift := at/8, at%8
	if i >= len(p) {
		return 0
	}
	b := p[i] << shift
	if shift > 0 && i+1 < len(p) {
		b |= p[i+1] >> (8 - shift)
	}
	return b
}

// bitWriter appends bits to a byte slice, the highest first.
type bitWriter struct {
	dst  []byte
	word uint64
	used int // bits of word, from the top
}

// put writes the low n bits of v, whose other bits are zero.
func (w *bitWriter) put(v uint64, n int) {
	free := 64 - w.used
	if n < free {
		w.word |= v << (free - n)
		w.used += n
		return
	}
	w.used = n - free
	w.dst = binary.BigEndian.AppendUint64(w.dst, w.word|v>>w.used)
	w.word = v << (64 - w.used)
}

// close writes the bytes that are still held back.
func (w *bitWriter) close() []byte {
	for ; w.used > 0; w.used -= 8 {
		w.dst = append(w.dst, byte(w.word>>56))
		w.word <<= 8
	}
	return w.dst
}

func bit(z []byte, p int) bool { return p/8 < len(z) && z[p/8]&(0x80>>(p%8)) != 0 }

func setBit(z []byte, p int) { z[p/8] |= 0x80 >> (p % 8) }

// word returns the w-th 64 bits of z, zero beyond its end.
func word(z []byte, w int) uint64 {
	if i := 8 * w; i+8 <= len(z) {
		return binary.BigEndian.Uint64(z[i:])
	}
	return lastWord(z, w)
}

func lastWord(z []byte, w int) uint64 {
	var x uint64
	for i := 8 * w; i < len(z); i++ {
		x |= uint64(z[i]) << (56 - 8*(i-8*w))
	}
	return x
}
