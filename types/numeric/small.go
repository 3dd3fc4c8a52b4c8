package numeric

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// Small is a finite numeric with a coefficient of 63 bits and at most MaxSmallScale digits behind the point: most that
// people keep are. It needs no memory of its own, and its arithmetic is that of integers.
type Small struct {
	Coefficient int64 // never the least int64, so that each has a negative
	Scale       int32 // from 0 to MaxSmallScale
}

// MaxSmallScale is the greatest scale of a Small: the powers of ten up to there fit into an int64.
const MaxSmallScale = 18

// tens are the powers of ten that fit into an int64.
var tens = func() (out [MaxSmallScale + 1]int64) {
	out[0] = 1
	for i := 1; i < len(out); i++ {
		out[i] = out[i-1] * 10
	}
	return out
}()

// SmallOf is a numeric as a Small, if it is one.
func SmallOf(d *apd.Decimal) (Small, bool) {
	if d.Form != apd.Finite || d.Exponent > 0 || d.Exponent < -MaxSmallScale || !d.Coeff.IsUint64() {
		return Small{}, false
	}
	n := d.Coeff.Uint64()
	if n > math.MaxInt64 {
		return Small{}, false
	}
	s := Small{int64(n), -d.Exponent}
	if d.Negative {
		s.Coefficient = -s.Coefficient
	}
	return s, true
}

// ParseSmall reads a number as most are written: a sign, digits and perhaps a point with more of them. It says false of
// every other text, which Parse reads.
func ParseSmall(text string) (s Small, is bool) {
	digits := text
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) > MaxSmallScale || digits == "" {
		return s, false
	}
	for i := range len(digits) {
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
			s.Coefficient = s.Coefficient*10 + int64(c-'0')
		case c == '.' && i > 0 && i < len(digits)-1 && s.Scale == 0:
			s.Scale = int32(len(digits) - 1 - i)
		default:
			return s, false
		}
	}
	if text[0] == '-' {
		s.Coefficient = -s.Coefficient
	}
	return s, true
}

// SmallInt is an integer as a Small, if it is one.
func SmallInt(n int64) (Small, bool) { return Small{Coefficient: n}, n != math.MinInt64 }

// Decimal is the number in memory of its own.
func (s Small) Decimal() *apd.Decimal {
	d := &apd.Decimal{}
	s.Set(d)
	return d
}

// Set sets a decimal to the number.
func (s Small) Set(d *apd.Decimal) {
	d.Form, d.Negative, d.Exponent = apd.Finite, s.Coefficient < 0, -s.Scale
	d.Coeff.SetUint64(s.size())
}

// size is the coefficient without its sign.
func (s Small) size() uint64 {
	if s.Coefficient < 0 {
		return uint64(-s.Coefficient)
	}
	return uint64(s.Coefficient)
}

// Scaled is the coefficient for a scale that is not below the number's own; false: it does not fit.
func (s Small) Scaled(scale int32) (int64, bool) {
	if s.Scale == scale {
		return s.Coefficient, true
	}
	return product(s.Coefficient, tens[scale-s.Scale])
}

// product is a * b, neither of which is the least int64; false: it does not fit.
func product(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if high != 0 || low > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(low), true
	}
	return int64(low), true
}

// Add is the sum with the greater of the scales; false: it is not a Small.
func (s Small) Add(o Small) (Small, bool) {
	scale := max(s.Scale, o.Scale)
	a, fits := s.Scaled(scale)
	b, too := o.Scaled(scale)
	sum := a + b
	if !fits || !too || (sum > a) != (b > 0) && b != 0 || sum == math.MinInt64 {
		return Small{}, false
	}
	return Small{sum, scale}, true
}

// Sub is the difference with the greater of the scales; false: it is not a Small.
func (s Small) Sub(o Small) (Small, bool) { return s.Add(Small{-o.Coefficient, o.Scale}) }

// Mul is the product with the sum of the scales; false: it is not a Small.
func (s Small) Mul(o Small) (Small, bool) {
	scale := s.Scale + o.Scale
	n, fits := product(s.Coefficient, o.Coefficient)
	return Small{n, scale}, fits && scale <= MaxSmallScale
}

// Compare orders numbers: -1, 0 or 1.
func (s Small) Compare(o Small) int {
	if s.Scale == o.Scale {
		return cmp.Compare(s.Coefficient, o.Coefficient)
	}
	if order := cmp.Compare(sign(s.Coefficient), sign(o.Coefficient)); order != 0 || s.Coefficient == 0 {
		return order
	}
	scale := max(s.Scale, o.Scale)
	a, lowA := bits.Mul64(s.size(), uint64(tens[scale-s.Scale]))
	b, lowB := bits.Mul64(o.size(), uint64(tens[scale-o.Scale]))
	order := cmp.Or(cmp.Compare(a, b), cmp.Compare(lowA, lowB))
	if s.Coefficient < 0 {
		return -order
	}
	return order
}

func sign(n int64) int {
	return cmp.Compare(n, 0)
}

// Float is Float for the number.
func (s Small) Float() (float64, bool) {
	const exactInt = 1 << 53 // a quotient of exact floats is rounded once
	if s.size() > exactInt {
		return 0, false
	}
	return float64(s.Coefficient) / float64(tens[s.Scale]), true
}

// Within says whether the number is one of numeric(precision, scale) as it is.
func (s Small) Within(mod int32) bool {
	precision, scale := splitModifier(mod)
	return int(s.Scale) == scale && (precision > MaxSmallScale || s.size() < uint64(tens[precision]))
}

// Append appends the number as PostgreSQL shows it.
func (s Small) Append(dst []byte) []byte {
	if s.Coefficient < 0 {
		dst = append(dst, '-')
	}
	if s.Scale == 0 {
		return strconv.AppendUint(dst, s.size(), 10)
	}
	power := uint64(tens[s.Scale])
	dst = append(strconv.AppendUint(dst, s.size()/power, 10), '.')
	fraction := s.size() % power
	for power /= 10; power > max(fraction, 1); power /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, fraction, 10)
}

// AppendKey is AppendKey for the number.
func (s Small) AppendKey(dst []byte) []byte {
	form := byte(apd.Finite) << 1
	if s.Coefficient < 0 {
		form |= 1
	}
	dst = append(dst, form)
	if s.Coefficient == 0 {
		return append(dst, 0, 0)
	}
	n, exponent := s.size(), -int64(s.Scale)
	for n%10 == 0 {
		n, exponent = n/10, exponent+1
	}
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], n, 10)
	dst = binary.AppendVarint(dst, exponent)
	dst = binary.AppendUvarint(dst, uint64(len(digits)))
	return append(dst, digits...)
}
