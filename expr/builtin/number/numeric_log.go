package number

import (
	"math"
	"math/big"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// Roots, powers and logarithms of numerics. The digits of a result follow from an
// estimate of its size, as in PostgreSQL's numeric.c: at least 16 significant ones, at
// least those of the arguments, and no more than 1000 after the point.
const (
	significantDigits = 16
	maxScale          = 1000
	maxResultScale    = 2000
	maxNumericDigits  = 131072
	guardDigits       = 12 // computed beyond those shown
	groupDigits       = 4  // PostgreSQL holds numerics in groups of 4 decimal digits
)

func resultScale(wanted int, args ...*apd.Decimal) int {
	for _, d := range args {
		wanted = max(wanted, int(-d.Exponent))
	}
	return min(max(wanted, 0), maxScale)
}

// AdjustedExponent is the power of ten of the first digit of d, which is not zero.
func AdjustedExponent(d *apd.Decimal) int { return int(d.NumDigits()) - 1 + int(d.Exponent) }

// Rounded computes with digits before and scale after the point and rounds to the scale.
// apd gives up at about 2300 digits, long before PostgreSQL does.
func Rounded(before, scale int, compute func(c *apd.Context, z *apd.Decimal) (apd.Condition, error)) (*apd.Decimal,
	error) {
	c := apd.BaseContext.WithPrecision(uint32(max(before, 1) + scale + guardDigits))
	z := new(apd.Decimal)
	if _, err := compute(c, z); err != nil {
		return nil, numericOverflow()
	}
	return numeric.Round(z, scale), nil
}

// leading is a number with as many of its first digits as can be of effect on a logarithm of so
// many digits, also where another is divided by it.
func leading(d *apd.Decimal, digits uint32) *apd.Decimal {
	most := int64(2*digits + maxScale)
	if d.NumDigits() <= most {
		return d
	}
	return numeric.LeadingDigits(d, int(most))
}

func sqrtNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	switch {
	case isNegative(d):
		return nil, negativeRoot()
	case d.Form != apd.Finite:
		return d, nil
	}
	group := 0
	if !d.IsZero() {
		group = floorDiv(AdjustedExponent(d), groupDigits)
	}
	exponent := (group+1)*groupDigits/2 - 1
	scale := resultScale(significantDigits-exponent, d)
	return Root(d, scale), nil
}

// Root is the square root of a finite number that is not negative, rounded to a scale.
func Root(d *apd.Decimal, scale int) *apd.Decimal { return numeric.Round(longRoot(d, scale), scale) }

// longRoot is the square root of d cut off behind a scale and more, with a last digit 1 where anything
// is cut off, so that it rounds to the scale as the root itself does.
func longRoot(d *apd.Decimal, scale int) *apd.Decimal {
	scale = max(scale+1, (1-int(d.Exponent))/2)
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(2*scale)+int64(d.Exponent)), nil)
	n.Mul(n, d.Coeff.MathBigInt())
	root := new(big.Int).Sqrt(n)
	exact := n.Cmp(new(big.Int).Mul(root, root)) == 0
	root.Mul(root, big.NewInt(10))
	if !exact {
		root.Add(root, big.NewInt(1))
	}
	out := &apd.Decimal{Exponent: int32(-scale - 1)}
	out.Coeff.SetMathBigInt(root)
	return out
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// approximate is d as a float, without an error where it does not fit.
func approximate(d *apd.Decimal) float64 {
	f, _ := d.Float64() // infinite or zero with the error
	return f
}

func expNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if d.Form == apd.Infinite && d.Negative {
		return apd.New(0, 0), nil
	}
	if d.Form != apd.Finite {
		return d, nil
	}
	f := approximate(d)
	exponent := int(min(max(f*math.Log10E, -maxResultScale), maxResultScale))
	scale := resultScale(significantDigits-exponent, d)
	switch {
	case f >= 3*maxResultScale:
		return nil, numericOverflow()
	case f <= -3*maxResultScale:
		return numeric.Round(apd.New(0, 0), scale), nil
	}
	return Rounded(int(f*math.Log10E)+1, scale, func(c *apd.Context, z *apd.Decimal) (apd.Condition, error) {
		return c.Exp(z, leading(d, c.Precision))
	})
}

// lnExponent estimates the power of ten of the first digit of ln d.
func lnExponent(d *apd.Decimal) int {
	if d.Sign() <= 0 {
		return 0
	}
	if d.Cmp(apd.New(9, -1)) >= 0 && d.Cmp(apd.New(11, -1)) <= 0 {
		less, err := numeric.Sub(d, apd.New(1, 0)) // ln(1+x) is about x
		if err != nil || less.IsZero() {
			return 0
		}
		return AdjustedExponent(less)
	}
	return int(math.Log10(math.Abs(approximateLn(d))))
}

// approximateLn takes a number that may be out of a float's range.
func approximateLn(d *apd.Decimal) float64 {
	exponent := AdjustedExponent(d)
	m := &apd.Decimal{Exponent: d.Exponent - int32(exponent)}
	m.Coeff.Set(&d.Coeff)
	return math.Log(approximate(m)) + float64(exponent)*math.Ln10
}

func negativeRoot() error {
	return sqlerr.New(sqlerr.InvalidArgumentForPower, "cannot take square root of a negative number")
}

// checkLog refuses what has no logarithm.
func checkLog(d *apd.Decimal) error {
	switch {
	case isNegative(d):
		return sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of a negative number")
	case d.IsZero():
		return sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of zero")
	}
	return nil
}

func lnNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if err := checkLog(d); err != nil || d.Form != apd.Finite {
		return d, err
	}
	exponent := lnExponent(d)
	scale := resultScale(significantDigits-exponent, d)
	return Rounded(exponent+1, scale, func(c *apd.Context, z *apd.Decimal) (apd.Condition, error) {
		return naturalLog(c, z, d)
	})
}

// naturalLog takes the logarithm of m in d = m * 10^k, which is of the size of 1: apd does not end in any
// useful time where k is in the ten thousands.
func naturalLog(c *apd.Context, z, d *apd.Decimal) (apd.Condition, error) {
	k := AdjustedExponent(d)
	if k >= -1 && k <= 1 {
		return c.Ln(z, leading(d, c.Precision)) // the sum would lose digits of what is close to 1
	}
	m := new(apd.Decimal).Set(leading(d, c.Precision))
	m.Exponent -= int32(k)
	if flags, err := c.Ln(z, m); err != nil {
		return flags, err
	}
	var tens apd.Decimal
	if flags, err := c.Ln(&tens, apd.New(10, 0)); err != nil {
		return flags, err
	}
	if flags, err := c.Mul(&tens, &tens, apd.New(int64(k), 0)); err != nil {
		return flags, err
	}
	return c.Add(z, z, &tens)
}

func log10Numeric(d *apd.Decimal) (*apd.Decimal, error) { return logNumeric(apd.New(10, 0), d) }

func logNumeric(base, d *apd.Decimal) (*apd.Decimal, error) {
	if IsNaN(base) || IsNaN(d) {
		return NotANumber(), nil
	}
	if err := checkLog(base); err != nil {
		return nil, err
	}
	if err := checkLog(d); err != nil {
		return nil, err
	}
	switch {
	case base.Form == apd.Infinite && d.Form == apd.Infinite:
		return NotANumber(), nil
	case base.Form == apd.Infinite:
		return apd.New(0, 0), nil
	case d.Form == apd.Infinite:
		return d, nil
	}
	if base.Cmp(apd.New(1, 0)) == 0 {
		return nil, numeric.DivisionByZero()
	}
	exponent := lnExponent(d) - lnExponent(base)
	scale := resultScale(significantDigits-exponent, base, d)
	return Rounded(exponent+1, scale, func(c *apd.Context, z *apd.Decimal) (apd.Condition, error) {
		var below apd.Decimal
		if flags, err := naturalLog(c, &below, base); err != nil {
			return flags, err
		}
		if flags, err := naturalLog(c, z, d); err != nil {
			return flags, err
		}
		return c.Quo(z, z, &below)
	})
}

// PowerNumeric is x to the power y.
func PowerNumeric(x, y *apd.Decimal) (*apd.Decimal, error) {
	if x.Form != apd.Finite || y.Form != apd.Finite {
		return powerOfSpecial(x, y)
	}
	whole := numeric.Compare(numeric.Trunc(y, 0), y) == 0
	switch {
	case x.IsZero() && y.Sign() < 0:
		return nil, sqlerr.New(sqlerr.InvalidArgumentForPower, "zero raised to a negative power is undefined")
	case x.Sign() < 0 && !whole:
		return nil, sqlerr.New(sqlerr.InvalidArgumentForPower,
			"a negative number raised to a non-integer power yields a complex result")
	case x.IsZero() && y.Sign() > 0:
		return numeric.Round(apd.New(0, 0), resultScale(significantDigits, x)), nil
	case x.IsZero() || y.IsZero():
		return numeric.Round(apd.New(1, 0), resultScale(significantDigits, x)), nil
	}
	exponent := approximate(y) * approximateLn(x) * math.Log10E
	scale, most := resultScale(significantDigits, x), float64(maxNumericDigits)
	if !whole || y.Cmp(apd.New(math.MaxInt32, 0)) > 0 || y.Cmp(apd.New(math.MinInt32, 0)) < 0 {
		scale = resultScale(significantDigits-int(max(exponent, -maxResultScale)), x, y)
		most = 3.01 * maxResultScale * math.Log10E
	}
	switch {
	case exponent > most:
		return nil, numericOverflow()
	case exponent+1 < float64(-scale):
		return numeric.Round(apd.New(0, 0), scale), nil
	}
	// The error of the logarithm grows with the exponent's size.
	before := max(int(exponent), 0) + 1 + max(AdjustedExponent(y), 0)
	return Rounded(before, scale, func(c *apd.Context, z *apd.Decimal) (apd.Condition, error) {
		if whole {
			return c.Pow(z, leading(x, c.Precision), y)
		}
		if flags, err := naturalLog(c, z, x); err != nil {
			return flags, err
		}
		if flags, err := c.Mul(z, z, y); err != nil {
			return flags, err
		}
		return c.Exp(z, z)
	})
}

// powerOfSpecial follows floats, whose pow knows infinity and NaN.
func powerOfSpecial(x, y *apd.Decimal) (*apd.Decimal, error) {
	v, err := powerFloat(types.NewFloat(specialFloat(x)), types.NewFloat(specialFloat(y)))
	if err != nil {
		return nil, err
	}
	switch f := v.Float(); {
	case math.IsInf(f, 0):
		return Infinity(f < 0), nil
	case f != f:
		return NotANumber(), nil
	default:
		return apd.New(int64(f), 0), nil
	}
}

func specialFloat(d *apd.Decimal) float64 {
	switch {
	case IsNaN(d):
		return math.NaN()
	case d.Form == apd.Infinite && d.Negative:
		return math.Inf(-1)
	case d.Form == apd.Infinite:
		return math.Inf(1)
	}
	return approximate(d)
}
