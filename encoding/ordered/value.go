// Package ordered turns values into bytes that are ordered as the values are, and back: what the
// keys of tables and indexes are made of, and what a store reads whose own keys are values.
//
// What must stay true: encodings compare as unsigned bytes as the values do (NULL last, or first when
// descending, unless it is NullBelow), and no encoding of a value is a prefix of another.
//
// How values are joined to keys is not here. Read Append and Decode first; testdata/values shows the bytes of each
// type.
package ordered

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
	"zproxy/types/numeric"
)

// The first byte of an encoded value. Within a column only values of one kind and NULL
// meet, so the order between kinds is of no matter, but NULL is above all of them, as
// in PostgreSQL's ascending order. No tag is 0x00 or 0xff: a prefix always has a
// successor, also after inversion for a descending part.
const (
	tagFalse    = 0x02
	tagTrue     = 0x03
	tagIntZero  = 0x10 // 0x10+n: positive in n bytes, 0x10-n: negative in n bytes
	tagFloat    = 0x20
	tagNegInf   = 0x22
	tagNegative = 0x23
	tagZero     = 0x24
	tagPositive = 0x25
	tagPosInf   = 0x26
	tagNaN      = 0x27
	tagPair     = 0x2c // two integers
	tagBytes    = 0x30
	tagCollated = 0x34 // a sort key and a text, each as bytes
	tagUUID     = 0x38
	tagArray    = 0x48
	tagRecord   = 0x4c
	tagJSON     = 0x50
	tagRange    = 0x54
	tagRanges   = 0x55 // a multirange
	// Null is the encoding of NULL, which is above all values.
	Null = 0xfe
	// NullBelow is the one where NULL is to be below all values: first, or last when descending.
	NullBelow = 0x01
)

// errCorrupt says that bytes are no encoding of a value.
var errCorrupt = errors.New("corrupt key")

// Append appends the encoding of a value: encodings compare as unsigned bytes as
// the values do, and none is a prefix of another. A descending one has all bits
// inverted.
func Append(dst []byte, v types.Value, desc bool) []byte {
	start := len(dst)
	dst = appendAscending(dst, v)
	if desc {
		invert(dst[start:])
	}
	return dst
}

// AppendNullBelow appends NULL so that it is below all values.
func AppendNullBelow(dst []byte, desc bool) []byte {
	if desc {
		return append(dst, ^byte(NullBelow))
	}
	return append(dst, NullBelow)
}

func appendAscending(dst []byte, v types.Value) []byte {
	switch v.Kind() {
	case types.KindNull:
		return append(dst, Null)
	case types.KindBool:
		if v.Bool() {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case types.KindInt:
		return appendInt(dst, v.Int())
	case types.KindDate:
		return appendInt(dst, int64(v.Days()))
	case types.KindTimestamp, types.KindTime:
		return appendInt(dst, v.Micros())
	case types.KindTimetz: // by the moment, then by the zone
		return appendInt(appendInt(append(dst, tagPair), types.UTCOfTimetz(v)), int64(v.West()))
	case types.KindInterval:
		days, micros := v.Interval().Ordered()
		return appendInt(appendInt(append(dst, tagPair), days), micros)
	case types.KindFloat:
		return binary.BigEndian.AppendUint64(append(dst, tagFloat), orderedFloat(v.Float()))
	case types.KindNumeric:
		if s, is := v.Small(); is {
			return appendSmall(dst, s)
		}
		return appendNumeric(dst, v.Numeric())
	case types.KindUUID:
		u := v.UUID()
		return append(append(dst, tagUUID), u[:]...)
	case types.KindBpchar, types.KindCitext:
		return appendBytes(dst, []byte(v.Compared()))
	case types.KindCollated:
		return appendCollated(dst, v)
	case types.KindArray:
		return appendArray(dst, v.Array())
	case types.KindRecord:
		return appendRecord(dst, v.Record())
	case types.KindRange:
		return appendRange(dst, v.Range())
	case types.KindJSONB:
		return appendDocument(dst, v.JSONB())
	default:
		return appendBytes(dst, v.Bytes())
	}
}

// flipped is what the bytes of a key are to be combined with to be ascending.
func flipped(desc bool) byte {
	if desc {
		return 0xff
	}
	return 0
}

func invert(p []byte) {
	for i := range p {
		p[i] = ^p[i]
	}
}

// appendInt writes as many bytes as the magnitude needs; the tag counts them, so more
// bytes sort further from zero.
func appendInt(dst []byte, v int64) []byte {
	magnitude := uint64(v)
	if v < 0 {
		magnitude = ^uint64(v)
		n := (bits.Len64(magnitude) + 7) / 8
		n = max(n, 1)
		dst = append(dst, byte(tagIntZero-n))
		return appendLow(dst, uint64(v), n)
	}
	n := (bits.Len64(magnitude) + 7) / 8
	return appendLow(append(dst, byte(tagIntZero+n)), magnitude, n)
}

func appendLow(dst []byte, v uint64, n int) []byte {
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}

// orderedFloat maps IEEE 754 to unsigned order; -0 is 0 and every NaN is one,
// above infinity.
func orderedFloat(f float64) uint64 {
	if f == 0 {
		f = 0
	}
	if math.IsNaN(f) {
		return math.MaxUint64
	}
	b := math.Float64bits(f)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// appendBytes escapes 0x00 as 0x00 0xff and ends with 0x00 0x01, so that a text is
// below every longer text that begins with it.
func appendBytes(dst, p []byte) []byte {
	dst = append(dst, tagBytes)
	for _, c := range p {
		dst = append(dst, c)
		if c == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 1)
}

// appendSmall is appendNumeric for a numeric that takes no memory.
func appendSmall(dst []byte, s numeric.Small) []byte {
	if s.Coefficient == 0 {
		return append(dst, tagZero)
	}
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(max(s.Coefficient, -s.Coefficient)), 10)
	return appendDigits(dst, s.Coefficient < 0, digits, -int64(s.Scale))
}

// appendNumeric writes sign, decimal exponent and digits without trailing zeros, two in
// a byte plus one, ended by 0x00; a negative number has its exponent and digits
// inverted. 1.0 and 1.00 are equal.
func appendNumeric(dst []byte, d *apd.Decimal) []byte {
	switch {
	case d.Form == apd.NaN:
		return append(dst, tagNaN)
	case d.Form == apd.Infinite && d.Negative:
		return append(dst, tagNegInf)
	case d.Form == apd.Infinite:
		return append(dst, tagPosInf)
	case d.IsZero():
		return append(dst, tagZero)
	}
	return appendDigits(dst, d.Negative, d.Coeff.Append(nil, 10), int64(d.Exponent))
}

// appendDigits is appendNumeric for a finite number that is not 0.
func appendDigits(dst []byte, negative bool, digits []byte, exponent int64) []byte {
	exponent += int64(len(digits))
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	tag := byte(tagPositive)
	if negative {
		tag = tagNegative
	}
	dst = append(dst, tag)
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(exponent+1<<31))
	for i := 0; i < len(digits); i += 2 {
		pair := (digits[i] - '0') * 10
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		dst = append(dst, pair+1)
	}
	dst = append(dst, 0)
	if negative {
		invert(dst[start:])
	}
	return dst
}

// Successor is the smallest key above every key that begins with p, nil when there is
// none.
func Successor(p []byte) []byte {
	out := slices.Clone(p)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i]++; out[i] != 0 {
			return out[:i+1]
		}
	}
	return nil
}
