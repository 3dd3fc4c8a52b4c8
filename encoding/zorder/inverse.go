package zorder

import "math"

// Least returns the least value whose code is not below the given one, or false if there is
// none. It is the inverse of Code as far as there is one, found by trying bits.
func (m Map) Least(code uint64, bits int) (uint64, bool) {
	if m.Code(0, bits) >= code {
		return 0, true
	}
	below := uint64(0) // the greatest value whose code is below
	for b := uint64(1) << 63; b != 0; b >>= 1 {
		if m.Code(below|b, bits) < code {
			below |= b
		}
	}
	return below + 1, below != math.MaxUint64
}
