package numeric

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
)

// The arithmetic of numerics follows PostgreSQL's numeric.c in the scale of a result.
// The results are exact but for quotients, which round half away from zero.

// Add is a + b, with the greater of their scales.
func Add(a, b *apd.Decimal) (*apd.Decimal, error) { return Checked(AddWide(a, b)) }

// Sub is a - b, with the greater of their scales.
func Sub(a, b *apd.Decimal) (*apd.Decimal, error) { return Checked(SubWide(a, b)) }

// AddWide is Add where the sum may have more digits than numerics, as what is between aggregates may.
func AddWide(a, b *apd.Decimal) *apd.Decimal { return addSigned(a, b, b.Negative) }

// SubWide is Sub as AddWide is Add.
func SubWide(a, b *apd.Decimal) *apd.Decimal { return addSigned(a, b, !b.Negative) }

// MulWide is the exact product of finite numbers, which may have more digits than numerics.
func MulWide(a, b *apd.Decimal) *apd.Decimal {
	z := &apd.Decimal{Exponent: a.Exponent + b.Exponent, Negative: a.Negative != b.Negative}
	z.Coeff.Mul(&a.Coeff, &b.Coeff)
	return z
}

// addSigned is a + b where b has another sign.
func addSigned(a, b *apd.Decimal, negative bool) *apd.Decimal {
	if a.Form != apd.Finite || b.Form != apd.Finite {
		return addSpecial(a, b, negative)
	}
	z := &apd.Decimal{Exponent: min(a.Exponent, b.Exponent), Negative: a.Negative}
	x, y := aligned(a, z.Exponent), aligned(b, z.Exponent)
	switch {
	case a.Negative == negative:
		z.Coeff.Add(x, y)
	case x.Cmp(y) >= 0:
		z.Coeff.Sub(x, y)
	default:
		z.Coeff.Sub(y, x)
		z.Negative = negative
	}
	z.Negative = z.Negative && z.Coeff.Sign() != 0
	return z
}

func addSpecial(a, b *apd.Decimal, negative bool) *apd.Decimal {
	switch {
	case IsNaN(a) || IsNaN(b):
		return NaN
	case a.Form == apd.Finite:
		return infinity(negative)
	case b.Form == apd.Infinite && a.Negative != negative:
		return NaN
	}
	return a
}

func infinity(negative bool) *apd.Decimal {
	if negative {
		return NegInfinity
	}
	return Infinity
}

// aligned is the coefficient of d for an exponent that is not above its own.
func aligned(d *apd.Decimal, exponent int32) *apd.BigInt {
	if d.Exponent == exponent {
		return &d.Coeff
	}
	return new(apd.BigInt).Mul(&d.Coeff, pow10(int(d.Exponent-exponent)))
}

// Checked is a number without -0, or the error of one that has more digits than numerics.
func Checked(z *apd.Decimal) (*apd.Decimal, error) {
	if z.Form != apd.Finite {
		return z, nil
	}
	return normalized(z)
}

// normalized is Checked for finite ones.
func normalized(z *apd.Decimal) (*apd.Decimal, error) {
	if z.Coeff.Sign() == 0 {
		z.Negative = false
	} else if integerDigits(z) > maxDigits {
		return nil, overflow()
	}
	return z, nil
}

// Mul is a * b, with the sum of their scales.
func Mul(a, b *apd.Decimal) (*apd.Decimal, error) {
	negative := a.Negative != b.Negative
	if a.Form != apd.Finite || b.Form != apd.Finite {
		if IsNaN(a) || IsNaN(b) || isZero(a) || isZero(b) {
			return NaN, nil
		}
		return infinity(negative), nil
	}
	z := MulWide(a, b)
	if scaleOf(z) > maxScale {
		z = Round(z, maxScale)
	}
	return normalized(z)
}

func isZero(d *apd.Decimal) bool { return d.Form == apd.Finite && d.Coeff.Sign() == 0 }

// Div is a / b with at least 16 significant digits and at least their scales.
func Div(a, b *apd.Decimal) (*apd.Decimal, error) {
	negative := a.Negative != b.Negative
	switch {
	case IsNaN(a) || IsNaN(b), a.Form == apd.Infinite && b.Form == apd.Infinite:
		return NaN, nil
	case isZero(b):
		return nil, DivisionByZero()
	case a.Form == apd.Infinite:
		return infinity(negative), nil
	case b.Form == apd.Infinite:
		return new(apd.Decimal), nil
	}
	scale := quotientScale(a, b)
	z := &apd.Decimal{Exponent: int32(-scale), Negative: negative}
	x, y := &a.Coeff, &b.Coeff
	if shift := scale + scaleOf(b) - scaleOf(a); shift >= 0 {
		x = new(apd.BigInt).Mul(x, pow10(shift))
	} else {
		y = new(apd.BigInt).Mul(y, pow10(-shift))
	}
	quotient(&z.Coeff, x, y, true)
	return normalized(z)
}

// DivisionByZero is the error of a division by zero.
func DivisionByZero() error { return sqlerr.New(sqlerr.DivisionByZero, "division by zero") }

// quotientScale is PostgreSQL's select_div_scale, which reckons in groups of four
// digits.
func quotientScale(a, b *apd.Decimal) int {
	const significant, most = 16, 1000
	weightA, firstA := leadingGroup(a)
	weightB, firstB := leadingGroup(b)
	weight := weightA - weightB
	if firstA <= firstB {
		weight--
	}
	return min(max(significant-4*weight, scaleOf(a), scaleOf(b), 0), most)
}

// leadingGroup is the first digit that is not zero to the base of 10000, and its place:
// 0 is the one before the point.
func leadingGroup(d *apd.Decimal) (weight, group int) {
	if d.Coeff.Sign() == 0 {
		return 0, 0
	}
	before := integerDigits(d)
	weight = (before - 1) >> 2
	width := before - 4*weight // the digits of the group
	var buf [40]byte
	digits := appendDigits(buf[:0], &d.Coeff)
	for i := range width {
		group *= 10
		if i < len(digits) {
			group += int(digits[i] - '0')
		}
	}
	return weight, group
}

// FloorDiv is a / b rounded down, for a finite b above 0, and whether that is exact. The least and the greatest
// int8 stand for what is beyond them: of NaN, too, which is above infinity.
func FloorDiv(a, b *apd.Decimal) (n int64, exact bool) {
	if a.Form == apd.Finite {
		var quotient, rest apd.BigInt
		exponent := min(a.Exponent, b.Exponent)
		quotient.QuoRem(aligned(a, exponent), aligned(b, exponent), &rest)
		exact = rest.Sign() == 0
		if a.Negative {
			quotient.Neg(&quotient)
			if !exact {
				quotient.Sub(&quotient, &smallPowers[0])
			}
		}
		if quotient.IsInt64() {
			return quotient.Int64(), exact
		}
	}
	if a.Negative && !IsNaN(a) {
		return math.MinInt64, false
	}
	return math.MaxInt64, false
}

// Mod is the remainder of a / b with the sign of a and the greater of the scales.
func Mod(a, b *apd.Decimal) (*apd.Decimal, error) {
	switch {
	case IsNaN(a) || IsNaN(b):
		return NaN, nil
	case isZero(b):
		return nil, DivisionByZero()
	case a.Form == apd.Infinite:
		return NaN, nil
	case b.Form == apd.Infinite:
		return a, nil
	}
	z := &apd.Decimal{Exponent: min(a.Exponent, b.Exponent), Negative: a.Negative}
	z.Coeff.Rem(aligned(a, z.Exponent), aligned(b, z.Exponent))
	return normalized(z)
}
