package number

import (
	"strconv"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// integerFunctions are the operators of integers. Two widths give the wider one.
var integerFunctions = []*expr.Function{
	{Name: "int2pl", Operator: "+", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Sum.", Fn2: expr.Of2(addInt2)},
	{Name: "int24pl", Operator: "+", Args: pg.Sig{pg.Int2, pg.Int4}, Result: pg.Int4, Doc: "Sum.", Fn2: expr.Of2(addInt4)},
	{Name: "int28pl", Operator: "+", Args: pg.Sig{pg.Int2, pg.Int8}, Result: pg.Int8, Doc: "Sum.", Fn2: expr.Of2(addInt8)},
	{Name: "int42pl", Operator: "+", Args: pg.Sig{pg.Int4, pg.Int2}, Result: pg.Int4, Doc: "Sum.", Fn2: expr.Of2(addInt4)},
	{Name: "int4pl", Operator: "+", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Sum.", Fn2: expr.Of2(addInt4)},
	{Name: "int48pl", Operator: "+", Args: pg.Sig{pg.Int4, pg.Int8}, Result: pg.Int8, Doc: "Sum.", Fn2: expr.Of2(addInt8)},
	{Name: "int82pl", Operator: "+", Args: pg.Sig{pg.Int8, pg.Int2}, Result: pg.Int8, Doc: "Sum.", Fn2: expr.Of2(addInt8)},
	{Name: "int84pl", Operator: "+", Args: pg.Sig{pg.Int8, pg.Int4}, Result: pg.Int8, Doc: "Sum.", Fn2: expr.Of2(addInt8)},
	{Name: "int8pl", Operator: "+", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Sum.", Fn2: expr.Of2(addInt8)},
	{Name: "int2mi", Operator: "-", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Difference.", Fn2: expr.Of2(subInt2)},
	{Name: "int24mi", Operator: "-", Args: pg.Sig{pg.Int2, pg.Int4}, Result: pg.Int4, Doc: "Difference.", Fn2: expr.Of2(subInt4)},
	{Name: "int28mi", Operator: "-", Args: pg.Sig{pg.Int2, pg.Int8}, Result: pg.Int8, Doc: "Difference.", Fn2: expr.Of2(subInt8)},
	{Name: "int42mi", Operator: "-", Args: pg.Sig{pg.Int4, pg.Int2}, Result: pg.Int4, Doc: "Difference.", Fn2: expr.Of2(subInt4)},
	{Name: "int4mi", Operator: "-", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Difference.", Fn2: expr.Of2(subInt4)},
	{Name: "int48mi", Operator: "-", Args: pg.Sig{pg.Int4, pg.Int8}, Result: pg.Int8, Doc: "Difference.", Fn2: expr.Of2(subInt8)},
	{Name: "int82mi", Operator: "-", Args: pg.Sig{pg.Int8, pg.Int2}, Result: pg.Int8, Doc: "Difference.", Fn2: expr.Of2(subInt8)},
	{Name: "int84mi", Operator: "-", Args: pg.Sig{pg.Int8, pg.Int4}, Result: pg.Int8, Doc: "Difference.", Fn2: expr.Of2(subInt8)},
	{Name: "int8mi", Operator: "-", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Difference.", Fn2: expr.Of2(subInt8)},
	{Name: "int2mul", Operator: "*", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Product.", Fn2: expr.Of2(mulInt2)},
	{Name: "int24mul", Operator: "*", Args: pg.Sig{pg.Int2, pg.Int4}, Result: pg.Int4, Doc: "Product.", Fn2: expr.Of2(MulInt4)},
	{Name: "int28mul", Operator: "*", Args: pg.Sig{pg.Int2, pg.Int8}, Result: pg.Int8, Doc: "Product.", Fn2: expr.Of2(MulInt8)},
	{Name: "int42mul", Operator: "*", Args: pg.Sig{pg.Int4, pg.Int2}, Result: pg.Int4, Doc: "Product.", Fn2: expr.Of2(MulInt4)},
	{Name: "int4mul", Operator: "*", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Product.", Fn2: expr.Of2(MulInt4)},
	{Name: "int48mul", Operator: "*", Args: pg.Sig{pg.Int4, pg.Int8}, Result: pg.Int8, Doc: "Product.", Fn2: expr.Of2(MulInt8)},
	{Name: "int82mul", Operator: "*", Args: pg.Sig{pg.Int8, pg.Int2}, Result: pg.Int8, Doc: "Product.", Fn2: expr.Of2(MulInt8)},
	{Name: "int84mul", Operator: "*", Args: pg.Sig{pg.Int8, pg.Int4}, Result: pg.Int8, Doc: "Product.", Fn2: expr.Of2(MulInt8)},
	{Name: "int8mul", Operator: "*", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Product.", Fn2: expr.Of2(MulInt8)},
	{Name: "int2div", Operator: "/", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt2)},
	{Name: "int24div", Operator: "/", Args: pg.Sig{pg.Int2, pg.Int4}, Result: pg.Int4, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt4)},
	{Name: "int28div", Operator: "/", Args: pg.Sig{pg.Int2, pg.Int8}, Result: pg.Int8, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt8)},
	{Name: "int42div", Operator: "/", Args: pg.Sig{pg.Int4, pg.Int2}, Result: pg.Int4, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt4)},
	{Name: "int4div", Operator: "/", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt4)},
	{Name: "int48div", Operator: "/", Args: pg.Sig{pg.Int4, pg.Int8}, Result: pg.Int8, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt8)},
	{Name: "int82div", Operator: "/", Args: pg.Sig{pg.Int8, pg.Int2}, Result: pg.Int8, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt8)},
	{Name: "int84div", Operator: "/", Args: pg.Sig{pg.Int8, pg.Int4}, Result: pg.Int8, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt8)},
	{Name: "int8div", Operator: "/", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Quotient, cut towards zero.", Fn2: expr.Of2(divInt8)},
	{Name: "int2mod", Operator: "%", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Remainder, with the dividend's sign.", Fn2: expr.Of2(modInt)},
	{Name: "int4mod", Operator: "%", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Remainder, with the dividend's sign.", Fn2: expr.Of2(modInt)},
	{Name: "int8mod", Operator: "%", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Remainder, with the dividend's sign.", Fn2: expr.Of2(modInt)},
	{Name: "mod", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Remainder, with the dividend's sign.", Fn2: expr.Of2(modInt)},
	{Name: "mod", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Remainder, with the dividend's sign.", Fn2: expr.Of2(modInt)},
	{Name: "mod", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Remainder, with the dividend's sign.", Fn2: expr.Of2(modInt)},
	{Name: "int2up", Operator: "+", Args: pg.Sig{pg.Int2}, Result: pg.Int2, Doc: "The number itself.", Fn1: same},
	{Name: "int4up", Operator: "+", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "The number itself.", Fn1: same},
	{Name: "int8up", Operator: "+", Args: pg.Sig{pg.Int8}, Result: pg.Int8, Doc: "The number itself.", Fn1: same},
	{Name: "int2um", Operator: "-", Args: pg.Sig{pg.Int2}, Result: pg.Int2, Doc: "Number with its sign changed.", Fn1: expr.Of1(negInt2)},
	{Name: "int4um", Operator: "-", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Number with its sign changed.", Fn1: expr.Of1(negInt4)},
	{Name: "int8um", Operator: "-", Args: pg.Sig{pg.Int8}, Result: pg.Int8, Doc: "Number with its sign changed.", Fn1: expr.Of1(negInt8)},
	{Name: "int2abs", Operator: "@", Args: pg.Sig{pg.Int2}, Result: pg.Int2, Doc: "Absolute value.", Fn1: expr.Of1(absInt2)},
	{Name: "int4abs", Operator: "@", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Absolute value.", Fn1: expr.Of1(absInt4)},
	{Name: "int8abs", Operator: "@", Args: pg.Sig{pg.Int8}, Result: pg.Int8, Doc: "Absolute value.", Fn1: expr.Of1(absInt8)},
	{Name: "abs", Args: pg.Sig{pg.Int2}, Result: pg.Int2, Doc: "Absolute value.", Fn1: expr.Of1(absInt2)},
	{Name: "abs", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Absolute value.", Fn1: expr.Of1(absInt4)},
	{Name: "abs", Args: pg.Sig{pg.Int8}, Result: pg.Int8, Doc: "Absolute value.", Fn1: expr.Of1(absInt8)},
	{Name: "int2and", Operator: "&", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Bitwise and.", Fn2: andInts},
	{Name: "int4and", Operator: "&", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Bitwise and.", Fn2: andInts},
	{Name: "int8and", Operator: "&", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Bitwise and.", Fn2: andInts},
	{Name: "int2or", Operator: "|", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Bitwise or.", Fn2: orInts},
	{Name: "int4or", Operator: "|", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Bitwise or.", Fn2: orInts},
	{Name: "int8or", Operator: "|", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Bitwise or.", Fn2: orInts},
	{Name: "int2xor", Operator: "#", Args: pg.Sig{pg.Int2, pg.Int2}, Result: pg.Int2, Doc: "Bitwise exclusive or.", Fn2: xorInts},
	{Name: "int4xor", Operator: "#", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Bitwise exclusive or.", Fn2: xorInts},
	{Name: "int8xor", Operator: "#", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Bitwise exclusive or.", Fn2: xorInts},
	{Name: "int2not", Operator: "~", Args: pg.Sig{pg.Int2}, Result: pg.Int2, Doc: "Bitwise not.", Fn1: notInt},
	{Name: "int4not", Operator: "~", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Bitwise not.", Fn1: notInt},
	{Name: "int8not", Operator: "~", Args: pg.Sig{pg.Int8}, Result: pg.Int8, Doc: "Bitwise not.", Fn1: notInt},
	{Name: "int2shl", Operator: "<<", Args: pg.Sig{pg.Int2, pg.Int4}, Result: pg.Int2, Doc: "Bitwise shift to the left.", Fn2: shiftLeft16},
	{Name: "int4shl", Operator: "<<", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Bitwise shift to the left.", Fn2: shiftLeft32},
	{Name: "int8shl", Operator: "<<", Args: pg.Sig{pg.Int8, pg.Int4}, Result: pg.Int8, Doc: "Bitwise shift to the left.", Fn2: shiftLeft64},
	{Name: "int2shr", Operator: ">>", Args: pg.Sig{pg.Int2, pg.Int4}, Result: pg.Int2, Doc: "Bitwise shift to the right, keeping the sign.", Fn2: shiftRight32},
	{Name: "int4shr", Operator: ">>", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Bitwise shift to the right, keeping the sign.", Fn2: shiftRight32},
	{Name: "int8shr", Operator: ">>", Args: pg.Sig{pg.Int8, pg.Int4}, Result: pg.Int8, Doc: "Bitwise shift to the right, keeping the sign.", Fn2: shiftRight64},
	{Name: "gcd", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Greatest common divisor.", Fn2: gcd(absInt4)},
	{Name: "gcd", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Greatest common divisor.", Fn2: gcd(absInt8)},
	{Name: "lcm", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Least common multiple.", Fn2: lcm(absInt4, MulInt4)},
	{Name: "lcm", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Least common multiple.", Fn2: lcm(absInt8, MulInt8)},
}

func same(_ *expr.Context, a types.Value) (types.Value, error) { return a, nil }

func andInts(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() & b.Int()), nil
}

func orInts(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() | b.Int()), nil
}

func xorInts(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() ^ b.Int()), nil
}

func notInt(_ *expr.Context, a types.Value) (types.Value, error) { return types.NewInt(^a.Int()), nil }

// Shifts take the count as x86 does, modulo the width; smallint is shifted in 32 bits.

func shiftLeft16(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(int64(int16(a.Int() << (b.Int() & 31)))), nil
}

func shiftLeft32(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(int64(int32(a.Int() << (b.Int() & 31)))), nil
}

func shiftLeft64(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() << (b.Int() & 63)), nil
}

func shiftRight32(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() >> (b.Int() & 31)), nil
}

func shiftRight64(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() >> (b.Int() & 63)), nil
}

// gcd makes Euclid's algorithm; abs knows the least integer, which has no positive.
func gcd(abs func(types.Value) (types.Value, error)) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return abs(types.NewInt(divisor(a.Int(), b.Int())))
	}
}

// divisor is the greatest common divisor but for its sign.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(
	abs func(types.Value) (types.Value, error), multiply func(a, b types.Value) (types.Value, error),
) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		if a.Int() == 0 || b.Int() == 0 {
			return types.NewInt(0), nil
		}
		multiple, err := multiply(types.NewInt(a.Int()/divisor(a.Int(), b.Int())), b)
		if err != nil {
			return types.Null, err
		}
		return abs(multiple)
	}
}

// ToHex32 is the hexadecimal digits of an integer.
func ToHex32(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewText(strconv.FormatUint(uint64(uint32(a.Int())), 16)), nil
}

// ToHex64 is the hexadecimal digits of a bigint.
func ToHex64(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewText(strconv.FormatUint(uint64(a.Int()), 16)), nil
}
