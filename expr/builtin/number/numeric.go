package number

import (
	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// numericFunctions are the operators and functions of numerics.
var numericFunctions = []*expr.Function{
	{Name: "numeric_add", Operator: "+", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Sum.", Fn2: smallOp(numeric.Small.Add, numeric.Add)},
	{Name: "numeric_sub", Operator: "-", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Difference.", Fn2: smallOp(numeric.Small.Sub, numeric.Sub)},
	{Name: "numeric_mul", Operator: "*", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Product.", Fn2: smallOp(numeric.Small.Mul, numeric.Mul)},
	{Name: "numeric_div", Operator: "/", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Quotient with at least 16 significant digits.", Fn2: numericOp(numeric.Div)},
	{Name: "numeric_mod", Operator: "%", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Remainder, with the dividend's sign.", Fn2: numericOp(numeric.Mod)},
	{Name: "mod", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Remainder, with the dividend's sign.", Fn2: numericOp(numeric.Mod)},
	{Name: "div", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Whole quotient, cut towards zero.", Fn2: numericOp(wholeQuotient)},
	{Name: "numeric_power", Operator: "^", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "First number raised to the power of the second.", Fn2: numericOp(PowerNumeric)},
	{Name: "power", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "First number raised to the power of the second.", Fn2: numericOp(PowerNumeric)},
	{Name: "pow", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "First number raised to the power of the second.", Fn2: numericOp(PowerNumeric)},
	{Name: "numeric_uplus", Operator: "+", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "The number itself.", Fn1: same},
	{Name: "numeric_uminus", Operator: "-", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Number with its sign changed.", Fn1: ofNumeric(NegateNumeric)},
	{Name: "numeric_abs", Operator: "@", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Absolute value.", Fn1: ofNumeric(AbsNumeric)},
	{Name: "abs", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Absolute value.", Fn1: ofNumeric(AbsNumeric)},
	{Name: "sign", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Sign: -1, 0 or 1.", Fn1: ofNumeric(signNumeric)},
	{Name: "ceil", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Nearest whole number not below.", Fn1: ofNumeric(CeilNumeric)},
	{Name: "ceiling", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Nearest whole number not below.", Fn1: ofNumeric(CeilNumeric)},
	{Name: "floor", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Nearest whole number not above.", Fn1: ofNumeric(FloorNumeric)},
	{Name: "round", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Nearest whole number, away from zero in the middle.", Fn1: roundWhole(numeric.Round)},
	{Name: "trunc", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Whole number towards zero.", Fn1: roundWhole(numeric.Trunc)},
	{Name: "round", Args: pg.Sig{pg.Numeric, pg.Int4}, Result: pg.Numeric, Doc: "Number rounded to digits after the point.", Fn2: roundTo(numeric.Round)},
	{Name: "trunc", Args: pg.Sig{pg.Numeric, pg.Int4}, Result: pg.Numeric, Doc: "Number cut to digits after the point.", Fn2: roundTo(numeric.Trunc)},
	{Name: "scale", Args: pg.Sig{pg.Numeric}, Result: pg.Int4, Doc: "Number of digits after the point.", Fn1: scaleOf},
	{Name: "trim_scale", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Number without zeros at the end of its fraction.", Fn1: ofNumeric(trimScale)},
	{Name: "sqrt", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Square root.", Fn1: ofNumeric(sqrtNumeric)},
	{Name: "exp", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Exponential.", Fn1: ofNumeric(expNumeric)},
	{Name: "ln", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Natural logarithm.", Fn1: ofNumeric(lnNumeric)},
	{Name: "log", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Logarithm to base 10.", Fn1: ofNumeric(log10Numeric)},
	{Name: "log10", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, Doc: "Logarithm to base 10.", Fn1: ofNumeric(log10Numeric)},
	{Name: "log", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Logarithm of the second number to the base of the first.", Fn2: numericOp(logNumeric)},
}

// NumericValue makes a value of an operation's result.
func NumericValue(d *apd.Decimal, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewNumeric(d), nil
}

func numericOp(op func(a, b *apd.Decimal) (*apd.Decimal, error)) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return NumericValue(op(a.Numeric(), b.Numeric()))
	}
}

// smallOp is an operation that most numbers need no memory for.
func smallOp(small func(a, b numeric.Small) (numeric.Small, bool),
	op func(a, b *apd.Decimal) (*apd.Decimal, error)) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		x, is := a.Small()
		if y, too := b.Small(); is && too {
			if z, fits := small(x, y); fits {
				return types.NewSmall(z), nil
			}
		}
		return NumericValue(op(a.Numeric(), b.Numeric()))
	}
}

func ofNumeric(f func(*apd.Decimal) (*apd.Decimal, error)) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		return NumericValue(f(a.Numeric()))
	}
}

// IsNaN says whether a numeric is no number.
func IsNaN(d *apd.Decimal) bool { return d.Form == apd.NaN || d.Form == apd.NaNSignaling }

func isNegative(d *apd.Decimal) bool { return !IsNaN(d) && d.Sign() < 0 }

// NotANumber makes a NaN.
func NotANumber() *apd.Decimal { return &apd.Decimal{Form: apd.NaN} }

// Infinity makes an infinity.
func Infinity(negative bool) *apd.Decimal {
	return &apd.Decimal{Form: apd.Infinite, Negative: negative}
}

// NegateNumeric knows no negative zero and no negative NaN.
func NegateNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if IsNaN(d) || d.IsZero() {
		return d, nil
	}
	return new(apd.Decimal).Neg(d), nil
}

// AbsNumeric is the absolute value.
func AbsNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if !d.Negative {
		return d, nil
	}
	return NegateNumeric(d)
}

func signNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	if IsNaN(d) {
		return d, nil
	}
	return apd.New(int64(d.Sign()), 0), nil
}

// CeilNumeric is the least whole number that is not below.
func CeilNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	whole := numeric.Trunc(d, 0)
	if d.Form == apd.Finite && numeric.Compare(whole, d) < 0 {
		return numeric.Add(whole, apd.New(1, 0))
	}
	return whole, nil
}

// FloorNumeric is the greatest whole number that is not above.
func FloorNumeric(d *apd.Decimal) (*apd.Decimal, error) {
	whole := numeric.Trunc(d, 0)
	if d.Form == apd.Finite && numeric.Compare(whole, d) > 0 {
		return numeric.Sub(whole, apd.New(1, 0))
	}
	return whole, nil
}

func roundWhole(round func(*apd.Decimal, int) *apd.Decimal) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		return types.NewNumeric(round(a.Numeric(), 0)), nil
	}
}

func roundTo(round func(*apd.Decimal, int) *apd.Decimal) expr.Function2 {
	const least, most = -131073, 16383 // PostgreSQL's limits
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return types.NewNumeric(round(a.Numeric(), int(min(max(b.Int(), least), most)))), nil
	}
}

func scaleOf(_ *expr.Context, a types.Value) (types.Value, error) {
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
	return numeric.Round(z, int(max(-z.Exponent, 0))), nil
}

// wholeQuotient is exact: it divides the digits after bringing both to one scale.
func wholeQuotient(a, b *apd.Decimal) (*apd.Decimal, error) {
	switch {
	case IsNaN(a) || IsNaN(b), a.Form == apd.Infinite && b.Form == apd.Infinite:
		return NotANumber(), nil
	case b.Form == apd.Finite && b.IsZero():
		return nil, numeric.DivisionByZero()
	case a.Form == apd.Infinite:
		return Infinity(a.Negative != b.Negative), nil
	case b.Form == apd.Infinite:
		return apd.New(0, 0), nil
	}
	scale := int(max(-a.Exponent, -b.Exponent))
	x, y := numeric.Round(a, scale), numeric.Round(b, scale)
	z := new(apd.Decimal)
	z.Coeff.Quo(&x.Coeff, &y.Coeff)
	z.Negative = a.Negative != b.Negative && z.Coeff.Sign() != 0
	return z, nil
}

func numericOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
}
