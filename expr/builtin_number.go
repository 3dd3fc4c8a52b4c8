package expr

import (
	"math"
	"math/big"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types"
)

// numberFunctions are those of mathematics that belong to no operator.
var numberFunctions = []*Function{
	{Name: "factorial", Args: sig{int8}, Result: numeric, Doc: "Product of the whole numbers up to this one.", Fn1: factorial},
	{Name: "gcd", Args: sig{numeric, numeric}, Result: numeric, Doc: "Greatest common divisor.", Fn2: numericOp(gcdNumeric)},
	{Name: "lcm", Args: sig{numeric, numeric}, Result: numeric, Doc: "Least common multiple.", Fn2: numericOp(lcmNumeric)},
	{Name: "min_scale", Args: sig{numeric}, Result: int4, Doc: "Number of digits after the point that are needed.", Fn1: minScale},
	{Name: "width_bucket", Args: sig{float8, float8, float8, int4}, Result: int4, Doc: "Number of the bucket, of equal ones between two bounds, that a number is in.", FnN: widthBucketFloat},
	{Name: "width_bucket", Args: sig{numeric, numeric, numeric, int4}, Result: int4, Doc: "Number of the bucket, of equal ones between two bounds, that a number is in.", FnN: widthBucketNumeric},
	{Name: "random", Args: sig{}, Result: float8, Volatility: Volatile, Doc: "Random number from 0 to below 1.", Fn0: random},
	{Name: "setseed", Args: sig{float8}, Result: types.OIDVoid, Volatility: Volatile, Doc: "Makes random() begin a sequence that the number decides.", Fn1: setSeed},
}

// maxFactorial is the greatest number whose factorial is a numeric.
const maxFactorial = 32177

func factorial(_ *Context, a types.Value) (types.Value, error) {
	n := a.Int()
	switch {
	case n < 0:
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "factorial of a negative number is undefined")
	case n > maxFactorial:
		return types.Null, numericOverflow()
	}
	product := new(big.Int).MulRange(1, n)
	return types.NewNumeric(apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(product), 0)), nil
}

// gcdNumeric has the scale of the more precise one.
func gcdNumeric(a, b *apd.Decimal) (*apd.Decimal, error) {
	if isNaN(a) || isNaN(b) || a.Form != apd.Finite || b.Form != apd.Finite {
		return notANumber(), nil
	}
	scale := int(max(-a.Exponent, -b.Exponent))
	x, y := types.RoundNumeric(a, scale), types.RoundNumeric(b, scale)
	z := &apd.Decimal{Exponent: int32(-scale)}
	z.Coeff.GCD(nil, nil, &x.Coeff, &y.Coeff)
	return z, nil
}

func lcmNumeric(a, b *apd.Decimal) (*apd.Decimal, error) {
	divisor, err := gcdNumeric(a, b)
	if err != nil || isNaN(divisor) {
		return divisor, err
	}
	scale := int(max(-a.Exponent, -b.Exponent))
	if divisor.IsZero() {
		return types.RoundNumeric(divisor, scale), nil
	}
	quotient, err := wholeQuotient(a, divisor)
	if err != nil {
		return nil, err
	}
	product, err := types.MulNumeric(quotient, b)
	if err != nil {
		return nil, err
	}
	product, err = absNumeric(product)
	return types.RoundNumeric(product, scale), err
}

func minScale(_ *Context, a types.Value) (types.Value, error) {
	d, err := trimScale(a.Numeric())
	if err != nil || d.Form != apd.Finite {
		return types.Null, err
	}
	return types.NewInt(int64(-d.Exponent)), nil
}

func badBuckets(message string) error {
	return sqlerr.New(sqlerr.InvalidWidthBucketArgument, "%s", message)
}

func bucketsOf(count int64, nan, infinite bool) error {
	switch {
	case count <= 0:
		return badBuckets("count must be greater than zero")
	case nan:
		return badBuckets("operand, lower bound, and upper bound cannot be NaN")
	case infinite:
		return badBuckets("lower and upper bounds must be finite")
	}
	return nil
}

func widthBucketFloat(_ *Context, args []types.Value) (types.Value, error) {
	x, low, high, count := args[0].Float(), args[1].Float(), args[2].Float(), args[3].Int()
	if err := bucketsOf(count, x != x || low != low || high != high, math.IsInf(low, 0) || math.IsInf(high, 0)); err != nil {
		return types.Null, err
	}
	if low > high { // the same, mirrored
		x, low, high = -x, -low, -high
	}
	switch {
	case low == high:
		return types.Null, badBuckets("lower bound cannot equal upper bound")
	case x < low:
		return types.NewInt(0), nil
	case x >= high:
		return overLastBucket(count)
	}
	share := (x - low) / (high - low)
	if math.IsInf(high-low, 0) {
		share = (x/2 - low/2) / (high/2 - low/2)
	}
	// x is below the upper bound: a share that rounds to 1 is the last bucket, as in PostgreSQL 16.
	return types.NewInt(min(int64(float64(count)*share), count-1) + 1), nil
}

func overLastBucket(count int64) (types.Value, error) {
	return types.AddInt4(types.NewInt(count), types.NewInt(1))
}

func widthBucketNumeric(_ *Context, args []types.Value) (types.Value, error) {
	x, low, high, count := args[0].Numeric(), args[1].Numeric(), args[2].Numeric(), args[3].Int()
	if err := bucketsOf(count, isNaN(x) || isNaN(low) || isNaN(high), low.Form != apd.Finite || high.Form != apd.Finite); err != nil {
		return types.Null, err
	}
	sign := types.CompareNumeric(high, low)
	switch {
	case sign == 0:
		return types.Null, badBuckets("lower bound cannot equal upper bound")
	case types.CompareNumeric(x, low)*sign < 0:
		return types.NewInt(0), nil
	case types.CompareNumeric(x, high)*sign >= 0:
		return overLastBucket(count)
	}
	above, err := types.SubNumeric(x, low)
	if err != nil {
		return types.Null, err
	}
	if above, err = types.MulNumeric(above, apd.New(count, 0)); err != nil {
		return types.Null, err
	}
	width, err := types.SubNumeric(high, low)
	if err != nil {
		return types.Null, err
	}
	whole, err := wholeQuotient(above, width)
	if err != nil {
		return types.Null, err
	}
	bucket, err := whole.Int64()
	return types.NewInt(bucket + 1), err
}

func random(c *Context) (types.Value, error) {
	if c.Random == nil {
		c.Random = new(Random)
	}
	return types.NewFloat(c.Random.Float()), nil
}

func setSeed(c *Context, a types.Value) (types.Value, error) {
	if f := a.Float(); f < -1 || f > 1 || f != f {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "setseed parameter %g is out of allowed range [-1,1]", f)
	}
	if c.Random == nil {
		c.Random = new(Random)
	}
	c.Random.Seed(a.Float())
	return types.NewText(""), nil
}
