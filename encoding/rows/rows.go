// Package rows turns the values of an item into bytes and back, for stores that keep
// values in a format of their own, and single values of any kind, for temporary files.
//
//	value  = version field...
//	field  = uvarint(gap<<4 | tag) payload     in ascending order of column ids
//	gap    = column id - id of the field before - 1
//
// The tag says what the payload is, so that a reader passes over columns it does not
// know. A NULL has no field; a column added later therefore reads as NULL. Only in a
// column with a value for rows that lack it a NULL is written.
package rows

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/cockroachdb/apd/v3"

	"zproxy/store"
	"zproxy/types"
	"zproxy/types/numeric"
)

// version is the first byte of every value.
const version = 1

// The tags are part of the stored format: a number is never used for anything else.
const (
	tagFalse     = 0  // nothing
	tagTrue      = 1  // nothing
	tagInt       = 2  // zigzag varint
	tagFloat     = 3  // 8 bytes, big endian
	tagNumeric   = 4  // see appendNumeric
	tagText      = 5  // uvarint length, bytes; the column's type says which kind of text, or that it is a jsonpath's
	tagBytes     = 6  // uvarint length, bytes; of arrays see appendArray, of rows appendRecord, of ranges appendRange
	tagDate      = 7  // zigzag varint
	tagTimestamp = 8  // zigzag varint
	tagUUID      = 9  // 16 bytes
	tagPoint     = 10 // two floats
	tagTime      = 11 // zigzag varint
	tagTimetz    = 12 // two zigzag varints: microseconds, seconds west
	tagInterval  = 13 // three zigzag varints: months, days, microseconds
	tagJSONB     = 14 // uvarint length, see appendJSON
	tagNull      = 15 // nothing
	tagBits      = 4
)

// Append appends the values of columns to dst.
func Append(dst []byte, cols []store.Column, values []types.Value) []byte {
	dst = append(dst, version)
	if slices.IsSortedFunc(cols, byID) {
		next := uint32(0)
		for i, v := range values {
			dst, next = appendField(dst, &cols[i], next, v)
		}
		return dst
	}
	order := make([]int, len(cols))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return byID(cols[a], cols[b]) })
	next := uint32(0)
	for _, i := range order {
		dst, next = appendField(dst, &cols[i], next, values[i])
	}
	return dst
}

func byID(a, b store.Column) int { return cmp.Compare(a.ID, b.ID) }

// appendField appends one field; next is the smallest id that it may have.
func appendField(dst []byte, col *store.Column, next uint32, v types.Value) ([]byte, uint32) {
	id := col.ID
	v = col.Type.Stored(v)
	if v.IsNull() && col.Missing.IsNull() {
		return dst, next
	}
	header := uint64(id-next)<<tagBits | uint64(tagOf(v))
	return appendPayload(binary.AppendUvarint(dst, header), v), id + 1
}

func appendPayload(dst []byte, v types.Value) []byte {
	switch v.Kind() {
	case types.KindInt:
		dst = binary.AppendVarint(dst, v.Int())
	case types.KindFloat:
		dst = appendFloat(dst, v.Float())
	case types.KindNumeric:
		if s, is := v.Small(); is {
			dst = appendSmall(dst, s)
		} else {
			dst = appendNumeric(dst, v.Numeric())
		}
	case types.KindText, types.KindBytes, types.KindBpchar, types.KindCitext, types.KindCollated,
		types.KindJSON, types.KindEnum:
		b := v.Bytes()
		dst = binary.AppendUvarint(dst, uint64(len(b)))
		dst = append(dst, b...)
	case types.KindDate:
		dst = binary.AppendVarint(dst, int64(v.Days()))
	case types.KindTimestamp, types.KindTime:
		dst = binary.AppendVarint(dst, v.Micros())
	case types.KindTimetz:
		dst = binary.AppendVarint(binary.AppendVarint(dst, v.Micros()), int64(v.West()))
	case types.KindInterval:
		months, days, micros := v.Interval().Fields()
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(months)), int64(days))
		dst = binary.AppendVarint(dst, micros)
	case types.KindUUID:
		u := v.UUID()
		dst = append(dst, u[:]...)
	case types.KindJSONB:
		dst = appendCountedJSON(dst, v.JSONB())
	case types.KindPoint:
		x, y := v.Point()
		dst = appendFloat(appendFloat(dst, x), y)
	case types.KindArray:
		dst = appendArray(dst, v.Array())
	case types.KindRecord:
		dst = appendRecord(dst, v.Record())
	case types.KindRange:
		dst = appendRange(dst, v.Range())
	case types.KindJSONPath:
		dst = appendCounted(dst, types.FormatText(v, types.Of(types.OIDJSONPath), nil))
	}
	return dst
}

// tags is what the payload of each kind is, of a boolean that is false.
var tags = [...]byte{
	types.KindNull:      tagNull,
	types.KindBool:      tagFalse,
	types.KindInt:       tagInt,
	types.KindFloat:     tagFloat,
	types.KindNumeric:   tagNumeric,
	types.KindText:      tagText,
	types.KindBytes:     tagBytes,
	types.KindDate:      tagDate,
	types.KindTimestamp: tagTimestamp,
	types.KindUUID:      tagUUID,
	types.KindPoint:     tagPoint,
	types.KindBpchar:    tagText,
	types.KindTime:      tagTime,
	types.KindTimetz:    tagTimetz,
	types.KindInterval:  tagInterval,
	types.KindJSON:      tagText,
	types.KindJSONB:     tagJSONB,
	types.KindArray:     tagBytes,
	types.KindRecord:    tagBytes,
	types.KindJSONPath:  tagText,
	types.KindEnum:      tagText, // its key
	types.KindCitext:    tagText,
	types.KindRange:     tagBytes,
	types.KindCollated:  tagText,
}

func tagOf(v types.Value) byte {
	if v.IsTrue() {
		return tagTrue
	}
	return tags[v.Kind()]
}

func appendFloat(dst []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(f))
}

// The first byte of a numeric holds its form, its sign, and whether the coefficient is
// too long for a uvarint.
const (
	numericForm     = 0b0011 // apd.Form
	numericNegative = 0b0100
	numericLong     = 0b1000
)

// appendSmall is appendNumeric for a numeric that takes no memory.
func appendSmall(dst []byte, s numeric.Small) []byte {
	head, n := byte(apd.Finite), uint64(s.Coefficient)
	if s.Coefficient < 0 {
		head, n = head|numericNegative, -n
	}
	return binary.AppendUvarint(binary.AppendVarint(append(dst, head), -int64(s.Scale)), n)
}

// appendNumeric appends a head byte and, unless it is NaN or infinite, the exponent (so
// that the scale is kept) and the coefficient, as uvarint or as counted bytes.
func appendNumeric(dst []byte, d *apd.Decimal) []byte {
	head := byte(d.Form)
	if d.Negative {
		head |= numericNegative
	}
	if d.Form != apd.Finite {
		return append(dst, head)
	}
	short := d.Coeff.IsUint64()
	if !short {
		head |= numericLong
	}
	dst = append(dst, head)
	dst = binary.AppendVarint(dst, int64(d.Exponent))
	if short {
		return binary.AppendUvarint(dst, d.Coeff.Uint64())
	}
	b := d.Coeff.Bytes()
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}
