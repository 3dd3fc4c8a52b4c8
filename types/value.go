package types

import (
	"unsafe"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types/json"
	"zproxy/types/numeric"
)

// Kind says how a value is held. Types that compare with each other share a kind.
type Kind uint8

// The kinds.
const (
	KindNull      Kind = iota
	KindBool           // false, true
	KindInt            // int2, int4, int8
	KindFloat          // float4 (rounded to it) and float8
	KindNumeric        // a numeric.Small, or an apd.Decimal that never changes
	KindText           // text, varchar, unknown: UTF-8
	KindBytes          // bytea
	KindDate           // days since 2000-01-01; MinInt32 and MaxInt32 are -infinity and infinity
	KindTimestamp      // microseconds since 2000-01-01 UTC; MinInt64 and MaxInt64 are -infinity and infinity
	KindUUID           // 16 bytes
	KindPoint          // two float8
	KindBpchar         // char(n) with its blanks, which do not count when it is compared
	KindTime           // microseconds since midnight
	KindTimetz         // the same with the zone in seconds west of UTC
	KindInterval       // months, days, microseconds
	KindJSON           // json: the text as it was written; it has no order
	KindJSONB          // jsonb: a *JSONValue that never changes
	KindArray          // an *ArrayValue that never changes
	KindRecord         // a *RecordValue that never changes
	KindJSONPath       // a *JSONPath that never changes
	KindEnum           // a label of an enum: its key, by which it is compared, and behind that its text
	KindCitext         // a text that is compared without regard to case
	KindRange          // a *RangeValue that never changes
	KindCollated       // a text, or a char(n), whose collation is not by bytes
)

// Ordered says whether SQL compares and sorts values of the kind: others have an order only in keys of hash tables.
func (k Kind) Ordered() bool {
	switch k {
	case KindNull, KindPoint, KindJSON, KindJSONPath:
		return false
	}
	return true
}

// Value is one SQL value without its type. It never changes and may be kept; the zero
// Value is NULL. Fixed-width kinds do not allocate: a and b hold them. Text and bytes
// are a pointer in ref with the length in a. A numeric is a numeric.Small in a and b where it can be one, else its
// *apd.Decimal in ref.
type Value struct {
	ref  unsafe.Pointer
	a, b uint64
	kind Kind
}

// Null is the NULL value.
var Null = Value{}

// NewBool makes a boolean.
func NewBool(v bool) Value {
	if v {
		return Value{kind: KindBool, a: 1}
	}
	return Value{kind: KindBool}
}

// NewInt makes an integer.
func NewInt(v int64) Value { return Value{kind: KindInt, a: uint64(v)} }

// NewFloat makes a float.
func NewFloat(v float64) Value { return Value{kind: KindFloat, a: floatBits(v)} }

// NewNumeric makes a numeric. The caller must not change d afterwards.
func NewNumeric(d *apd.Decimal) Value {
	if s, is := numeric.SmallOf(d); is {
		return NewSmall(s)
	}
	return Value{kind: KindNumeric, ref: unsafe.Pointer(d)}
}

// NewSmall makes a numeric.
func NewSmall(s numeric.Small) Value {
	return Value{kind: KindNumeric, a: uint64(s.Coefficient), b: uint64(s.Scale)}
}

// NewText makes a text.
func NewText(s string) Value {
	return Value{kind: KindText, ref: unsafe.Pointer(unsafe.StringData(s)), a: uint64(len(s))}
}

// NewBytes makes a bytea. The caller must not change p afterwards.
func NewBytes(p []byte) Value {
	return Value{kind: KindBytes, ref: unsafe.Pointer(unsafe.SliceData(p)), a: uint64(len(p))}
}

// NewDate makes a date of days since 2000-01-01.
func NewDate(days int32) Value { return Value{kind: KindDate, a: uint64(int64(days))} }

// NewTimestamp makes a timestamp of microseconds since 2000-01-01 UTC.
func NewTimestamp(micros int64) Value { return Value{kind: KindTimestamp, a: uint64(micros)} }

// NewUUID makes a uuid.
func NewUUID(u [16]byte) Value {
	return Value{kind: KindUUID, a: bigEndian(u[:8]), b: bigEndian(u[8:])}
}

// NewPoint makes a point.
func NewPoint(x, y float64) Value { return Value{kind: KindPoint, a: floatBits(x), b: floatBits(y)} }

// NewBpchar makes a char(n), padded with blanks already.
func NewBpchar(s string) Value {
	v := NewText(s)
	v.kind = KindBpchar
	return v
}

// NewJSON makes a json of valid text.
func NewJSON(s string) Value {
	v := NewText(s)
	v.kind = KindJSON
	return v
}

// NewTime makes a time of microseconds since midnight.
func NewTime(micros int64) Value { return Value{kind: KindTime, a: uint64(micros)} }

// NewTimetz makes a time of microseconds since midnight in a zone of seconds west of UTC.
func NewTimetz(micros int64, west int32) Value {
	return Value{kind: KindTimetz, a: uint64(micros), b: uint64(int64(west))}
}

// NewJSONB makes a jsonb. The caller must not change j afterwards.
func NewJSONB(j *json.Value) Value {
	j.Depth()
	return Value{kind: KindJSONB, ref: unsafe.Pointer(j)}
}

// NewArray makes an array. The caller must not change a afterwards.
func NewArray(a *ArrayValue) Value { return Value{kind: KindArray, ref: unsafe.Pointer(a)} }

// NewRecord makes a record. The caller must not change r afterwards.
func NewRecord(r *RecordValue) Value {
	r.nest()
	return Value{kind: KindRecord, ref: unsafe.Pointer(r)}
}

// Kind says how the value is held.
func (v Value) Kind() Kind { return v.kind }

// IsNull says whether the value is NULL.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Bool is the value of a boolean.
func (v Value) Bool() bool { return v.a != 0 }

// Int is the value of an integer.
func (v Value) Int() int64 { return int64(v.a) }

// Float is the value of a float.
func (v Value) Float() float64 { return bitsFloat(v.a) }

// Numeric is the value of a numeric, not to be changed. It takes memory where the value is Small.
func (v Value) Numeric() *apd.Decimal {
	if s, is := v.Small(); is {
		return s.Decimal()
	}
	return (*apd.Decimal)(v.ref)
}

// Small is the value of a numeric that takes no memory; false: it does.
func (v Value) Small() (s numeric.Small, is bool) {
	return numeric.Small{Coefficient: int64(v.a), Scale: int32(v.b)}, v.ref == nil
}

// Text is the value of a text, a char(n) or a json, or a bytea's bytes as a string.
func (v Value) Text() string { return unsafe.String((*byte)(v.ref), int(v.a)) }

// Bytes is the value of a bytea or a text's bytes, not to be changed.
func (v Value) Bytes() []byte { return unsafe.Slice((*byte)(v.ref), int(v.a)) }

// Days is the value of a date.
func (v Value) Days() int32 { return int32(int64(v.a)) }

// Micros is the value of a timestamp or a time, or the microseconds of an interval.
func (v Value) Micros() int64 { return int64(v.a) }

// West is the zone of a timetz in seconds west of UTC.
func (v Value) West() int32 { return int32(int64(v.b)) }

// JSONB is the value of a jsonb, not to be changed.
func (v Value) JSONB() *json.Value { return (*json.Value)(v.ref) }

// Array is the value of an array, not to be changed.
func (v Value) Array() *ArrayValue { return (*ArrayValue)(v.ref) }

// Record is the value of a record, not to be changed.
func (v Value) Record() *RecordValue { return (*RecordValue)(v.ref) }

// UUID is the value of a uuid.
func (v Value) UUID() (u [16]byte) {
	putBigEndian(u[:8], v.a)
	putBigEndian(u[8:], v.b)
	return u
}

// Point is the value of a point.
func (v Value) Point() (x, y float64) { return bitsFloat(v.a), bitsFloat(v.b) }

// IsTrue says whether the value is a true boolean: neither false nor NULL.
func (v Value) IsTrue() bool { return v.kind == KindBool && v.a != 0 }
