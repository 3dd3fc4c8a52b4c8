package number

import (
	"math"

	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/float"
	"zproxy/types/numeric"
)

func isInf(v types.Value) bool { return math.IsInf(v.Float(), 0) }

func isZero(v types.Value) bool { return v.Float() == 0 }

// AddFloat4 is real + real.
func AddFloat4(a, b types.Value) (types.Value, error) {
	return checked(float.Round4(a.Float()+b.Float()), isInf(a) || isInf(b), true)
}

// AddFloat8 is double precision + double precision, where one may be a real.
func AddFloat8(a, b types.Value) (types.Value, error) {
	return checked(a.Float()+b.Float(), isInf(a) || isInf(b), true)
}

// subFloat4 is real - real.
func subFloat4(a, b types.Value) (types.Value, error) {
	return checked(float.Round4(a.Float()-b.Float()), isInf(a) || isInf(b), true)
}

// SubFloat8 is double precision - double precision, where one may be a real.
func SubFloat8(a, b types.Value) (types.Value, error) {
	return checked(a.Float()-b.Float(), isInf(a) || isInf(b), true)
}

// mulFloat4 is real * real.
func mulFloat4(a, b types.Value) (types.Value, error) {
	return checked(float.Round4(a.Float()*b.Float()), isInf(a) || isInf(b), isZero(a) || isZero(b))
}

// MulFloat8 is double precision * double precision, where one may be a real.
func MulFloat8(a, b types.Value) (types.Value, error) {
	return checked(a.Float()*b.Float(), isInf(a) || isInf(b), isZero(a) || isZero(b))
}

// divFloat4 is real / real.
func divFloat4(a, b types.Value) (types.Value, error) {
	if isZero(b) && a.Float() == a.Float() {
		return types.Null, numeric.DivisionByZero()
	}
	return checked(float.Round4(a.Float()/b.Float()), isInf(a), isZero(a) || isInf(b))
}

// DivFloat8 is double precision / double precision, where one may be a real.
func DivFloat8(a, b types.Value) (types.Value, error) {
	if isZero(b) && a.Float() == a.Float() {
		return types.Null, numeric.DivisionByZero()
	}
	return checked(a.Float()/b.Float(), isInf(a), isZero(a) || isInf(b))
}

// negFloat is - real or - double precision.
func negFloat(v types.Value) (types.Value, error) { return types.NewFloat(-v.Float()), nil }

// absFloat is abs(real) or abs(double precision).
func absFloat(v types.Value) (types.Value, error) { return types.NewFloat(math.Abs(v.Float())), nil }

// roundFloat is round(double precision), half to even.
func roundFloat(v types.Value) (types.Value, error) {
	return types.NewFloat(math.RoundToEven(v.Float())), nil
}

// truncFloat is trunc(double precision).
func truncFloat(v types.Value) (types.Value, error) {
	return types.NewFloat(math.Trunc(v.Float())), nil
}

// ceilFloat is ceil(double precision).
func ceilFloat(v types.Value) (types.Value, error) { return types.NewFloat(math.Ceil(v.Float())), nil }

// floorFloat is floor(double precision).
func floorFloat(v types.Value) (types.Value, error) {
	return types.NewFloat(math.Floor(v.Float())), nil
}

// signFloat is sign(double precision).
func signFloat(v types.Value) (types.Value, error) {
	switch f := v.Float(); {
	case f > 0:
		return types.NewFloat(1), nil
	case f < 0:
		return types.NewFloat(-1), nil
	}
	return types.NewFloat(0), nil
}

// sqrtFloat is sqrt(double precision).
func sqrtFloat(v types.Value) (types.Value, error) {
	if v.Float() < 0 {
		return types.Null, sqlerr.New(sqlerr.InvalidArgumentForPower, "cannot take square root of a negative number")
	}
	return types.NewFloat(math.Sqrt(v.Float())), nil
}

// expFloat is exp(double precision).
func expFloat(v types.Value) (types.Value, error) {
	return checked(math.Exp(v.Float()), isInf(v), isInf(v))
}

// lnFloat is ln(double precision).
func lnFloat(v types.Value) (types.Value, error) {
	switch f := v.Float(); {
	case f == 0:
		return types.Null, sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of zero")
	case f < 0:
		return types.Null, sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of a negative number")
	}
	return types.NewFloat(logFloat(v.Float())), nil
}

// logFloat is math.Log, which is wrong for numbers that are too small to be normal.
func logFloat(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// powerFloat is power(double precision, double precision). It refuses what C's pow
// answers with NaN or, for a zero, with infinity.
func powerFloat(a, b types.Value) (types.Value, error) {
	x, y := a.Float(), b.Float()
	switch {
	case x == 0 && y < 0:
		return types.Null, sqlerr.New(sqlerr.InvalidArgumentForPower, "zero raised to a negative power is undefined")
	case x < 0 && math.Floor(y) != y && y == y:
		return types.Null, sqlerr.New(sqlerr.InvalidArgumentForPower,
			"a negative number raised to a non-integer power yields a complex result")
	}
	return checked(math.Pow(x, y), isInf(a) || isInf(b), isZero(a) || isInf(a) || isInf(b))
}

// checked refuses a result that the operands do not explain.
func checked(f float64, infinite, zero bool) (types.Value, error) {
	if err := float.Check(f, infinite, zero); err != nil {
		return types.Null, err
	}
	return types.NewFloat(f), nil
}
