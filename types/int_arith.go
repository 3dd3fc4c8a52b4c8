package types

import (
	"math"

	"zproxy/types/numeric"
)

// AddInt2 is smallint + smallint.
func AddInt2(a, b Value) (Value, error) { return fitInt(a.Int()+b.Int(), OIDInt2) }

// AddInt4 is integer + integer, where one may be a smallint.
func AddInt4(a, b Value) (Value, error) { return fitInt(a.Int()+b.Int(), OIDInt4) }

// AddInt8 is bigint + bigint, where one may be shorter.
func AddInt8(a, b Value) (Value, error) {
	sum := a.Int() + b.Int()
	if (sum < a.Int()) != (b.Int() < 0) {
		return Null, intOutOfRange("bigint")
	}
	return NewInt(sum), nil
}

// SubInt2 is smallint - smallint.
func SubInt2(a, b Value) (Value, error) { return fitInt(a.Int()-b.Int(), OIDInt2) }

// SubInt4 is integer - integer, where one may be a smallint.
func SubInt4(a, b Value) (Value, error) { return fitInt(a.Int()-b.Int(), OIDInt4) }

// SubInt8 is bigint - bigint, where one may be shorter.
func SubInt8(a, b Value) (Value, error) {
	difference := a.Int() - b.Int()
	if (difference > a.Int()) != (b.Int() < 0) {
		return Null, intOutOfRange("bigint")
	}
	return NewInt(difference), nil
}

// MulInt2 is smallint * smallint.
func MulInt2(a, b Value) (Value, error) { return fitInt(a.Int()*b.Int(), OIDInt2) }

// MulInt4 is integer * integer, where one may be a smallint.
func MulInt4(a, b Value) (Value, error) { return fitInt(a.Int()*b.Int(), OIDInt4) }

// MulInt8 is bigint * bigint, where one may be shorter.
func MulInt8(a, b Value) (Value, error) {
	x, y := a.Int(), b.Int()
	product := x * y
	if x != 0 && (product/x != y || x == -1 && y == math.MinInt64) {
		return Null, intOutOfRange("bigint")
	}
	return NewInt(product), nil
}

// DivInt2 is smallint / smallint, towards zero.
func DivInt2(a, b Value) (Value, error) { return divInt(a, b, OIDInt2) }

// DivInt4 is integer / integer, towards zero, where one may be a smallint.
func DivInt4(a, b Value) (Value, error) { return divInt(a, b, OIDInt4) }

// DivInt8 is bigint / bigint, towards zero, where one may be shorter.
func DivInt8(a, b Value) (Value, error) {
	if b.Int() == -1 {
		return NegInt8(a)
	}
	return divInt(a, b, OIDInt8)
}

func divInt(a, b Value, oid OID) (Value, error) {
	if b.Int() == 0 {
		return Null, numeric.DivisionByZero()
	}
	return fitInt(a.Int()/b.Int(), oid)
}

// ModInt is the remainder of a division of integers, with the sign of a. It cannot
// leave the range of any type.
func ModInt(a, b Value) (Value, error) {
	if b.Int() == 0 {
		return Null, numeric.DivisionByZero()
	}
	return NewInt(a.Int() % b.Int()), nil
}

// NegInt2 is - smallint.
func NegInt2(v Value) (Value, error) { return fitInt(-v.Int(), OIDInt2) }

// NegInt4 is - integer.
func NegInt4(v Value) (Value, error) { return fitInt(-v.Int(), OIDInt4) }

// NegInt8 is - bigint.
func NegInt8(v Value) (Value, error) {
	if v.Int() == math.MinInt64 {
		return Null, intOutOfRange("bigint")
	}
	return NewInt(-v.Int()), nil
}

// AbsInt2 is abs(smallint).
func AbsInt2(v Value) (Value, error) { return absInt(v, NegInt2) }

// AbsInt4 is abs(integer).
func AbsInt4(v Value) (Value, error) { return absInt(v, NegInt4) }

// AbsInt8 is abs(bigint).
func AbsInt8(v Value) (Value, error) { return absInt(v, NegInt8) }

func absInt(v Value, negate func(Value) (Value, error)) (Value, error) {
	if v.Int() < 0 {
		return negate(v)
	}
	return v, nil
}
