package types

import (
	"math"

	"zproxy/sqlerr"
	"zproxy/types/numeric"
)

func floatOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: overflow")
}

func floatUnderflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: underflow")
}

// checkedFloat refuses an infinity or a zero that the operands do not explain.
func checkedFloat(f float64, infinite, zero bool) (Value, error) {
	switch {
	case math.IsInf(f, 0) && !infinite:
		return Null, floatOverflow()
	case f == 0 && !zero:
		return Null, floatUnderflow()
	}
	return NewFloat(f), nil
}

// round4 rounds the result of an operation on two float4 to a float4. That the result
// was rounded to a float8 before makes no difference, as that has more than twice the
// digits (Figueroa, "When is double rounding innocuous?", 1995).
func round4(f float64) float64 { return float64(float32(f)) }

func isInf(v Value) bool { return math.IsInf(v.Float(), 0) }

func isZero(v Value) bool { return v.Float() == 0 }

// AddFloat4 is real + real.
func AddFloat4(a, b Value) (Value, error) {
	return checkedFloat(round4(a.Float()+b.Float()), isInf(a) || isInf(b), true)
}

// AddFloat8 is double precision + double precision, where one may be a real.
func AddFloat8(a, b Value) (Value, error) {
	return checkedFloat(a.Float()+b.Float(), isInf(a) || isInf(b), true)
}

// SubFloat4 is real - real.
func SubFloat4(a, b Value) (Value, error) {
	return checkedFloat(round4(a.Float()-b.Float()), isInf(a) || isInf(b), true)
}

// SubFloat8 is double precision - double precision, where one may be a real.
func SubFloat8(a, b Value) (Value, error) {
	return checkedFloat(a.Float()-b.Float(), isInf(a) || isInf(b), true)
}

// MulFloat4 is real * real.
func MulFloat4(a, b Value) (Value, error) {
	return checkedFloat(round4(a.Float()*b.Float()), isInf(a) || isInf(b), isZero(a) || isZero(b))
}

// MulFloat8 is double precision * double precision, where one may be a real.
func MulFloat8(a, b Value) (Value, error) {
	return checkedFloat(a.Float()*b.Float(), isInf(a) || isInf(b), isZero(a) || isZero(b))
}

// DivFloat4 is real / real.
func DivFloat4(a, b Value) (Value, error) {
	if isZero(b) && a.Float() == a.Float() {
		return Null, numeric.DivisionByZero()
	}
	return checkedFloat(round4(a.Float()/b.Float()), isInf(a), isZero(a) || isInf(b))
}

// DivFloat8 is double precision / double precision, where one may be a real.
func DivFloat8(a, b Value) (Value, error) {
	if isZero(b) && a.Float() == a.Float() {
		return Null, numeric.DivisionByZero()
	}
	return checkedFloat(a.Float()/b.Float(), isInf(a), isZero(a) || isInf(b))
}

// NegFloat is - real or - double precision.
func NegFloat(v Value) (Value, error) { return NewFloat(-v.Float()), nil }

// AbsFloat is abs(real) or abs(double precision).
func AbsFloat(v Value) (Value, error) { return NewFloat(math.Abs(v.Float())), nil }

// RoundFloat is round(double precision), half to even.
func RoundFloat(v Value) (Value, error) { return NewFloat(math.RoundToEven(v.Float())), nil }

// TruncFloat is trunc(double precision).
func TruncFloat(v Value) (Value, error) { return NewFloat(math.Trunc(v.Float())), nil }

// CeilFloat is ceil(double precision).
func CeilFloat(v Value) (Value, error) { return NewFloat(math.Ceil(v.Float())), nil }

// FloorFloat is floor(double precision).
func FloorFloat(v Value) (Value, error) { return NewFloat(math.Floor(v.Float())), nil }

// SignFloat is sign(double precision).
func SignFloat(v Value) (Value, error) {
	switch f := v.Float(); {
	case f > 0:
		return NewFloat(1), nil
	case f < 0:
		return NewFloat(-1), nil
	}
	return NewFloat(0), nil
}

// SqrtFloat is sqrt(double precision).
func SqrtFloat(v Value) (Value, error) {
	if v.Float() < 0 {
		return Null, sqlerr.New(sqlerr.InvalidArgumentForPower, "cannot take square root of a negative number")
	}
	return NewFloat(math.Sqrt(v.Float())), nil
}

// ExpFloat is exp(double precision).
func ExpFloat(v Value) (Value, error) {
	return checkedFloat(math.Exp(v.Float()), isInf(v), isInf(v))
}

// LnFloat is ln(double precision).
func LnFloat(v Value) (Value, error) {
	switch f := v.Float(); {
	case f == 0:
		return Null, sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of zero")
	case f < 0:
		return Null, sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of a negative number")
	}
	return NewFloat(naturalLog(v.Float())), nil
}

// naturalLog is math.Log, which is wrong for numbers that are too small to be normal.
func naturalLog(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// PowerFloat is power(double precision, double precision). It refuses what C's pow
// answers with NaN or, for a zero, with infinity.
func PowerFloat(a, b Value) (Value, error) {
	x, y := a.Float(), b.Float()
	switch {
	case x == 0 && y < 0:
		return Null, sqlerr.New(sqlerr.InvalidArgumentForPower, "zero raised to a negative power is undefined")
	case x < 0 && math.Floor(y) != y && y == y:
		return Null, sqlerr.New(sqlerr.InvalidArgumentForPower,
			"a negative number raised to a non-integer power yields a complex result")
	}
	return checkedFloat(math.Pow(x, y), isInf(a) || isInf(b), isZero(a) || isInf(a) || isInf(b))
}
