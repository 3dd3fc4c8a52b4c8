package number

import (
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// angleFunctions are trigonometry in degrees, which is exact where the result is, and
// the inverse hyperbolic functions.
var angleFunctions = []*expr.Function{
	{Name: "sind", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Sine of an angle in degrees.", Fn1: finiteAngle(sinDegrees)},
	{Name: "cosd", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Cosine of an angle in degrees.", Fn1: finiteAngle(cosDegrees)},
	{Name: "tand", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Tangent of an angle in degrees.", Fn1: finiteAngle(tanDegrees)},
	{Name: "cotd", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Cotangent of an angle in degrees.", Fn1: finiteAngle(cotDegrees)},
	{Name: "asind", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse sine, in degrees.", Fn1: ofUnit(asinDegrees)},
	{Name: "acosd", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse cosine, in degrees.", Fn1: ofUnit(acosDegrees)},
	{Name: "atand", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse tangent, in degrees.", Fn1: exactFloat(atanDegrees)},
	{Name: "atan2d", Args: pg.Sig{pg.Float8, pg.Float8}, Result: pg.Float8, Doc: "Inverse tangent of the quotient, in degrees.", Fn2: atan2Degrees},
	{Name: "asinh", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse hyperbolic sine.", Fn1: exactFloat(math.Asinh)},
	{Name: "acosh", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse hyperbolic cosine.", Fn1: acosh},
	{Name: "atanh", Args: pg.Sig{pg.Float8}, Result: pg.Float8, Doc: "Inverse hyperbolic tangent.", Fn1: ofUnit(math.Atanh)},
}

func acosh(_ *expr.Context, a types.Value) (types.Value, error) {
	if a.Float() < 1 {
		return types.Null, inputOutOfRange()
	}
	return types.NewFloat(math.Acosh(a.Float())), nil
}

// Angles of a quadrant are computed so that those of 30, 45 and 60 degrees are exact:
// each result is divided by what the same arithmetic makes of the exact case.

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }

var (
	sin30         = math.Sin(radians(30))
	oneMinusCos60 = 1 - math.Cos(radians(60))
	asinHalf      = math.Asin(0.5)
	acosHalf      = math.Acos(0.5)
	atanOne       = math.Atan(1)
	tanOf45       = sinQuadrant(45) / cosQuadrant(45)
	cotangentOf45 = cosQuadrant(45) / sinQuadrant(45)
)

func sinTo30(x float64) float64 { return math.Sin(radians(x)) / sin30 / 2 }

func cosTo60(x float64) float64 { return 1 - (1-math.Cos(radians(x)))/oneMinusCos60/2 }

func sinQuadrant(x float64) float64 {
	if x <= 30 {
		return sinTo30(x)
	}
	return cosTo60(90 - x)
}

func cosQuadrant(x float64) float64 {
	if x <= 60 {
		return cosTo60(x)
	}
	return sinTo30(90 - x)
}

// quadrant folds an angle into the first quadrant. The signs are those of sine, cosine
// and tangent where the angle was.
func quadrant(x float64) (folded, sine, cosine, tangent float64) {
	x, sine, cosine, tangent = math.Mod(x, 360), 1, 1, 1
	if x < 0 {
		x, sine, tangent = -x, -sine, -tangent
	}
	if x > 180 {
		x, sine, tangent = 360-x, -sine, -tangent
	}
	if x > 90 {
		x, cosine, tangent = 180-x, -cosine, -tangent
	}
	return x, sine, cosine, tangent
}

func sinDegrees(x float64) float64 {
	x, sign, _, _ := quadrant(x)
	return sign * sinQuadrant(x)
}

func cosDegrees(x float64) float64 {
	x, _, sign, _ := quadrant(x)
	return sign * cosQuadrant(x)
}

func tanDegrees(x float64) float64 {
	x, _, _, sign := quadrant(x)
	return sign*(sinQuadrant(x)/cosQuadrant(x)/tanOf45) + 0 // no negative zero
}

func cotDegrees(x float64) float64 {
	x, _, _, sign := quadrant(x)
	return sign*(cosQuadrant(x)/sinQuadrant(x)/cotangentOf45) + 0
}

func asinQuadrant(x float64) float64 {
	if x <= 0.5 {
		return math.Asin(x) / asinHalf * 30
	}
	return 90 - math.Acos(x)/acosHalf*60
}

func acosQuadrant(x float64) float64 {
	if x <= 0.5 {
		return 90 - math.Asin(x)/asinHalf*30
	}
	return math.Acos(x) / acosHalf * 60
}

func asinDegrees(x float64) float64 {
	if x >= 0 {
		return asinQuadrant(x)
	}
	return -asinQuadrant(-x)
}

func acosDegrees(x float64) float64 {
	if x >= 0 {
		return acosQuadrant(x)
	}
	return 90 + asinQuadrant(-x)
}

func atanDegrees(x float64) float64 { return math.Atan(x) / atanOne * 45 }

func atan2Degrees(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewFloat(math.Atan2(a.Float(), b.Float()) / atanOne * 45), nil
}
