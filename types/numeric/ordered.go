package numeric

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/apd/v3"
)

// The first byte of an ordered form.
const (
	orderedMinusInfinity = iota + 1
	orderedNegative
	orderedZero
	orderedPositive
	orderedInfinity
	orderedNaN
)

// exponentBytes are the bytes of the exponent in an ordered form, and exponentBias what makes it positive.
const (
	exponentBytes = 4
	exponentBias  = 1 << 31
)

// AppendOrdered appends bytes whose order is that of numbers, and which are the same for equal ones. They end by
// themselves.
func AppendOrdered(dst []byte, d *apd.Decimal) []byte {
	switch {
	case d.Form == apd.NaN || d.Form == apd.NaNSignaling:
		return append(dst, orderedNaN)
	case d.Form == apd.Infinite && d.Negative:
		return append(dst, orderedMinusInfinity)
	case d.Form == apd.Infinite:
		return append(dst, orderedInfinity)
	case d.Coeff.Sign() == 0:
		return append(dst, orderedZero)
	}
	if d.Negative {
		dst = append(dst, orderedNegative)
	} else {
		dst = append(dst, orderedPositive)
	}
	start := len(dst)
	var buf [40]byte
	digits := appendDigits(buf[:0], &d.Coeff)
	dst = binary.BigEndian.AppendUint32(dst, uint32(int64(len(digits))+int64(d.Exponent)+exponentBias))
	for _, digit := range bytes.TrimRight(digits, "0") {
		dst = append(dst, digit-'0'+1)
	}
	dst = append(dst, 0)
	if d.Negative {
		complement(dst[start:])
	}
	return dst
}

func complement(p []byte) {
	for i := range p {
		p[i] = ^p[i]
	}
}

// OrderedEnd is the length of what AppendOrdered appended.
func OrderedEnd(p []byte) int {
	switch p[0] {
	case orderedPositive:
		return 1 + exponentBytes + bytes.IndexByte(p[1+exponentBytes:], 0) + 1
	case orderedNegative:
		return 1 + exponentBytes + bytes.IndexByte(p[1+exponentBytes:], 0xff) + 1
	}
	return 1
}

// FromOrdered is the number with so many digits behind the point that AppendOrdered appended.
func FromOrdered(p []byte, scale int) *apd.Decimal {
	d := &apd.Decimal{Exponent: int32(-scale)}
	switch p[0] {
	case orderedNaN:
		return &apd.Decimal{Form: apd.NaN}
	case orderedInfinity, orderedMinusInfinity:
		return &apd.Decimal{Form: apd.Infinite, Negative: p[0] == orderedMinusInfinity}
	case orderedZero:
		return d
	}
	rest := bytes.Clone(p[1:])
	if d.Negative = p[0] == orderedNegative; d.Negative {
		complement(rest)
	}
	before := int64(binary.BigEndian.Uint32(rest)) - exponentBias // digits before the point
	digits := rest[exponentBytes : len(rest)-1]
	for i := range digits {
		digits[i] += '0' - 1
	}
	for int64(len(digits)) < before+int64(scale) {
		digits = append(digits, '0')
	}
	d.Coeff.SetString(string(digits), 10)
	return d
}
