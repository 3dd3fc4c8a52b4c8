package types

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// A numeric keeps its scale (the digits it shows after the point): its decimal's
// exponent is minus the scale, never above 0. There is no -0.

// What PostgreSQL's format of a numeric has room for.
const (
	maxNumericDigits = 131072 // before the point
	maxNumericScale  = 16383  // after it
)

var (
	numericNaN         = &apd.Decimal{Form: apd.NaN}
	numericInfinity    = &apd.Decimal{Form: apd.Infinite}
	numericNegInfinity = &apd.Decimal{Form: apd.Infinite, Negative: true}
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

func isNaN(d *apd.Decimal) bool { return d.Form == apd.NaN || d.Form == apd.NaNSignaling }

// CompareNumeric orders numerics: -1, 0 or 1. NaN is above infinity.
func CompareNumeric(a, b *apd.Decimal) int {
	if isNaN(a) || isNaN(b) {
		switch {
		case !isNaN(a):
			return -1
		case !isNaN(b):
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
// coefficients in bits. It is 0 where those do not decide: bringing coefficients to one exponent takes long if they have
// many digits.
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

func numericOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
}

func parseNumeric(s string, _ *Env) (Value, error) {
	t := form.TrimSpace(s)
	if d := parseSpecialNumeric(t); d != nil {
		return NewNumeric(d), nil
	}
	d, err := parseFinite(t)
	if err != nil {
		return Null, err
	}
	if d == nil {
		return Null, form.InvalidText("numeric", s)
	}
	return NewNumeric(d), nil
}

func parseSpecialNumeric(t string) *apd.Decimal {
	if len(t) < len("NaN") || len(t) > len("-Infinity") {
		return nil
	}
	switch strings.ToLower(t) {
	case "nan":
		return numericNaN
	case "infinity", "+infinity", "inf", "+inf":
		return numericInfinity
	case "-infinity", "-inf":
		return numericNegInfinity
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
			return nil, numericOverflow()
		}
	}
	d := &apd.Decimal{Negative: negative}
	setDigits(&d.Coeff, whole, fraction)
	return placePoint(d, int64(len(fraction))-exponent)
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

// placePoint gives d, whose coefficient is set, a scale that may be negative.
func placePoint(d *apd.Decimal, scale int64) (*apd.Decimal, error) {
	if d.Coeff.Sign() == 0 {
		d.Negative = false
		scale = max(scale, 0)
	}
	if scale > maxNumericScale || d.NumDigits()-scale > maxNumericDigits {
		return nil, numericOverflow()
	}
	if scale < 0 {
		d.Coeff.Mul(&d.Coeff, pow10(int(-scale)))
		scale = 0
	}
	d.Exponent = int32(-scale)
	return d, nil
}

func appendNumericValue(dst []byte, v Value, _ *Env) []byte { return AppendNumeric(dst, v.Numeric()) }

// AppendNumeric appends a numeric with all digits of its scale.
func AppendNumeric(dst []byte, d *apd.Decimal) []byte {
	if isNaN(d) {
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

// appendNumericKey appends form and sign, the scale without trailing zeros, and the
// digits that remain.
func appendNumericKey(dst []byte, d *apd.Decimal) []byte {
	form := byte(d.Form) << 1
	if d.Negative {
		form |= 1
	}
	if dst = append(dst, form); d.Form != apd.Finite {
		return dst
	}
	var buf [40]byte
	digits := appendDigits(buf[:0], &d.Coeff)
	kept := bytes.TrimRight(digits, "0")
	exponent := int64(0)
	if len(kept) > 0 {
		exponent = int64(d.Exponent) + int64(len(digits)-len(kept))
	}
	dst = binary.AppendVarint(dst, exponent)
	dst = binary.AppendUvarint(dst, uint64(len(kept)))
	return append(dst, kept...)
}

// numericMod splits a modifier into precision and scale; a scale may be negative.
func numericMod(mod int32) (precision, scale int) {
	mod -= 4
	return int(mod>>16) & 0xffff, int(mod&0x7ff^1024) - 1024
}

// NumericMod is the modifier of numeric(precision, scale).
func NumericMod(precision, scale int) int32 {
	return int32(precision<<16|scale&0x7ff) + 4
}

func numericModText(mod int32) string {
	precision, scale := numericMod(mod)
	return fmt.Sprintf("(%d,%d)", precision, scale)
}

// limitNumeric rounds to numeric(precision, scale), half away from zero.
func limitNumeric(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	d := v.Numeric()
	precision, scale := numericMod(mod)
	if isNaN(d) {
		return v, nil
	}
	if d.Form == apd.Infinite {
		return Null, fieldOverflow().WithDetail(
			"A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
	}
	rounded := RoundNumeric(d, scale)
	if rounded.Coeff.Sign() != 0 && integerDigits(rounded) > precision-scale {
		limit := "1"
		if precision != scale {
			limit = fmt.Sprintf("10^%d", precision-scale)
		}
		return Null, fieldOverflow().WithDetail(
			"A field with precision %d, scale %d must round to an absolute value less than %s.",
			precision, scale, limit)
	}
	return NewNumeric(rounded), nil
}

func fieldOverflow() *sqlerr.Error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "numeric field overflow")
}

// RoundNumeric rounds to a scale, half away from zero. A negative scale rounds before
// the point and leaves the scale 0.
func RoundNumeric(d *apd.Decimal, scale int) *apd.Decimal {
	return rescale(d, scale, true)
}

// TruncNumeric cuts to a scale, towards zero.
func TruncNumeric(d *apd.Decimal, scale int) *apd.Decimal {
	return rescale(d, scale, false)
}

func rescale(d *apd.Decimal, scale int, round bool) *apd.Decimal {
	if d.Form != apd.Finite {
		return d
	}
	scale = max(scale, -maxNumericDigits-1)
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

// LeastInt is the least integer that is as great as a number, or greater than it. It says false where
// none is known: the number is no numeric or float, is none, or is greater than all of eight bytes.
func LeastInt(v Value, above bool) (int64, bool) {
	switch v.Kind() {
	case KindFloat:
		least := math.Ceil(v.Float())
		if above {
			least = math.Floor(v.Float()) + 1
		}
		return int64(least), math.Abs(least) < 1<<62
	case KindNumeric:
		var whole, rest apd.Decimal
		if v.Numeric().Form != apd.Finite {
			return 0, false
		}
		v.Numeric().Modf(&whole, &rest)
		n, err := whole.Int64()
		if up := rest.Sign() > 0 || above && rest.Sign() == 0; up {
			n++
		}
		return n, err == nil && n > -1<<62 && n < 1<<62
	}
	return 0, false
}
