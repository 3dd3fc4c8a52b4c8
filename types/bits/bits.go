// Package bits holds strings of bits, bit and varbit: one byte of '0' or '1' for each, so that their order is that of
// bytes. It reads and writes their text and binary forms, and makes them of integers and fit their types. Operators on
// strings of bits are in expr/builtin/bits. Read Parse first.
package bits

import (
	"bytes"
	"encoding/binary"
	"math"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/integer"
)

// FromInt is the last bits of an integer of so many bits. A length that is greater repeats the sign before them.
func FromInt(n int64, width, length int, work form.Work) ([]byte, error) {
	if err := form.Make(work, int64(length)); err != nil {
		return nil, err
	}
	out := make([]byte, length)
	for i := range out {
		out[i] = '0' + byte(n>>min(length-1-i, width-1)&1)
	}
	return out, nil
}

// Int is the integer of a type of so many bits that a string of bits is. An error names the type.
func Int(bits []byte, width int, typ string) (int64, error) {
	if len(bits) > width {
		return 0, integer.OutOfRange(typ)
	}
	n := uint64(0)
	for _, b := range bits {
		n = n<<1 | uint64(b-'0')
	}
	if width == 32 {
		return int64(int32(n)), nil
	}
	return int64(n), nil
}

// Parse reads binary digits, or hexadecimal ones behind an x.
func Parse(s string, work form.Work) ([]byte, error) {
	digits, width := s, 1
	if s != "" && (s[0]|0x20 == 'b' || s[0]|0x20 == 'x') {
		digits = s[1:]
		if s[0]|0x20 == 'x' {
			width = 4
		}
	}
	if err := form.Make(work, int64(width*len(digits))); err != nil {
		return nil, err
	}
	out := make([]byte, 0, width*len(digits))
	for i, r := range digits {
		if i%form.PieceBytes == form.PieceBytes-1 {
			if err := form.Tick(work, 8*form.PieceBytes); err != nil {
				return nil, err
			}
		}
		digit, ok := byte(0), false
		if r < 0x80 {
			digit, ok = form.HexDigit(byte(r))
		}
		switch {
		case width == 4 && !ok:
			return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "\"%c\" is not a valid hexadecimal digit", r)
		case width == 1 && (!ok || digit > 1):
			return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "\"%c\" is not a valid binary digit", r)
		}
		for i := width - 1; i >= 0; i-- {
			out = append(out, '0'+digit>>i&1)
		}
	}
	return out, nil
}

// AppendBinary writes the number of bits, then the bits in bytes that zeros fill up.
func AppendBinary(dst, bits []byte) []byte {
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

// ParseBinary reads what AppendBinary writes.
func ParseBinary(p []byte) ([]byte, error) {
	if len(p) < 4 {
		return nil, form.TooShort()
	}
	count := int(int32(binary.BigEndian.Uint32(p)))
	if count < 0 {
		return nil, form.InvalidBinary("invalid length in external bit string")
	}
	if err := form.CheckLength(p, 4+(count+7)/8); err != nil {
		return nil, err
	}
	out := make([]byte, count)
	for i := range out {
		out[i] = '0' + p[4+i/8]>>(7-i%8)&1
	}
	return out, nil
}

// maxBits is the length of the longest string of bits in PostgreSQL, which lets what is to be longer be as it is.
const maxBits = math.MaxInt32 - 7

// Fit makes a string of bits as long as its type says, when a cast is written.
func Fit(bits []byte, n int, explicit bool, work form.Work) ([]byte, error) {
	switch {
	case len(bits) == n || n <= 0 || n > maxBits:
		return bits, nil
	case !explicit:
		return nil, sqlerr.New(sqlerr.StringDataLengthMismatch,
			"bit string length %d does not match type bit(%d)", len(bits), n)
	case len(bits) > n:
		return bits[:n], nil
	}
	if err := form.Make(work, int64(n)); err != nil {
		return nil, err
	}
	return append(append(make([]byte, 0, n), bits...), bytes.Repeat([]byte{'0'}, n-len(bits))...), nil
}

// Limit cuts a string of bits that is longer than its type says, when a cast is written.
func Limit(bits []byte, n int, explicit bool) ([]byte, error) {
	switch {
	case len(bits) <= n || n <= 0:
		return bits, nil
	case !explicit:
		return nil, sqlerr.New(sqlerr.StringDataRightTruncation, "bit string too long for type bit varying(%d)", n)
	}
	return bits[:n], nil
}
