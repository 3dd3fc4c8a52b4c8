// Package numeric holds numerics: decimals with a scale, the digits that are shown after the point. It reads and writes
// their text and binary forms, compares them, rounds them, and adds, multiplies and divides them as PostgreSQL's
// numeric.c does. Roots and logarithms are functions in package expr/builtin/number. Read Parse first.
package numeric

import (
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// The exponent of a numeric's decimal is minus its scale, never above 0. There is no -0.

// What PostgreSQL's format of a numeric has room for.
const (
	maxDigits = 131072 // before the point
	maxScale  = 16383  // after it
)

// The numerics that are not finite, not to be changed.
var (
	NaN         = &apd.Decimal{Form: apd.NaN}
	Infinity    = &apd.Decimal{Form: apd.Infinite}
	NegInfinity = &apd.Decimal{Form: apd.Infinite, Negative: true}
)

// smallPowers are the powers of ten that are asked for most.
var smallPowers = powersOfTen(64)

func powersOfTen(n int) []apd.BigInt {
	powers := make([]apd.BigInt, n)
	powers[0].SetInt64(1)
	for i := 1; i < n; i++ {
		powers[i].Mul(&powers[i-1], apd.NewBigInt(10))
	}
	return powers
}

// pow10 is 10^n, not to be changed.
func pow10(n int) *apd.BigInt {
	if n < len(smallPowers) {
		return &smallPowers[n]
	}
	return new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(int64(n)), nil)
}

func scaleOf(d *apd.Decimal) int { return -int(d.Exponent) }

// IsNaN says whether a numeric is not a number.
func IsNaN(d *apd.Decimal) bool { return d.Form == apd.NaN || d.Form == apd.NaNSignaling }

// Compare orders numerics: -1, 0 or 1. NaN is above infinity.
func Compare(a, b *apd.Decimal) int {
	if IsNaN(a) || IsNaN(b) {
		switch {
		case !IsNaN(a):
			return -1
		case !IsNaN(b):
			return 1
		}
		return 0
	}
	if order := compareSizes(a, b); order != 0 {
		return order
	}
	return a.Cmp(b)
}

// compareSizes orders numerics of one sign whose numbers of digits before the point differ by the lengths of their
// coefficients in bits. It is 0 where those do not decide: bringing coefficients to one exponent takes long if they
// have many digits.
func compareSizes(a, b *apd.Decimal) int {
	if a.Form != apd.Finite || b.Form != apd.Finite || a.Negative != b.Negative || a.IsZero() || b.IsZero() ||
		a.Exponent == b.Exponent {
		return 0
	}
	leastA, mostA := digitBounds(a)
	leastB, mostB := digitBounds(b)
	order := 0
	switch {
	case mostA < leastB:
		order = -1
	case mostB < leastA:
		order = 1
	}
	if a.Negative {
		return -order
	}
	return order
}

// digitBounds are bounds of the decimal logarithm of a number, a little wide for what floats round.
func digitBounds(d *apd.Decimal) (least, most float64) {
	const margin = 1e-3
	bits, exponent := float64(d.Coeff.BitLen()), float64(d.Exponent)
	return (bits-1)*math.Log10(2) + exponent - margin, bits*math.Log10(2) + exponent + margin
}

// integerDigits is the number of digits before the point, 0 or less when there are none.
func integerDigits(d *apd.Decimal) int { return int(d.NumDigits()) - scaleOf(d) }

func overflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
}

// Parse reads the text form of a numeric.
func Parse(s string) (*apd.Decimal, error) {
	t := form.TrimSpace(s)
	if d := parseSpecial(t); d != nil {
		return d, nil
	}
	d, err := parseFinite(t)
	if err == nil && d == nil {
		err = form.InvalidText("numeric", s)
	}
	return d, err
}

// parseSpecial reads what is not finite, of which nothing ends with a digit; nil means that t is something else.
func parseSpecial(t string) *apd.Decimal {
	if len(t) < len("NaN") || len(t) > len("-Infinity") || form.IsDigit(t[len(t)-1]) {
		return nil
	}
	switch strings.ToLower(t) {
	case "nan":
		return NaN
	case "infinity", "+infinity", "inf", "+inf":
		return Infinity
	case "-infinity", "-inf":
		return NegInfinity
	}
	return nil
}

// parseFinite reads [sign] digits [. digits] [e exponent]; nil means that t is nothing
// of the kind.
func parseFinite(t string) (*apd.Decimal, error) {
	negative := strings.HasPrefix(t, "-")
	if negative || strings.HasPrefix(t, "+") {
		t = t[1:]
	}
	whole := form.LeadingDigits(t)
	rest, fraction := t[len(whole):], ""
	if strings.HasPrefix(rest, ".") {
		fraction = form.LeadingDigits(rest[1:])
		rest = rest[1+len(fraction):]
	}
	if whole == "" && fraction == "" {
		return nil, nil
	}
	exponent := int64(0)
	if rest != "" {
		var err error
		if rest[0] != 'e' && rest[0] != 'E' {
			return nil, nil
		}
		exponent, err = strconv.ParseInt(form.TrimSpace(rest[1:]), 10, 32)
		switch {
		case err != nil && err.(*strconv.NumError).Err == strconv.ErrSyntax:
			return nil, nil
		case err != nil:
			return nil, overflow()
		}
	}
	d := &apd.Decimal{Negative: negative}
	setDigits(&d.Coeff, whole, fraction)
	return insertPoint(d, int64(len(fraction))-exponent)
}

// setDigits sets z to the number whose digits are a and then b.
func setDigits(z *apd.BigInt, a, b string) {
	const exact = 19 // digits that fit in a uint64
	if len(a)+len(b) > exact {
		z.SetString(a+b, 10)
		return
	}
	n := uint64(0)
	for _, part := range [2]string{a, b} {
		for i := 0; i < len(part); i++ {
			n = n*10 + uint64(part[i]-'0')
		}
	}
	z.SetUint64(n)
}

// insertPoint gives d, whose coefficient is set, a scale that may be negative.
func insertPoint(d *apd.Decimal, scale int64) (*apd.Decimal, error) {
	if d.Coeff.Sign() == 0 {
		d.Negative = false
		scale = max(scale, 0)
	}
	if scale > maxScale || d.NumDigits()-scale > maxDigits {
		return nil, overflow()
	}
	if scale < 0 {
		d.Coeff.Mul(&d.Coeff, pow10(int(-scale)))
		scale = 0
	}
	d.Exponent = int32(-scale)
	return d, nil
}

// Append appends a numeric with all digits of its scale.
func Append(dst []byte, d *apd.Decimal) []byte {
	if IsNaN(d) {
		return append(dst, "NaN"...)
	}
	if d.Negative {
		dst = append(dst, '-')
	}
	if d.Form == apd.Infinite {
		return append(dst, "Infinity"...)
	}
	var buf [40]byte
	digits := appendDigits(buf[:0], &d.Coeff)
	for range d.Exponent { // of a number that was not computed here
		digits = append(digits, '0')
	}
	point := len(digits) - max(scaleOf(d), 0)
	if point <= 0 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits[:point]...)
		digits = digits[point:]
	}
	if d.Exponent >= 0 {
		return dst
	}
	dst = append(dst, '.')
	for ; point < 0; point++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

func appendDigits(dst []byte, n *apd.BigInt) []byte {
	if n.IsUint64() {
		return strconv.AppendUint(dst, n.Uint64(), 10)
	}
	return n.Append(dst, 10)
}

// Round rounds to a scale, half away from zero. A negative scale rounds before
// the point and leaves the scale 0.
func Round(d *apd.Decimal, scale int) *apd.Decimal {
	return rescale(d, scale, true)
}

// Trunc cuts to a scale, towards zero.
func Trunc(d *apd.Decimal, scale int) *apd.Decimal {
	return rescale(d, scale, false)
}

func rescale(d *apd.Decimal, scale int, round bool) *apd.Decimal {
	if d.Form != apd.Finite {
		return d
	}
	scale = max(scale, -maxDigits-1)
	drop := scaleOf(d) - scale
	if drop == 0 && scale >= 0 && !(d.Negative && d.Coeff.Sign() == 0) {
		return d
	}
	z := &apd.Decimal{Negative: d.Negative, Exponent: int32(-max(scale, 0))}
	if drop <= 0 {
		z.Coeff.Mul(&d.Coeff, pow10(-drop))
	} else {
		quotient(&z.Coeff, &d.Coeff, pow10(drop), round)
	}
	if scale < 0 {
		z.Coeff.Mul(&z.Coeff, pow10(-scale))
	}
	z.Negative = z.Negative && z.Coeff.Sign() != 0
	return z
}

// LeadingDigits is a finite number of about the same value that has n digits: zeros follow them.
func LeadingDigits(d *apd.Decimal, n int) *apd.Decimal {
	drop := int(d.NumDigits()) - n
	if drop <= 0 {
		return d
	}
	z := &apd.Decimal{Negative: d.Negative, Exponent: d.Exponent + int32(drop)}
	z.Coeff.Quo(&d.Coeff, pow10(drop))
	return z
}

// quotient sets z to x/y for y > 0 and x >= 0, cut or rounded half up.
func quotient(z, x, y *apd.BigInt, round bool) {
	var rest apd.BigInt
	z.QuoRem(x, y, &rest)
	if round && rest.Add(&rest, &rest).Cmp(y) >= 0 {
		z.Add(z, &smallPowers[0])
	}
}
