// Package bits is the functions and operators of strings of bits, and those of strings of bytes that read them as bits
// or cut them. Those of texts, and others of bytes, are in text. Begin with Functions.
package bits

import (
	"math"
	"math/bits"
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/text"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Functions are those of strings of bytes and of bits.
var Functions = slices.Concat(byteaFunctions, stringFunctions)

// byteaFunctions cut strings of bytes, and read and set their bytes and bits.
var byteaFunctions = []*expr.Function{
	{Name: "bit_length", Args: pg.Sig{pg.Bytea}, Result: pg.Int4, Doc: "Number of bits.", Fn1: text.BitLength},
	{Name: "bit_count", Args: pg.Sig{pg.Bytea}, Result: pg.Int8, Doc: "Number of bits that are set.", Fn1: bitCount},
	{Name: "get_bit", Args: pg.Sig{pg.Bytea, pg.Int8}, Result: pg.Int4, Doc: "Bit at a position from 0, the lowest of each byte first.", Fn2: getBit},
	{Name: "get_byte", Args: pg.Sig{pg.Bytea, pg.Int4}, Result: pg.Int4, Doc: "Byte at a position from 0.", Fn2: getByte},
	{Name: "set_bit", Args: pg.Sig{pg.Bytea, pg.Int8, pg.Int4}, Result: pg.Bytea, Doc: "Bytes with one bit set or cleared.", FnN: setBit},
	{Name: "set_byte", Args: pg.Sig{pg.Bytea, pg.Int4, pg.Int4}, Result: pg.Bytea, Doc: "Bytes with one byte replaced.", FnN: setByte},
	{Name: "substring", Args: pg.Sig{pg.Bytea, pg.Int4}, Result: pg.Bytea, Doc: "Part of bytes from a position.", Fn2: byteaFrom},
	{Name: "substring", Args: pg.Sig{pg.Bytea, pg.Int4, pg.Int4}, Result: pg.Bytea, Doc: "Part of bytes from a position with a length.", FnN: byteaFor},
	{Name: "substr", Args: pg.Sig{pg.Bytea, pg.Int4}, Result: pg.Bytea, Doc: "Part of bytes from a position.", Fn2: byteaFrom},
	{Name: "substr", Args: pg.Sig{pg.Bytea, pg.Int4, pg.Int4}, Result: pg.Bytea, Doc: "Part of bytes from a position with a length.", FnN: byteaFor},
	{Name: "position", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Int4, Doc: "Position of the second bytes in the first, 0 when they are not there.", Fn2: byteaPosition},
	{Name: "overlay", Args: pg.Sig{pg.Bytea, pg.Bytea, pg.Int4}, Result: pg.Bytea, Doc: "Bytes with a part from a position replaced.", FnN: byteaOverlay},
	{Name: "overlay", Args: pg.Sig{pg.Bytea, pg.Bytea, pg.Int4, pg.Int4}, Result: pg.Bytea, Doc: "Bytes with a part from a position and of a length replaced.", FnN: byteaOverlay},
	{Name: "btrim", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Bytea, Doc: "Bytes without any of the second ones at both ends.", Fn2: byteaTrim(true, true)},
	{Name: "ltrim", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Bytea, Doc: "Bytes without any of the second ones at their start.", Fn2: byteaTrim(true, false)},
	{Name: "rtrim", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Bytea, Doc: "Bytes without any of the second ones at their end.", Fn2: byteaTrim(false, true)},
}

func bitCount(c *expr.Context, a types.Value) (types.Value, error) {
	n := 0
	err := c.Pieces(a.Text(), 1, func(piece string) {
		for i := range len(piece) {
			n += bits.OnesCount8(piece[i])
		}
	})
	return types.NewInt(int64(n)), err
}

func checkIndex(at, length int64) error {
	if at < 0 || at >= length {
		return sqlerr.New(sqlerr.ArraySubscriptError, "index %d out of valid range, 0..%d", at, length-1)
	}
	return nil
}

func getBit(_ *expr.Context, a, b types.Value) (types.Value, error) {
	at := b.Int()
	if err := checkIndex(at, 8*int64(len(a.Bytes()))); err != nil {
		return types.Null, err
	}
	return types.NewInt(int64(a.Bytes()[at/8] >> (at % 8) & 1)), nil
}

func getByte(_ *expr.Context, a, b types.Value) (types.Value, error) {
	if err := checkIndex(b.Int(), int64(len(a.Bytes()))); err != nil {
		return types.Null, err
	}
	return types.NewInt(int64(a.Bytes()[b.Int()])), nil
}

func setBit(c *expr.Context, args []types.Value) (types.Value, error) {
	at, bit := args[1].Int(), args[2].Int()
	if err := checkIndex(at, 8*int64(len(args[0].Bytes()))); err != nil {
		return types.Null, err
	}
	if err := checkNewBit(bit); err != nil {
		return types.Null, err
	}
	v, err := c.Concat(args[0].Text()).Bytes()
	if err != nil {
		return types.Null, err
	}
	p := v.Bytes() // of this value alone
	p[at/8] = p[at/8]&^(1<<(at%8)) | byte(bit)<<(at%8)
	return v, nil
}

func checkNewBit(bit int64) error {
	if bit != 0 && bit != 1 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "new bit must be 0 or 1")
	}
	return nil
}

func setByte(c *expr.Context, args []types.Value) (types.Value, error) {
	if err := checkIndex(args[1].Int(), int64(len(args[0].Bytes()))); err != nil {
		return types.Null, err
	}
	v, err := c.Concat(args[0].Text()).Bytes()
	if err != nil {
		return types.Null, err
	}
	v.Bytes()[args[1].Int()] = byte(args[2].Int()) // of this value alone
	return v, nil
}

// bytesFrom is the bytes from number from (0 is the first) and before number to.
func bytesFrom(p string, from, to int64) string {
	length := int64(len(p))
	from, to = min(max(from, 0), length), min(to, length)
	return p[from:max(from, to)]
}

func byteaFrom(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return BytesOf(bytesFrom(a.Text(), b.Int()-1, math.MaxInt64)), nil
}

func byteaFor(_ *expr.Context, args []types.Value) (types.Value, error) {
	from, length := args[1].Int()-1, args[2].Int()
	if length < 0 {
		return types.Null, text.NegativeLength()
	}
	return BytesOf(bytesFrom(args[0].Text(), from, from+length)), nil
}

// BytesOf is a part of bytes that were taken as a text.
func BytesOf(s string) types.Value { return types.NewBytes(types.NewText(s).Bytes()) }

func byteaPosition(c *expr.Context, a, b types.Value) (types.Value, error) {
	at, err := c.IndexIn(a.Text(), b.Text())
	return types.NewInt(int64(at + 1)), err
}

func byteaOverlay(c *expr.Context, args []types.Value) (types.Value, error) {
	p, insert, from := args[0].Text(), args[1].Text(), args[2].Int()
	length := int64(len(insert))
	if len(args) == 4 {
		length = args[3].Int()
	}
	if from <= 0 {
		return types.Null, text.NegativeLength()
	}
	if from+length > math.MaxInt32 {
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "integer out of range")
	}
	return c.Concat(bytesFrom(p, 0, from-1), insert, bytesFrom(p, from-1+length, math.MaxInt64)).Bytes()
}

func byteaTrim(start, end bool) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		var set [256]bool
		err := c.Pieces(b.Text(), 1, func(piece string) {
			for i := range len(piece) {
				set[piece[i]] = true
			}
		})
		p := a.Bytes()
		for start && err == nil && len(p) > 0 && set[p[0]] {
			p, err = p[1:], c.Tick(1)
		}
		for end && err == nil && len(p) > 0 && set[p[len(p)-1]] {
			p, err = p[:len(p)-1], c.Tick(1)
		}
		return types.NewBytes(p), err
	}
}
