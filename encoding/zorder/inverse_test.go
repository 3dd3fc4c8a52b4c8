package zorder

import (
	"math"
	"testing"
)

// TestLeast holds the inverse of a map against the map on both sides of what it answers.
func TestLeast(t *testing.T) {
	r := random(t)
	for range 2000 {
		m := Map{Knots: randomKnots(r)}
		bits := 1 + r.IntN(64)
		code := r.Uint64() >> (64 - bits)
		if len(m.Knots) > 0 && r.IntN(2) == 0 {
			code = m.Code(m.Knots[r.IntN(len(m.Knots))]+r.Uint64N(3)-1, bits)
		}
		v, ok := m.Least(code, bits)
		switch {
		case !ok && m.Code(math.MaxUint64, bits) >= code:
			t.Fatalf("knots %v, %d bits: no value has code %x", m.Knots, bits, code)
		case ok && m.Code(v, bits) < code:
			t.Fatalf("knots %v, %d bits: the code of %d is %x, below %x", m.Knots, bits, v, m.Code(v, bits), code)
		case ok && v > 0 && m.Code(v-1, bits) >= code:
			t.Fatalf("knots %v, %d bits: %d is not the least with code %x", m.Knots, bits, v, code)
		}
	}
}
