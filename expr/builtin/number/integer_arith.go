package number

import (
	"math"

	"zproxy/types"
	"zproxy/types/integer"
	"zproxy/types/numeric"
)

// addInt2 is smallint + smallint.
func addInt2(a, b types.Value) (types.Value, error) { return fit2(a.Int() + b.Int()) }

// addInt4 is integer + integer, where one may be a smallint.
func addInt4(a, b types.Value) (types.Value, error) { return fit4(a.Int() + b.Int()) }

// addInt8 is bigint + bigint, where one may be shorter.
func addInt8(a, b types.Value) (types.Value, error) {
	return bigint(integer.Add(a.Int(), b.Int()))
}

func bigint(n int64, fits bool) (types.Value, error) {
	if !fits {
		return types.Null, integer.OutOfRange("bigint")
	}
	return types.NewInt(n), nil
}

// subInt2 is smallint - smallint.
func subInt2(a, b types.Value) (types.Value, error) { return fit2(a.Int() - b.Int()) }

// subInt4 is integer - integer, where one may be a smallint.
func subInt4(a, b types.Value) (types.Value, error) { return fit4(a.Int() - b.Int()) }

// subInt8 is bigint - bigint, where one may be shorter.
func subInt8(a, b types.Value) (types.Value, error) {
	return bigint(integer.Sub(a.Int(), b.Int()))
}

// mulInt2 is smallint * smallint.
func mulInt2(a, b types.Value) (types.Value, error) { return fit2(a.Int() * b.Int()) }

// MulInt4 is integer * integer, where one may be a smallint.
func MulInt4(a, b types.Value) (types.Value, error) { return fit4(a.Int() * b.Int()) }

// MulInt8 is bigint * bigint, where one may be shorter.
func MulInt8(a, b types.Value) (types.Value, error) {
	return bigint(integer.Mul(a.Int(), b.Int()))
}

// divInt2 is smallint / smallint, towards zero.
func divInt2(a, b types.Value) (types.Value, error) { return divInt(a, b, fit2) }

// divInt4 is integer / integer, towards zero, where one may be a smallint.
func divInt4(a, b types.Value) (types.Value, error) { return divInt(a, b, fit4) }

// divInt8 is bigint / bigint, towards zero, where one may be shorter.
func divInt8(a, b types.Value) (types.Value, error) {
	if b.Int() == -1 {
		return negInt8(a)
	}
	return divInt(a, b, fit8)
}

func divInt(a, b types.Value, fit func(int64) (types.Value, error)) (types.Value, error) {
	if b.Int() == 0 {
		return types.Null, numeric.DivisionByZero()
	}
	return fit(a.Int() / b.Int())
}

// modInt is the remainder of a division of integers, with the sign of a. It cannot
// leave the range of any type.
func modInt(a, b types.Value) (types.Value, error) {
	if b.Int() == 0 {
		return types.Null, numeric.DivisionByZero()
	}
	return types.NewInt(a.Int() % b.Int()), nil
}

// negInt2 is - smallint.
func negInt2(v types.Value) (types.Value, error) { return fit2(-v.Int()) }

// negInt4 is - integer.
func negInt4(v types.Value) (types.Value, error) { return fit4(-v.Int()) }

// negInt8 is - bigint.
func negInt8(v types.Value) (types.Value, error) {
	if v.Int() == math.MinInt64 {
		return types.Null, integer.OutOfRange("bigint")
	}
	return types.NewInt(-v.Int()), nil
}

// absInt2 is abs(smallint).
func absInt2(v types.Value) (types.Value, error) { return absInt(v, negInt2) }

// absInt4 is abs(integer).
func absInt4(v types.Value) (types.Value, error) { return absInt(v, negInt4) }

// absInt8 is abs(bigint).
func absInt8(v types.Value) (types.Value, error) { return absInt(v, negInt8) }

func absInt(v types.Value, negate func(types.Value) (types.Value, error)) (types.Value, error) {
	if v.Int() < 0 {
		return negate(v)
	}
	return v, nil
}

func fit2(n int64) (types.Value, error) {
	if err := integer.Check2(n); err != nil {
		return types.Null, err
	}
	return types.NewInt(n), nil
}

func fit4(n int64) (types.Value, error) {
	if err := integer.Check4(n); err != nil {
		return types.Null, err
	}
	return types.NewInt(n), nil
}

func fit8(n int64) (types.Value, error) { return types.NewInt(n), nil }
