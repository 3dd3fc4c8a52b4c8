package expr

import (
	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types"
)

// numericFunctions are the operators and functions of numerics.
var numericFunctions = []*Function{
	{Name: "numeric_add", Operator: "+", Args: sig{numeric, numeric}, Result: numeric, Doc: "Sum.", Fn2: numericOp(types.AddNumeric)},
	{Name: "numeric_sub", Operator: "-", Args: sig{numeric, numeric}, Result: numeric, Doc: "Difference.", Fn2: numericOp(types.SubNumeric)},
	{Name: "numeric_mul", Operator: "*", Args: sig{numeric, numeric}, Result: numeric, Doc: "Product.", Fn2: numericOp(types.MulNumeric)},
	{Name: "numeric_div", Operator: "/", Args: sig{numeric, numeric}, Result: numeric, Doc: "Quotient with at least 16 significant digits.", Fn2: numericOp(types.DivNumeric)},
	{Name: "numeric_mod", Operator: "%", Args: sig{numeric, numeric}, Result: numeric, Doc: "Remainder, with the dividend's sign.", Fn2: numericOp(types.ModNumeric)},
	{Name: "mod", Args: sig{numeric, numeric}, Result: numeric, Doc: "Remainder, with the dividend's sign.", Fn2: numericOp(types.ModNumeric)},
	{Name: "div", Args: sig{numeric, numeric}, Result: numeric, Doc: "Whole quotient, cut towards zero.", Fn2: numericOp(wholeQuotient)},
	{Name: "numeric_power", Operator: "^", Args: sig{numeric, numeric}, Result: numeric, Doc: "First number raised to the power of the second.", Fn2: numericOp(powerNumeric)},
	{Name: "power", Args: sig{numeric, numeric}, Result: numeric, Doc: "First number raised to the power of the second.", Fn2: numericOp(powerNumeric)},
	{Name: "pow", Args: sig{numeric, numeric}, Result: numeric, Doc: "First number raised to the power of the second.", Fn2: numericOp(powerNumeric)},
	{Name: "numeric_uplus", Operator: "+", Args: sig{numeric}, Result: numeric, Doc: "The number itself.", Fn1: same},
	{Name: "numeric_uminus", Operator: "-", Args: sig{numeric}, Result: numeric, Doc: "Number with its sign changed.", Fn1: ofNumeric(negateNumeric)},
	{Name: "numeric_abs", Operator: "@", Args: sig{numeric}, Result: numeric, Doc: "Absolute value.", Fn1: ofNumeric(absNumeric)},
	{Name: "abs", Args: sig{numeric}, Result: numeric, Doc: "Absolute value.", Fn1: ofNumeric(absNumeric)},
	{Name: "sign", Args: sig{numeric}, Result: numeric, Doc: "Sign: -1, 0 or 1.", Fn1: ofNumeric(signNumeric)},
	{Name: "ceil", Args: sig{numeric}, Result: numeric, Doc: "Nearest whole number not below.", Fn1: ofNumeric(ceilNumeric)},
	{Name: "ceiling", Args: sig{numeric}, Result: numeric, Doc: "Nearest whole number not below.", Fn1: ofNumeric(ceilNumeric)},
	{Name: "floor", Args: sig{numeric}, Result: numeric, Doc: "Nearest whole number not above.", Fn1: ofNumeric(floorNumeric)},
	{Name: "round", Args: sig{numeric}, Result: numeric, Doc: "Nearest whole number, away from zero in the middle.", Fn1: roundWhole(types.RoundNumeric)},
	{Name: "trunc", Args: sig{numeric}, Result: numeric, Doc: "Whole number towards zero.", Fn1: roundWhole(types.TruncNumeric)},
	{Name: "round", Args: sig{numeric, int4}, Result: numeric, Doc: "Number rounded to digits after the point.", Fn2: roundTo(types.RoundNumeric)},
	{Name: "trunc", Args: sig{numeric, int4}, Result: numeric, Doc: "Number cut to digits after the point.", Fn2: roundTo(types.TruncNumeric)},
	{Name: "scale", Args: sig{numeric}, Result: int4, Doc: "Number of digits after the point.", Fn1: scaleOf},
	{Name: "trim_scale", Args: sig{numeric}, Result: numeric, Doc: "Number without zeros at the end of its fraction.", Fn1: ofNumeric(trimScale)},
	{Name: "sqrt", Args: sig{numeric}, Result: numeric, Doc: "Square root.", Fn1: ofNumeric(sqrtNumeric)},
	{Name: "exp", Args: sig{numeric}, Result: numeric, Doc: "Exponential.", Fn1: ofNumeric(expNumeric)},
	{Name: "ln", Args: sig{numeric}, Result: numeric, Doc: "Natural logarithm.", Fn1: ofNumeric(lnNumeric)},
	{Name: "log", Args: sig{numeric}, Result: numeric, Doc: "Logarithm to base 10.", Fn1: ofNumeric(log10Numeric)},
	{Name: "log10", Args: sig{numeric}, Result: numeric, Doc: "Logarithm to base 10.", Fn1: ofNumeric(log10Numeric)},
	{Name: "log", Args: sig{numeric, numeric}, Result: numeric, Doc: "Logarithm of the second number to the base of the first.", Fn2: numericOp(logNumeric)},
}

// numericValue makes a value of an operation's result.
func numericValue(d *apd.Decimal, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewNumeric(d), nil
}

func numericOp(op func(a, b *apd.Decimal) (*apd.Decimal, error)) function2 {
	return func(_ *Context, a, b types.Value) (types.Value, error) {
		return numericValue(op(a.Numeric(), b.Numeric()))
	}
}

func ofNumeric(f func(*apd.Decimal) (*apd.Decimal, error)) function1 {
	return func(_ *Context, a types.Value) (types.Value, error) {
		return numericValue(f(a.Numeric()))
	}
}

func isNaN(d *apd.Decimal) bool { return d.Form == apd.NaN || d.Form == apd.NaNSignaling }

func isNegative(d *apd.Decimal) bool { return !isNaN(d) && d.Sign() < 0 }

func notANumber() *apd.Decimal { return &apd.Decimal{Form: apd.NaN} }

func infinity(negative bool) *apd.Decimal {
	return &apd.Decimal{Form: apd.Infinite, Negative: negative}
}

// negateNumeric knows no negative zero and no negative NaN.
func negateNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if isNaN(d) || d.IsZero() {
		return d, nil
	}
	return new(apd.Decimal).Neg(d), nil
}

func absNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if !d.Negative {
		return d, nil
	}
	return negateNumeric(d)
}

func signNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if isNaN(d) {
		return d, nil
	}
	return apd.New(int64(d.Sign()), 0), nil
}

func ceilNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	whole := types.TruncNumeric(d, 0)
	if d.Form == apd.Finite && types.CompareNumeric(whole, d) < 0 {
		return types.AddNumeric(whole, apd.New(1, 0))
	}
	return whole, nil
}

func floorNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	whole := types.TruncNumeric(d, 0)
	if d.Form == apd.Finite && types.CompareNumeric(whole, d) > 0 {
		return types.SubNumeric(whole, apd.New(1, 0))
	}
	return whole, nil
}

func roundWhole(round func(*apd.Decimal, int) *apd.Decimal) function1 {
	return func(_ *Context, a types.Value) (types.Value, error) {
		return types.NewNumeric(round(a.Numeric(), 0)), nil
	}
}

func roundTo(round func(*apd.Decimal, int) *apd.Decimal) function2 {
	const least, most = -131073, 16383 // PostgreSQL's limits
	return func(_ *Context, a, b types.Value) (types.Value, error) {
		return types.NewNumeric(round(a.Numeric(), int(min(max(b.Int(), least), most)))), nil
	}
}

func scaleOf(_ *Context, a types.Value) (types.Value, error) {
	if a.Numeric().Form != apd.Finite {
		return types.Null, nil
	}
	return types.NewInt(int64(-a.Numeric().Exponent)), nil
}

func trimScale(d *apd.Decimal) (*apd.Decimal, error) {
	if d.Form != apd.Finite {
		return d, nil
	}
	z, _ := new(apd.Decimal).Reduce(d)
	return types.RoundNumeric(z, int(max(-z.Exponent, 0))), nil
}

// wholeQuotient is exact: it divides the digits after bringing both to one scale.
func wholeQuotient(a, b *apd.Decimal) (*apd.Decimal, error) {
	switch {
	case isNaN(a) || isNaN(b), a.Form == apd.Infinite && b.Form == apd.Infinite:
		return notANumber(), nil
	case b.Form == apd.Finite && b.IsZero():
		return nil, divisionByZero()
	case a.Form == apd.Infinite:
		return infinity(a.Negative != b.Negative), nil
	case b.Form == apd.Infinite:
		return apd.New(0, 0), nil
	}
	scale := int(max(-a.Exponent, -b.Exponent))
	x, y := types.RoundNumeric(a, scale), types.RoundNumeric(b, scale)
	z := new(apd.Decimal)
	z.Coeff.Quo(&x.Coeff, &y.Coeff)
	z.Negative = a.Negative != b.Negative && z.Coeff.Sign() != 0
	return z, nil
}

func divisionByZero() error { return sqlerr.New(sqlerr.DivisionByZero, "division by zero") }

func numericOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
}
