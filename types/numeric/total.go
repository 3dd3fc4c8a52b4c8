package numeric

import (
	"math"
	"math/bits"

	"github.com/cockroachdb/apd/v3"
)

// Total is a sum of Smalls, or of their squares, in 128 bits. Fewer than 2^64 Smalls never overflow it.
type Total struct {
	high  int64
	low   uint64
	scale int32 // the greatest of what was added since Take
}

// Add adds a number. It says false if the scale of what is there has to be moved first: Take it.
func (t *Total) Add(s Small) bool {
	n := s.Coefficient
	if s.Scale != t.scale {
		if s.Scale > t.scale {
			if t.high != 0 || t.low != 0 {
				return false
			}
			t.scale = s.Scale
		} else if scaled, fits := s.Scaled(t.scale); fits {
			n = scaled
		} else {
			return false
		}
	}
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(n), 0)
	t.high += n>>63 + int64(carry)
	return true
}

// AddSquare adds the square of a number. It says false if what is there has to be moved first: Take it. A number that
// is refused twice is too large.
func (t *Total) AddSquare(s Small) bool {
	high, low := bits.Mul64(s.size(), s.size())
	if scale := 2 * s.Scale; scale != t.scale {
		switch behind := t.scale - scale; {
		case behind < 0 && t.high == 0 && t.low == 0:
			t.scale = scale
		case behind < 0 || behind > MaxSmallScale || high != 0:
			return false
		default:
			high, low = bits.Mul64(low, uint64(tens[behind]))
		}
	}
	low, carry := bits.Add64(t.low, low, 0)
	high, over := bits.Add64(uint64(t.high), high, carry)
	if over != 0 || high > math.MaxInt64 {
		return false
	}
	t.high, t.low = int64(high), low
	return true
}

// Take is the sum so far, which the total forgets, with its scale.
func (t *Total) Take() *apd.Decimal {
	d := &apd.Decimal{Exponent: -t.scale, Negative: t.high < 0}
	high, low := uint64(t.high), t.low
	if d.Negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	d.Coeff.SetUint64(high)
	d.Coeff.Lsh(&d.Coeff, 64)
	d.Coeff.Add(&d.Coeff, new(apd.BigInt).SetUint64(low))
	*t = Total{}
	return d
}
