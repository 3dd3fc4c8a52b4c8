package expr

import (
	"math"

	"zproxy/sqlerr"
	"zproxy/types"
)

// floatFunctions are the operators and functions of floats.
var floatFunctions = []*Function{
	{Name: "float4pl", Operator: "+", Args: sig{float4, float4}, Result: float4, Doc: "Sum.", Fn2: of2(types.AddFloat4)},
	{Name: "float48pl", Operator: "+", Args: sig{float4, float8}, Result: float8, Doc: "Sum.", Fn2: of2(types.AddFloat8)},
	{Name: "float84pl", Operator: "+", Args: sig{float8, float4}, Result: float8, Doc: "Sum.", Fn2: of2(types.AddFloat8)},
	{Name: "float8pl", Operator: "+", Args: sig{float8, float8}, Result: float8, Doc: "Sum.", Fn2: of2(types.AddFloat8)},
	{Name: "float4mi", Operator: "-", Args: sig{float4, float4}, Result: float4, Doc: "Difference.", Fn2: of2(types.SubFloat4)},
	{Name: "float48mi", Operator: "-", Args: sig{float4, float8}, Result: float8, Doc: "Difference.", Fn2: of2(types.SubFloat8)},
	{Name: "float84mi", Operator: "-", Args: sig{float8, float4}, Result: float8, Doc: "Difference.", Fn2: of2(types.SubFloat8)},
	{Name: "float8mi", Operator: "-", Args: sig{float8, float8}, Result: float8, Doc: "Difference.", Fn2: of2(types.SubFloat8)},
	{Name: "float4mul", Operator: "*", Args: sig{float4, float4}, Result: float4, Doc: "Product.", Fn2: of2(types.MulFloat4)},
	{Name: "float48mul", Operator: "*", Args: sig{float4, float8}, Result: float8, Doc: "Product.", Fn2: of2(types.MulFloat8)},
	{Name: "float84mul", Operator: "*", Args: sig{float8, float4}, Result: float8, Doc: "Product.", Fn2: of2(types.MulFloat8)},
	{Name: "float8mul", Operator: "*", Args: sig{float8, float8}, Result: float8, Doc: "Product.", Fn2: of2(types.MulFloat8)},
	{Name: "float4div", Operator: "/", Args: sig{float4, float4}, Result: float4, Doc: "Quotient.", Fn2: of2(types.DivFloat4)},
	{Name: "float48div", Operator: "/", Args: sig{float4, float8}, Result: float8, Doc: "Quotient.", Fn2: of2(types.DivFloat8)},
	{Name: "float84div", Operator: "/", Args: sig{float8, float4}, Result: float8, Doc: "Quotient.", Fn2: of2(types.DivFloat8)},
	{Name: "float8div", Operator: "/", Args: sig{float8, float8}, Result: float8, Doc: "Quotient.", Fn2: of2(types.DivFloat8)},
	{Name: "float4up", Operator: "+", Args: sig{float4}, Result: float4, Doc: "The number itself.", Fn1: same},
	{Name: "float8up", Operator: "+", Args: sig{float8}, Result: float8, Doc: "The number itself.", Fn1: same},
	{Name: "float4um", Operator: "-", Args: sig{float4}, Result: float4, Doc: "Number with its sign changed.", Fn1: of1(types.NegFloat)},
	{Name: "float8um", Operator: "-", Args: sig{float8}, Result: float8, Doc: "Number with its sign changed.", Fn1: of1(types.NegFloat)},
	{Name: "float4abs", Operator: "@", Args: sig{float4}, Result: float4, Doc: "Absolute value.", Fn1: of1(types.AbsFloat)},
	{Name: "float8abs", Operator: "@", Args: sig{float8}, Result: float8, Doc: "Absolute value.", Fn1: of1(types.AbsFloat)},
	{Name: "abs", Args: sig{float4}, Result: float4, Doc: "Absolute value.", Fn1: of1(types.AbsFloat)},
	{Name: "abs", Args: sig{float8}, Result: float8, Doc: "Absolute value.", Fn1: of1(types.AbsFloat)},
	{Name: "ceil", Args: sig{float8}, Result: float8, Doc: "Nearest whole number not below.", Fn1: of1(types.CeilFloat)},
	{Name: "ceiling", Args: sig{float8}, Result: float8, Doc: "Nearest whole number not below.", Fn1: of1(types.CeilFloat)},
	{Name: "floor", Args: sig{float8}, Result: float8, Doc: "Nearest whole number not above.", Fn1: of1(types.FloorFloat)},
	{Name: "round", Args: sig{float8}, Result: float8, Doc: "Nearest whole number, the even one of two.", Fn1: of1(types.RoundFloat)},
	{Name: "trunc", Args: sig{float8}, Result: float8, Doc: "Whole number towards zero.", Fn1: of1(types.TruncFloat)},
	{Name: "sign", Args: sig{float8}, Result: float8, Doc: "Sign: -1, 0 or 1.", Fn1: of1(types.SignFloat)},
	{Name: "degrees", Args: sig{float8}, Result: float8, Doc: "Degrees of an angle in radians.", Fn1: degrees},
	{Name: "radians", Args: sig{float8}, Result: float8, Doc: "Radians of an angle in degrees.", Fn1: scaledBy(math.Pi / 180)},
	{Name: "sqrt", Args: sig{float8}, Result: float8, Doc: "Square root.", Fn1: of1(types.SqrtFloat)},
	{Name: "dsqrt", Operator: "|/", Args: sig{float8}, Result: float8, Doc: "Square root.", Fn1: of1(types.SqrtFloat)},
	{Name: "cbrt", Args: sig{float8}, Result: float8, Doc: "Cube root.", Fn1: exactFloat(math.Cbrt)},
	{Name: "dcbrt", Operator: "||/", Args: sig{float8}, Result: float8, Doc: "Cube root.", Fn1: exactFloat(math.Cbrt)},
	{Name: "power", Args: sig{float8, float8}, Result: float8, Doc: "First number raised to the power of the second.", Fn2: of2(types.PowerFloat)},
	{Name: "pow", Args: sig{float8, float8}, Result: float8, Doc: "First number raised to the power of the second.", Fn2: of2(types.PowerFloat)},
	{Name: "dpow", Operator: "^", Args: sig{float8, float8}, Result: float8, Doc: "First number raised to the power of the second.", Fn2: of2(types.PowerFloat)},
	{Name: "exp", Args: sig{float8}, Result: float8, Doc: "Exponential.", Fn1: of1(types.ExpFloat)},
	{Name: "ln", Args: sig{float8}, Result: float8, Doc: "Natural logarithm.", Fn1: of1(types.LnFloat)},
	{Name: "log", Args: sig{float8}, Result: float8, Doc: "Logarithm to base 10.", Fn1: log10},
	{Name: "log10", Args: sig{float8}, Result: float8, Doc: "Logarithm to base 10.", Fn1: log10},
	{Name: "sin", Args: sig{float8}, Result: float8, Doc: "Sine of an angle in radians.", Fn1: finiteAngle(math.Sin)},
	{Name: "cos", Args: sig{float8}, Result: float8, Doc: "Cosine of an angle in radians.", Fn1: finiteAngle(math.Cos)},
	{Name: "tan", Args: sig{float8}, Result: float8, Doc: "Tangent of an angle in radians.", Fn1: finiteAngle(math.Tan)},
	{Name: "cot", Args: sig{float8}, Result: float8, Doc: "Cotangent of an angle in radians.", Fn1: finiteAngle(cotangent)},
	{Name: "asin", Args: sig{float8}, Result: float8, Doc: "Inverse sine, in radians.", Fn1: ofUnit(math.Asin)},
	{Name: "acos", Args: sig{float8}, Result: float8, Doc: "Inverse cosine, in radians.", Fn1: ofUnit(math.Acos)},
	{Name: "atan", Args: sig{float8}, Result: float8, Doc: "Inverse tangent, in radians.", Fn1: exactFloat(math.Atan)},
	{Name: "atan2", Args: sig{float8, float8}, Result: float8, Doc: "Inverse tangent of the quotient, in radians.", Fn2: inverseTangent2},
	{Name: "sinh", Args: sig{float8}, Result: float8, Doc: "Hyperbolic sine.", Fn1: exactFloat(math.Sinh)},
	{Name: "cosh", Args: sig{float8}, Result: float8, Doc: "Hyperbolic cosine.", Fn1: exactFloat(math.Cosh)},
	{Name: "tanh", Args: sig{float8}, Result: float8, Doc: "Hyperbolic tangent.", Fn1: exactFloat(math.Tanh)},
	{Name: "pi", Args: sig{}, Result: float8, Doc: "The number pi.", Fn0: pi},
}

// exactFloat makes a function of one that is right for every float.
func exactFloat(f func(float64) float64) function1 {
	return func(_ *Context, a types.Value) (types.Value, error) {
		return types.NewFloat(f(a.Float())), nil
	}
}

func scaledBy(factor float64) function1 {
	return func(_ *Context, a types.Value) (types.Value, error) {
		return types.MulFloat8(a, types.NewFloat(factor))
	}
}

// degrees divides, which rounds otherwise than to multiply by the inverse.
func degrees(_ *Context, a types.Value) (types.Value, error) {
	return types.DivFloat8(a, types.NewFloat(math.Pi/180))
}

// log10 refuses what ln does.
func log10(_ *Context, a types.Value) (types.Value, error) {
	if a.Float() <= 0 {
		return types.LnFloat(a)
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

func finiteAngle(f func(float64) float64) function1 {
	return func(_ *Context, a types.Value) (types.Value, error) {
		if math.IsInf(a.Float(), 0) {
			return types.Null, inputOutOfRange()
		}
		return types.NewFloat(f(a.Float())), nil
	}
}

func cotangent(f float64) float64 { return 1 / math.Tan(f) }

func ofUnit(f func(float64) float64) function1 {
	return func(_ *Context, a types.Value) (types.Value, error) {
		if math.Abs(a.Float()) > 1 {
			return types.Null, inputOutOfRange()
		}
		return types.NewFloat(f(a.Float())), nil
	}
}

func inverseTangent2(_ *Context, a, b types.Value) (types.Value, error) {
	return types.NewFloat(math.Atan2(a.Float(), b.Float())), nil
}

func pi(*Context) (types.Value, error) { return types.NewFloat(math.Pi), nil }
