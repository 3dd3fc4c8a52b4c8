package zorder

import "math"

// Align appends a code of 1 to 64 bits, moved to the left end of as many bytes
// as it needs: what Interleave takes for a dimension of so many bits.
func Align(dst []byte, code uint64, bits int) []byte {
	return appendTop(dst, code<<(64-bits), (bits+7)/8)
}

// Uint appends v in the given number of bytes, 1 to 8; a number too great for
// them becomes the greatest that fits.
func Uint(dst []byte, v uint64, bytes int) []byte {
	unused := 64 - 8*bytes
	return appendTop(dst, min(v, math.MaxUint64>>unused)<<unused, bytes)
}

// Int appends v in the given number of bytes, 1 to 8, with the sign bit flipped,
// because two's complement would put negative numbers last. A number that does
// not fit becomes the nearest that does.
func Int(dst []byte, v int64, bytes int) []byte {
	unused := 64 - 8*bytes
	v = min(max(v, math.MinInt64>>unused), math.MaxInt64>>unused)
	return appendTop(dst, uint64(v)<<unused^1<<63, bytes)
}

// Float64 appends v in eight bytes. IEEE 754 numbers have the order of their
// bits read as sign and magnitude, so the sign bit of a positive and all bits of
// a negative number are flipped. Both zeros are one, and all NaNs are one above
// positive infinity, as PostgreSQL has it.
func Float64(dst []byte, v float64) []byte {
	b := math.Float64bits(v)
	switch {
	case v != v:
		b = 0xfff8 << 48
	case v == 0:
		b = 1 << 63
	case b>>63 != 0:
		b = ^b
	default:
		b |= 1 << 63
	}
	return appendTop(dst, b, 8)
}

// Float32 appends v in four bytes, by the rules of Float64.
func Float32(dst []byte, v float32) []byte {
	b := math.Float32bits(v)
	switch {
	case v != v:
		b = 0xffc0 << 16
	case v == 0:
		b = 1 << 31
	case b>>31 != 0:
		b = ^b
	default:
		b |= 1 << 31
	}
	return appendTop(dst, uint64(b)<<32, 4)
}

// Text appends the first n bytes of s, filled up with zeros. A character may be
// cut in two; only the order of bytes matters.
func Text(dst []byte, s string, n int) []byte {
	dst = append(dst, s[:min(n, len(s))]...)
	for i := len(s); i < n; i++ {
		dst = append(dst, 0)
	}
	return dst
}

// Bool appends a byte of which only the first bit counts, false before true.
func Bool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 0x80)
	}
	return append(dst, 0)
}

// appendTop appends the n highest bytes of v.
func appendTop(dst []byte, v uint64, n int) []byte {
	for range n {
		dst = append(dst, byte(v>>56))
		v <<= 8
	}
	return dst
}
