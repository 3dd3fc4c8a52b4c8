package zorder

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestHull compares the box around a range of addresses with the points of all of them.
func TestHull(t *testing.T) {
	r := random(t)
	for range 500 {
		c, lo, hi := randomRange(t, r)
		low, high := c.Hull(lo, hi)
		wantLow, wantHigh := c.Deinterleave(lo), c.Deinterleave(lo)
		for z := lo; ; z, _ = After(nil, z, c.Bits()) {
			for d, v := range c.Deinterleave(z) {
				if bytes.Compare(v, wantLow[d]) < 0 {
					wantLow[d] = v
				}
				if bytes.Compare(v, wantHigh[d]) > 0 {
					wantHigh[d] = v
				}
			}
			if bytes.Equal(z, hi) {
				break
			}
		}
		for d := range low {
			if !bytes.Equal(low[d], wantLow[d]) || !bytes.Equal(high[d], wantHigh[d]) {
				t.Fatalf("dimensions of %v bits, %x to %x: dimension %d goes from %x to %x, want %x to %x",
					c.bits, lo, hi, d, low[d], high[d], wantLow[d], wantHigh[d])
			}
		}
	}
}

// randomRange is a curve of few bits and two of its addresses.
func randomRange(t *testing.T, r *rand.Rand) (c *Curve, lo, hi []byte) {
	bits := make([]int, 1+r.IntN(4))
	for i := range bits {
		bits[i] = 1 + r.IntN(3)
	}
	c, err := New(bits...)
	if err != nil {
		t.Fatal(err)
	}
	address := func() []byte {
		z := uint64(r.IntN(1<<c.Bits())) << (64 - c.Bits())
		return appendTop(nil, z, c.Len())
	}
	if lo, hi = address(), address(); bytes.Compare(lo, hi) > 0 {
		lo, hi = hi, lo
	}
	return c, lo, hi
}
