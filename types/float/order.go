package float

import (
	"cmp"
	"math"
)

// Compare orders floats: -1, 0 or 1. NaN is above infinity and equal to itself.
func Compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return cmp.Compare(nanRank(a), nanRank(b))
}

func nanRank(f float64) int {
	if f != f {
		return 1
	}
	return 0
}

// Key makes the bits of equal floats equal.
func Key(f float64) uint64 {
	switch {
	case f == 0:
		return 0
	case f != f:
		return nanBits
	}
	return math.Float64bits(f)
}
