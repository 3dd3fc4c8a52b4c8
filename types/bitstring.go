package types

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/integer"
)

// bitTypes are the strings of bits. They are held as one byte of '0' or '1' for each,
// so that their order is that of bytes.
var bitTypes = []Info{
	{
		OID: OIDBit, Name: "bit", SQL: "bit", Array: 1561,
		Kind: KindBytes, Category: CategoryBitString, Size: -1,
		appendText: appendBits, parseText: parseBits,
		appendBinary: appendBinaryBits, parseBinary: parseBinaryBits,
		modText: bitModText, applyMod: fitBits,
	},
	{
		OID: OIDVarbit, Name: "varbit", SQL: "bit varying", Array: 1563,
		Kind: KindBytes, Category: CategoryBitString, Preferred: true, Size: -1,
		appendText: appendBits, parseText: parseBits,
		appendBinary: appendBinaryBits, parseBinary: parseBinaryBits,
		modText: bitModText, applyMod: limitBits,
	},
}

// bitCasts are the casts of strings of bits.
var bitCasts = []castRow{
	{OIDBit, OIDVarbit, Cast{Implicit, keep}},
	{OIDVarbit, OIDBit, Cast{Implicit, keep}},
	{OIDInt4, OIDBit, Cast{Explicit, intToBits(32)}},
	{OIDInt8, OIDBit, Cast{Explicit, intToBits(64)}},
	{OIDBit, OIDInt4, Cast{Explicit, bitsToInt(32)}},
	{OIDBit, OIDInt8, Cast{Explicit, bitsToInt(64)}},
}

// intToBits keeps the last bits of an integer, as many as its type has or the target
// says; a longer target repeats the sign before them.
func intToBits(width int) func(v Value, to T, env *Env) (Value, error) {
	return func(v Value, to T, env *Env) (Value, error) {
		length := max(int(to.Mod), 1)
		if err := env.Make(int64(length)); err != nil {
			return Null, err
		}
		out := make([]byte, length)
		for i := range out {
			out[i] = '0' + byte(v.Int()>>min(length-1-i, width-1)&1)
		}
		return NewBytes(out), nil
	}
}

func bitsToInt(width int) func(v Value, to T, env *Env) (Value, error) {
	return func(v Value, to T, _ *Env) (Value, error) {
		bits := v.Bytes()
		if len(bits) > width {
			return Null, integer.OutOfRange(InfoOf(to.OID).SQL)
		}
		n := uint64(0)
		for _, b := range bits {
			n = n<<1 | uint64(b-'0')
		}
		if width == 32 {
			return NewInt(int64(int32(n))), nil
		}
		return NewInt(int64(n)), nil
	}
}

func bitModText(mod int32) string { return "(" + strconv.Itoa(int(mod)) + ")" }

func appendBits(dst []byte, v Value, _ *Env) []byte { return append(dst, v.Bytes()...) }

// parseBits reads binary digits, or hexadecimal ones behind an x.
func parseBits(s string, env *Env) (Value, error) {
	digits, width := s, 1
	if s != "" && (s[0]|0x20 == 'b' || s[0]|0x20 == 'x') {
		digits = s[1:]
		if s[0]|0x20 == 'x' {
			width = 4
		}
	}
	if err := env.Make(int64(width * len(digits))); err != nil {
		return Null, err
	}
	out := make([]byte, 0, width*len(digits))
	for i, r := range digits {
		if i%form.PieceBytes == form.PieceBytes-1 {
			if err := env.Tick(8 * form.PieceBytes); err != nil {
				return Null, err
			}
		}
		digit, ok := byte(0), false
		if r < 0x80 {
			digit, ok = form.HexDigit(byte(r))
		}
		switch {
		case width == 4 && !ok:
			return Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "\"%c\" is not a valid hexadecimal digit", r)
		case width == 1 && (!ok || digit > 1):
			return Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "\"%c\" is not a valid binary digit", r)
		}
		for i := width - 1; i >= 0; i-- {
			out = append(out, '0'+digit>>i&1)
		}
	}
	return NewBytes(out), nil
}

// appendBinaryBits writes the number of bits, then the bits in bytes that zeros fill up.
func appendBinaryBits(dst []byte, v Value) []byte {
	bits := v.Bytes()
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(bits)))
	for len(bits) > 0 {
		b := byte(0)
		for i := range min(8, len(bits)) {
			b |= (bits[i] - '0') << (7 - i)
		}
		dst, bits = append(dst, b), bits[min(8, len(bits)):]
	}
	return dst
}

func parseBinaryBits(p []byte) (Value, error) {
	if len(p) < 4 {
		return Null, form.TooShort()
	}
	count := int(int32(binary.BigEndian.Uint32(p)))
	if count < 0 || (count+7)/8 != len(p)-4 {
		return Null, form.InvalidBinary("invalid length in external bit string")
	}
	out := make([]byte, count)
	for i := range out {
		out[i] = '0' + p[4+i/8]>>(7-i%8)&1
	}
	return NewBytes(out), nil
}

// maxBits is the length of the longest string of bits in PostgreSQL, which lets what is to be longer be as it is.
const maxBits = math.MaxInt32 - 7

// fitBits makes a bit string as long as its type says, when that is asked for.
func fitBits(v Value, mod int32, explicit bool, env *Env) (Value, error) {
	bits, n := v.Bytes(), int(mod)
	switch {
	case len(bits) == n || n <= 0 || n > maxBits:
		return v, nil
	case !explicit:
		return Null, sqlerr.New(sqlerr.StringDataLengthMismatch,
			"bit string length %d does not match type bit(%d)", len(bits), n)
	case len(bits) > n:
		return NewBytes(bits[:n]), nil
	}
	if err := env.Make(int64(n)); err != nil {
		return Null, err
	}
	return NewBytes(append(append(make([]byte, 0, n), bits...), bytes.Repeat([]byte{'0'}, n-len(bits))...)), nil
}

func limitBits(v Value, mod int32, explicit bool, _ *Env) (Value, error) {
	bits, n := v.Bytes(), int(mod)
	switch {
	case len(bits) <= n || n <= 0:
		return v, nil
	case !explicit:
		return Null, sqlerr.New(sqlerr.StringDataRightTruncation, "bit string too long for type bit varying(%d)", n)
	}
	return NewBytes(bits[:n]), nil
}
