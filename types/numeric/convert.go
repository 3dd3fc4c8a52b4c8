package numeric

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
)

// FromInt is an integer as a numeric.
func FromInt(n int64) *apd.Decimal {
	d := &apd.Decimal{Negative: n < 0}
	if n < 0 {
		n = -n // the least integer stays as it is, which as a uint64 is right
	}
	d.Coeff.SetUint64(uint64(n))
	return d
}

// FromFloat is a float rounded to a number of significant digits.
func FromFloat(f float64, digits int) (*apd.Decimal, error) {
	switch {
	case f != f:
		return NaN, nil
	case math.IsInf(f, 1):
		return Infinity, nil
	case math.IsInf(f, -1):
		return NegInfinity, nil
	}
	return parseFinite(strconv.FormatFloat(f, 'g', digits, 64))
}

// Int rounds to an integer, half away from zero. Errors name the type that it is for.
func Int(d *apd.Decimal, typ string) (int64, error) {
	outOfRange := func() (int64, error) {
		return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "%s out of range", typ)
	}
	switch {
	case IsNaN(d):
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert NaN to %s", typ)
	case d.Form == apd.Infinite:
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert infinity to %s", typ)
	case integerDigits(d) > 20: // too long, so do not round it
		return outOfRange()
	}
	n, ok := decimalInt(Round(d, 0))
	if !ok {
		return outOfRange()
	}
	return n, nil
}

// decimalInt is the integer that a decimal of scale 0 is, if it fits.
func decimalInt(d *apd.Decimal) (int64, bool) {
	n := d.Coeff.Uint64()
	switch {
	case !d.Coeff.IsUint64():
		return 0, false
	case d.Negative:
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

// Float is the float8 nearest to a number. It says false where that takes more than one division of floats.
func Float(d *apd.Decimal) (float64, bool) {
	const exactInt, exactPower = 1 << 53, 22 // a quotient of exact floats is rounded once
	if d.Form != apd.Finite || scaleOf(d) > exactPower || !d.Coeff.IsUint64() || d.Coeff.Uint64() > exactInt {
		return 0, false
	}
	f := float64(d.Coeff.Uint64()) / math.Pow10(scaleOf(d))
	if d.Negative {
		f = -f
	}
	return f, true
}
