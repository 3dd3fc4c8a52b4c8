package number

import (
	"math"
	"math/big"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// numberFunctions are those of mathematics that belong to no operator.
var numberFunctions = []*expr.Function{
	{Name: "factorial", Args: pg.Sig{pg.Int8}, Result: pg.Numeric, Doc: "Product of the whole numbers up to this one.", Fn1: factorial},
	{Name: "gcd", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Greatest common divisor.", Fn2: numericOp(gcdNumeric)},
	{Name: "lcm", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Least common multiple.", Fn2: numericOp(lcmNumeric)},
	{Name: "min_scale", Args: pg.Sig{pg.Numeric}, Result: pg.Int4, Doc: "Number of digits after the point that are needed.", Fn1: minScale},
	{Name: "width_bucket", Args: pg.Sig{pg.Float8, pg.Float8, pg.Float8, pg.Int4}, Result: pg.Int4, Doc: "Number of the bucket, of equal ones between two bounds, that a number is in.", FnN: widthBucketFloat},
	{Name: "width_bucket", Args: pg.Sig{pg.Numeric, pg.Numeric, pg.Numeric, pg.Int4}, Result: pg.Int4, Doc: "Number of the bucket, of equal ones between two bounds, that a number is in.", FnN: widthBucketNumeric},
	{Name: "random", Args: pg.Sig{}, Result: pg.Float8, Volatility: expr.Volatile, Doc: "Random number from 0 to below 1.", Fn0: random},
	{Name: "setseed", Args: pg.Sig{pg.Float8}, Result: types.OIDVoid, Volatility: expr.Volatile, Doc: "Makes random() begin a sequence that the number decides.", Fn1: setSeed},
}

// maxFactorial is the greatest number whose factorial is a numeric.
const maxFactorial = 32177

func factorial(_ *expr.Context, a types.Value) (types.Value, error) {
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
	if IsNaN(a) || IsNaN(b) || a.Form != apd.Finite || b.Form != apd.Finite {
		return NotANumber(), nil
	}
	scale := int(max(-a.Exponent, -b.Exponent))
	x, y := numeric.Round(a, scale), numeric.Round(b, scale)
	z := &apd.Decimal{Exponent: int32(-scale)}
	z.Coeff.GCD(nil, nil, &x.Coeff, &y.Coeff)
	return z, nil
}

func lcmNumeric(a, b *apd.Decimal) (*apd.Decimal, error) {
	divisor, err := gcdNumeric(a, b)
	if err != nil || IsNaN(divisor) {
		return divisor, err
	}
	scale := int(max(-a.Exponent, -b.Exponent))
	if divisor.IsZero() {
		return numeric.Round(divisor, scale), nil
	}
	quotient, err := wholeQuotient(a, divisor)
	if err != nil {
		return nil, err
	}
	product, err := numeric.Mul(quotient, b)
	if err != nil {
		return nil, err
	}
	product, err = AbsNumeric(product)
	return numeric.Round(product, scale), err
}

func minScale(_ *expr.Context, a types.Value) (types.Value, error) {
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

func widthBucketFloat(_ *expr.Context, args []types.Value) (types.Value, error) {
	x, low, high, count := args[0].Float(), args[1].Float(), args[2].Float(), args[3].Int()
	isNaN, infinite := x != x || low != low || high != high, math.IsInf(low, 0) || math.IsInf(high, 0)
	if err := bucketsOf(count, isNaN, infinite); err != nil {
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
	return addInt4(types.NewInt(count), types.NewInt(1))
}

func widthBucketNumeric(_ *expr.Context, args []types.Value) (types.Value, error) {
	x, low, high, count := args[0].Numeric(), args[1].Numeric(), args[2].Numeric(), args[3].Int()
	infinite := low.Form != apd.Finite || high.Form != apd.Finite
	if err := bucketsOf(count, IsNaN(x) || IsNaN(low) || IsNaN(high), infinite); err != nil {
		return types.Null, err
	}
	sign := numeric.Compare(high, low)
	switch {
	case sign == 0:
		return types.Null, badBuckets("lower bound cannot equal upper bound")
	case numeric.Compare(x, low)*sign < 0:
		return types.NewInt(0), nil
	case numeric.Compare(x, high)*sign >= 0:
		return overLastBucket(count)
	}
	above, err := numeric.Sub(x, low)
	if err != nil {
		return types.Null, err
	}
	if above, err = numeric.Mul(above, apd.New(count, 0)); err != nil {
		return types.Null, err
	}
	width, err := numeric.Sub(high, low)
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

func random(c *expr.Context) (types.Value, error) {
	if c.Random == nil {
		c.Random = new(expr.Random)
	}
	return types.NewFloat(c.Random.Float()), nil
}

func setSeed(c *expr.Context, a types.Value) (types.Value, error) {
	if f := a.Float(); f < -1 || f > 1 || f != f {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
			"setseed parameter %g is out of allowed range [-1,1]", f)
	}
	if c.Random == nil {
		c.Random = new(expr.Random)
	}
	c.Random.Seed(a.Float())
	return types.NewText(""), nil
}
