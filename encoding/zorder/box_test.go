package zorder

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomBox makes a box over a small curve and the set of its addresses.
func randomBox(r *rand.Rand, c *Curve) (Box, []bool) {
	n := c.Dims()
	lo, hi := make([]uint64, n), make([]uint64, n)
	for d := range n {
		lo[d], hi[d] = r.Uint64N(1<<c.bits[d]), r.Uint64N(1<<c.bits[d])
		if lo[d] > hi[d] && r.IntN(20) > 0 {
			lo[d], hi[d] = hi[d], lo[d]
		}
	}
	low, high := point(c, lo...), point(c, hi...)
	for d := range n {
		if r.IntN(5) == 0 {
			lo[d], low[d] = 0, nil
		}
		if r.IntN(5) == 0 {
			hi[d], high[d] = 1<<c.bits[d]-1, nil
		}
	}
	in := make([]bool, 1<<c.Bits())
	for z := range in {
		in[z] = true
		for d, v := range c.Deinterleave(address(c, uint64(z))) {
			x := word(v, 0) >> (64 - c.bits[d])
			in[z] = in[z] && lo[d] <= x && x <= hi[d]
		}
	}
	return c.Box(low, high), in
}

// checkBox compares a box with the set of its addresses.
func checkBox(t *testing.T, c *Curve, b *Box, in []bool) {
	t.Helper()
	first, last, next := -1, -1, -1
	for n := len(in) - 1; n >= 0; n-- {
		if in[n] {
			first, next = n, n
			last = max(last, n)
		}
		z := append(address(c, uint64(n)), 0xff)
		z[c.Len()-1] |= 1<<(c.Len()*8-c.Bits()) - 1 // what fills up the byte must not matter
		if b.Contains(z) != in[n] {
			t.Fatalf("widths %v, box %x..%x: contains %d is %t", c.bits, b.min, b.max, n, !in[n])
		}
		got, ok := b.Next([]byte("x"), z)
		want := []byte("x")
		if next >= 0 {
			want = append(want, address(c, uint64(next))...)
		}
		if ok != (next >= 0) || !bytes.Equal(got, want) {
			t.Fatalf("widths %v, box %x..%x: next of %d is %x %t, want %x", c.bits, b.min, b.max, n, got, ok, want)
		}
	}
	if b.Empty() != (first < 0) {
		t.Fatalf("widths %v, box %x..%x: empty is %t", c.bits, b.min, b.max, b.Empty())
	}
	if first >= 0 && (number(c, b.Min()) != uint64(first) || number(c, b.Max()) != uint64(last)) {
		t.Fatalf("widths %v: corners %x, %x, want %d, %d", c.bits, b.Min(), b.Max(), first, last)
	}
}

func TestBoxAgainstEnumeration(t *testing.T) {
	r := random(t)
	for _, bits := range smallOnes {
		c := mustNew(t, bits...)
		for range 60 {
			b, in := randomBox(r, c)
			checkBox(t, c, &b, in)
		}
	}
}

// TestContainsCell compares ContainsCell with what is in a box one by one.
func TestContainsCell(t *testing.T) {
	r := random(t)
	held := 0
	for _, widths := range smallOnes {
		c := mustNew(t, widths...)
		for range 60 {
			b, in := randomBox(r, c)
			for range 200 {
				from := r.IntN(len(in))
				to := min(from+r.IntN(1+r.IntN(len(in))), len(in)-1)
				free := bits.Len(uint(from ^ to))
				cell := in[from>>free<<free : to>>free<<free+1<<free]
				want := !slices.Contains(cell, false)
				if got := b.ContainsCell(address(c, uint64(from)), address(c, uint64(to))); got != want {
					t.Fatalf("widths %v, box %x..%x: all from %d to %d: %t", widths, b.min, b.max, from, to, got)
				}
				if want && free > 0 {
					held++
				}
			}
		}
	}
	if held < 1000 {
		t.Errorf("boxes contained %d cells of several addresses", held)
	}
}

// Long addresses use several words; small curves shifted into them must behave
// as the small curves do.
func TestBoxAcrossWords(t *testing.T) {
	r := random(t)
	for range 200 {
		bits := randomWidths(r, 90)
		c := mustNew(t, bits...)
		lo, hi := randomPoint(r, bits), randomPoint(r, bits)
		for d := range lo {
			copy(hi[d], lo[d][:r.IntN(len(lo[d])+1)]) // a common prefix
			if bytes.Compare(lo[d], hi[d]) > 0 {
				lo[d], hi[d] = hi[d], lo[d]
			}
		}
		b := c.Box(lo, hi)
		for range 50 {
			checkNear(t, c, &b, nearby(r, &b, lo, hi))
		}
	}
}

// nearby returns an address that shares many bits with those of the box.
func nearby(r *rand.Rand, b *Box, lo, hi [][]byte) []byte {
	p := make([][]byte, len(lo))
	for d := range p {
		p[d] = lo[d]
		if r.IntN(2) == 0 {
			p[d] = hi[d]
		}
	}
	z := b.curve.Interleave(nil, p)
	for range r.IntN(3) {
		z[r.IntN(len(z))] ^= 1 << r.IntN(8)
	}
	z[len(z)-1] &= 0xff << (len(z)*8 - b.curve.Bits())
	return z
}

// checkCell compares ContainsCell with the corners of some of the cells that z is in.
func checkCell(t *testing.T, c *Curve, b *Box, z []byte) {
	t.Helper()
	low, high := bytes.Clone(z), bytes.Clone(z)
	for bit := c.Bits() - 1; bit >= 0; bit-- {
		low[bit/8] &^= 0x80 >> (bit % 8)
		high[bit/8] |= 0x80 >> (bit % 8)
		if bit%8 != int(z[0]%8) {
			continue
		}
		want := containsSlowly(c, b, low) && containsSlowly(c, b, high)
		if got := b.ContainsCell(low, high); got != want {
			t.Fatalf("widths %v, box %x..%x: contains all from %x to %x is %t", c.bits, b.min, b.max, low, high, got)
		}
	}
}

// checkNear compares Contains with the bounds dimension by dimension and Next
// with what can be said without enumeration: it lies inside, not before z, and
// no address between is reached by setting one later bit.
func checkNear(t *testing.T, c *Curve, b *Box, z []byte) {
	t.Helper()
	if got, want := b.Contains(z), containsSlowly(c, b, z); got != want {
		t.Fatalf("widths %v, box %x..%x: contains %x is %t", c.bits, b.min, b.max, z, got)
	}
	checkCell(t, c, b, z)
	got, ok := b.Next(nil, z)
	want, found := nextSlowly(c, b, z)
	if ok != found || !bytes.Equal(got, want) {
		t.Fatalf("widths %v, box %x..%x: next of %x is %x, want %x", c.bits, b.min, b.max, z, got, want)
	}
}

func containsSlowly(c *Curve, b *Box, z []byte) bool {
	lo, hi := c.Deinterleave(b.min), c.Deinterleave(b.max)
	for d, v := range c.Deinterleave(z) {
		if bytes.Compare(v, lo[d]) < 0 || bytes.Compare(v, hi[d]) > 0 {
			return false
		}
	}
	return true
}

// nextSlowly is BIGMIN as Tropf and Herzog give it: one bit at a time, keeping
// the sub-box that is still possible and the best answer to the right of z.
func nextSlowly(c *Curve, b *Box, z []byte) ([]byte, bool) {
	if containsSlowly(c, b, z) {
		return z, true
	}
	var best []byte
	lo, hi := b.min, b.max
	for p := range c.Bits() {
		switch zb, lb, hb := bit(z, p), bit(lo, p), bit(hi, p); {
		case !zb && !lb && hb:
			hi, best = c.litmax(hi, p), c.bigmin(lo, p)
		case !zb && lb && hb:
			return lo, true
		case zb && !lb && !hb:
			return best, best != nil
		case zb && !lb && hb:
			lo = c.bigmin(lo, p)
		}
	}
	return best, best != nil
}

// litmax is the greatest address of a sub-box below the cut at bit p: hi with 0 at p and 1 in
// the later bits of the same dimension.
func (c *Curve) litmax(hi []byte, p int) []byte {
	z := slices.Clone(hi)
	z[p/8] &^= 0x80 >> (p % 8)
	for _, q := range c.addressBits[c.order[p]][c.rank[p]+1:] {
		setBit(z, int(q))
	}
	return z
}

// bigmin is the smallest address of a sub-box above the cut at bit p: lo with 1 at p and 0 in
// the later bits of the same dimension.
func (c *Curve) bigmin(lo []byte, p int) []byte {
	z := slices.Clone(lo)
	setBit(z, p)
	for _, q := range c.addressBits[c.order[p]][c.rank[p]+1:] {
		z[q/8] &^= 0x80 >> (q % 8)
	}
	return z
}

func TestNextDoesNotAllocate(t *testing.T) {
	c := mustNew(t, 32, 32, 32)
	b := c.Box(point(c, 10, 20, 30), point(c, 1000, 2000, 3000))
	z, dst := c.Interleave(nil, point(c, 5000, 0, 0)), make([]byte, 0, c.Len())
	if n := testing.AllocsPerRun(100, func() { b.Next(dst, z) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
