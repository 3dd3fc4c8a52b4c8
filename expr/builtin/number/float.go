package number

import (
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// floatFunctions are the operators and functions of floats.
var floatFunctions = []*expr.Function{
	{Name: "float4pl", Operator: "+", Args: pg.Sig{pg.Float4, pg.Float4}, Result: pg.Float4, Doc: "Sum.", Fn2: expr.Of2(AddFloat4)},
	{Name: "float48pl", Operator: "+", Args: pg.Sig{pg.Float4, pg.Float8}, Result: pg.Float8, Doc: "Sum.", Fn2: expr.Of2(AddFloat8)},
	{Name: "float84pl", Operator: "+", Args: pg.Sig{pg.Float8, pg.Float4}, Result: pg.Float8, Doc: "Sum.", Fn2: expr.Of2(AddFloat8)},
	{Name: "float8pl", Operator: "+", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "Sum.", Fn2: expr.Of2(AddFloat8)},
	{Name: "float4mi", Operator: "-", Args: pg.Sig{pg.Float4, pg.Float4}, Result: pg.Float4, Doc: "Difference.", Fn2: expr.Of2(subFloat4)},
	{Name: "float48mi", Operator: "-", Args: pg.Sig{pg.Float4, pg.Float8}, Result: pg.Float8, Doc: "Difference.", Fn2: expr.Of2(SubFloat8)},
	{Name: "float84mi", Operator: "-", Args: pg.Sig{pg.Float8, pg.Float4}, Result: pg.Float8, Doc: "Difference.", Fn2: expr.Of2(SubFloat8)},
	{Name: "float8mi", Operator: "-", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "Difference.", Fn2: expr.Of2(SubFloat8)},
	{Name: "float4mul", Operator: "*", Args: pg.Sig{pg.Float4, pg.Float4}, Result: pg.Float4, Doc: "Product.", Fn2: expr.Of2(mulFloat4)},
	{Name: "float48mul", Operator: "*", Args: pg.Sig{pg.Float4, pg.Float8}, Result: pg.Float8, Doc: "Product.", Fn2: expr.Of2(MulFloat8)},
	{Name: "float84mul", Operator: "*", Args: pg.Sig{pg.Float8, pg.Float4}, Result: pg.Float8, Doc: "Product.", Fn2: expr.Of2(MulFloat8)},
	{Name: "float8mul", Operator: "*", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "Product.", Fn2: expr.Of2(MulFloat8)},
	{Name: "float4div", Operator: "/", Args: pg.Sig{pg.Float4, pg.Float4}, Result: pg.Float4, Doc: "Quotient.", Fn2: expr.Of2(divFloat4)},
	{Name: "float48div", Operator: "/", Args: pg.Sig{pg.Float4, pg.Float8}, Result: pg.Float8, Doc: "Quotient.", Fn2: expr.Of2(DivFloat8)},
	{Name: "float84div", Operator: "/", Args: pg.Sig{pg.Float8, pg.Float4}, Result: pg.Float8, Doc: "Quotient.", Fn2: expr.Of2(DivFloat8)},
	{Name: "float8div", Operator: "/", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "Quotient.", Fn2: expr.Of2(DivFloat8)},
	{Name: "float4up", Operator: "+", Args: pg.Sig{pg.Float4}, Result: pg.Float4, Doc: "The number itself.", Fn1: same},
	{Name: "float8up", Operator: "+", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "The number itself.", Fn1: same},
	{Name: "float4um", Operator: "-", Args: pg.Sig{pg.Float4}, Result: pg.Float4, Doc: "Number with its sign changed.", Fn1: expr.Of1(negFloat)},
	{Name: "float8um", Operator: "-", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Number with its sign changed.", Fn1: expr.Of1(negFloat)},
	{Name: "float4abs", Operator: "@", Args: pg.Sig{pg.Float4}, Result: pg.Float4, Doc: "Absolute value.", Fn1: expr.Of1(absFloat)},
	{Name: "float8abs", Operator: "@", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Absolute value.", Fn1: expr.Of1(absFloat)},
	{Name: "abs", Args: pg.Sig{pg.Float4}, Result: pg.Float4, Doc: "Absolute value.", Fn1: expr.Of1(absFloat)},
	{Name: "abs", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Absolute value.", Fn1: expr.Of1(absFloat)},
	{Name: "ceil", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Nearest whole number not below.", Fn1: expr.Of1(ceilFloat)},
	{Name: "ceiling", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Nearest whole number not below.", Fn1: expr.Of1(ceilFloat)},
	{Name: "floor", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Nearest whole number not above.", Fn1: expr.Of1(floorFloat)},
	{Name: "round", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Nearest whole number, the even one of two.", Fn1: expr.Of1(roundFloat)},
	{Name: "trunc", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Whole number towards zero.", Fn1: expr.Of1(truncFloat)},
	{Name: "sign", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Sign: -1, 0 or 1.", Fn1: expr.Of1(signFloat)},
	{Name: "degrees", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Degrees of an angle in radians.", Fn1: degrees},
	{Name: "radians", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Radians of an angle in degrees.", Fn1: scaledBy(math.Pi / 180)},
	{Name: "sqrt", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Square root.", Fn1: expr.Of1(sqrtFloat)},
	{Name: "dsqrt", Operator: "|/", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Square root.", Fn1: expr.Of1(sqrtFloat)},
	{Name: "cbrt", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Cube root.", Fn1: exactFloat(math.Cbrt)},
	{Name: "dcbrt", Operator: "||/", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Cube root.", Fn1: exactFloat(math.Cbrt)},
	{Name: "power", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "First number raised to the power of the second.", Fn2: expr.Of2(powerFloat)},
	{Name: "pow", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "First number raised to the power of the second.", Fn2: expr.Of2(powerFloat)},
	{Name: "dpow", Operator: "^", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "First number raised to the power of the second.", Fn2: expr.Of2(powerFloat)},
	{Name: "exp", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Exponential.", Fn1: expr.Of1(expFloat)},
	{Name: "ln", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Natural logarithm.", Fn1: expr.Of1(lnFloat)},
	{Name: "log", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Logarithm to base 10.", Fn1: log10},
	{Name: "log10", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Logarithm to base 10.", Fn1: log10},
	{Name: "sin", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Sine of an angle in radians.", Fn1: finiteAngle(math.Sin)},
	{Name: "cos", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Cosine of an angle in radians.", Fn1: finiteAngle(math.Cos)},
	{Name: "tan", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Tangent of an angle in radians.", Fn1: finiteAngle(math.Tan)},
	{Name: "cot", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Cotangent of an angle in radians.", Fn1: finiteAngle(cotangent)},
	{Name: "asin", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse sine, in radians.", Fn1: ofUnit(math.Asin)},
	{Name: "acos", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse cosine, in radians.", Fn1: ofUnit(math.Acos)},
	{Name: "atan", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse tangent, in radians.", Fn1: exactFloat(math.Atan)},
	{Name: "atan2", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "Inverse tangent of the quotient, in radians.", Fn2: inverseTangent2},
	{Name: "sinh", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Hyperbolic sine.", Fn1: exactFloat(math.Sinh)},
	{Name: "cosh", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Hyperbolic cosine.", Fn1: exactFloat(math.Cosh)},
	{Name: "tanh", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Hyperbolic tangent.", Fn1: exactFloat(math.Tanh)},
	{Name: "pi", Args: pg.Sig{}, Result: pg.Float8, Doc: "The number pi.", Fn0: pi},
}

// exactFloat makes a function of one that is right for every float.
func exactFloat(f func(float64) float64) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		return types.NewFloat(f(a.Float())), nil
	}
}

func scaledBy(factor float64) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		return MulFloat8(a, types.NewFloat(factor))
	}
}

// degrees divides, which rounds otherwise than to multiply by the inverse.
func degrees(_ *expr.Context, a types.Value) (types.Value, error) {
	return DivFloat8(a, types.NewFloat(math.Pi/180))
}

// log10 refuses what ln does.
func log10(_ *expr.Context, a types.Value) (types.Value, error) {
	if a.Float() <= 0 {
		return lnFloat(a)
	}
	x := a.Float()
	if x < 0x1p-1022 { // which math.Log10 is wrong for
		return types.NewFloat(math.Log10(x*1e20) - 20), nil
	}
	out := math.Log10(x)
	if whole := math.Round(out); math.Abs(whole) < 300 && math.Pow10(int(whole)) == x {
		out = whole
	}
	return types.NewFloat(out), nil
}

func inputOutOfRange() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "input is out of range")
}

func finiteAngle(f func(float64) float64) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		if math.IsInf(a.Float(), 0) {
			return types.Null, inputOutOfRange()
		}
		return types.NewFloat(f(a.Float())), nil
	}
}

func cotangent(f float64) float64 { return 1 / math.Tan(f) }

func ofUnit(f func(float64) float64) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) {
		if math.Abs(a.Float()) > 1 {
			return types.Null, inputOutOfRange()
		}
		return types.NewFloat(f(a.Float())), nil
	}
}

func inverseTangent2(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewFloat(math.Atan2(a.Float(), b.Float())), nil
}

func pi(*expr.Context) (types.Value, error) { return types.NewFloat(math.Pi), nil }
