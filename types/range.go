package types

import (
	"encoding/binary"
	"math"
	"slices"

	"zproxy/sqlerr"
	"zproxy/types/integer"
	"zproxy/types/numeric"
	"zproxy/types/ranges"
)

// RangeType is a type of ranges with its type of multiranges.
type RangeType struct {
	OID, Array            OID
	Name                  string
	Multirange, MultiList OID // the multirange type and its array
	MultiName             string
	Subtype               OID
	ends                  ranges.Subtype
}

// keySize is the length of the keys of values of a fixed length.
const keySize = 8

// rangeTypes are all types of ranges.
var rangeTypes = []RangeType{
	{OID: 3904, Array: 3905, Name: "int4range", Multirange: 4451, MultiList: 6150, MultiName: "int4multirange", Subtype: OIDInt4,
		ends: ranges.Subtype{KeySize: keySize, Next: nextInt4}},
	{OID: 3906, Array: 3907, Name: "numrange", Multirange: 4532, MultiList: 6151, MultiName: "nummultirange", Subtype: OIDNumeric,
		ends: ranges.Subtype{End: numeric.OrderedEnd, FormSize: scaleSize}},
	{OID: 3908, Array: 3909, Name: "tsrange", Multirange: 4533, MultiList: 6152, MultiName: "tsmultirange", Subtype: OIDTimestamp,
		ends: ranges.Subtype{KeySize: keySize}},
	{OID: 3910, Array: 3911, Name: "tstzrange", Multirange: 4534, MultiList: 6153, MultiName: "tstzmultirange", Subtype: OIDTimestamptz,
		ends: ranges.Subtype{KeySize: keySize}},
	{OID: 3912, Array: 3913, Name: "daterange", Multirange: 4535, MultiList: 6155, MultiName: "datemultirange", Subtype: OIDDate,
		ends: ranges.Subtype{KeySize: keySize, Next: nextDate}},
	{OID: 3926, Array: 3927, Name: "int8range", Multirange: 4536, MultiList: 6157, MultiName: "int8multirange", Subtype: OIDInt8,
		ends: ranges.Subtype{KeySize: keySize, Next: nextInt8}},
}

// RangeTypes are all types of ranges.
func RangeTypes() []RangeType { return rangeTypes }

// RangeTypeOf is the type of ranges of an OID, which is its own or that of its multirange type; nil for others.
func RangeTypeOf(oid OID) *RangeType {
	at := slices.IndexFunc(rangeTypes, func(r RangeType) bool { return r.OID == oid || r.Multirange == oid })
	if at < 0 {
		return nil
	}
	return &rangeTypes[at]
}

// rangeInfos are the entries of ranges and multiranges in the table of types.
func rangeInfos() (all []Info) {
	for i := range rangeTypes {
		r := &rangeTypes[i]
		all = append(all,
			Info{
				OID: r.OID, Name: r.Name, SQL: r.Name, Array: r.Array, Kind: KindBytes, Category: CategoryRange, Size: -1,
			},
			Info{
				OID: r.Multirange, Name: r.MultiName, SQL: r.MultiName, Array: r.MultiList, Kind: KindBytes,
				Category: CategoryRange, Size: -1,
			})
	}
	return all
}

// rangeCasts make a multirange of a range.
func rangeCasts() (all []castRow) {
	for i := range rangeTypes {
		r := &rangeTypes[i]
		all = append(all, castRow{r.OID, r.Multirange, Cast{Explicit, func(v Value, _ T, _ *Env) (Value, error) {
			return r.MultiValue(ranges.Join(r.Range(v))), nil
		}}})
	}
	return all
}

// Range is a value as a range.
func (r *RangeType) Range(v Value) ranges.Range {
	out, _ := r.ends.Decode(v.Bytes())
	return out
}

// Value is a range as a value.
func (r *RangeType) Value(of ranges.Range) Value { return NewBytes(r.ends.Encode(nil, of)) }

// Multi is a value as a multirange.
func (r *RangeType) Multi(v Value) ranges.Multirange { return r.ends.DecodeMulti(v.Bytes()) }

// MultiValue is a multirange as a value.
func (r *RangeType) MultiValue(of ranges.Multirange) Value {
	return NewBytes(r.ends.EncodeMulti(nil, of))
}

// RangesOf are the ranges of a multirange of any type.
func RangesOf(v Value) []Value {
	at := slices.IndexFunc(rangeTypes, func(r RangeType) bool {
		return (r.ends.KeySize == 0) == ranges.SelfDelimited(v.Bytes())
	})
	r := &rangeTypes[at]
	var out []Value
	for _, one := range r.Multi(v) {
		out = append(out, r.Value(one))
	}
	return out
}

// Make is the range between two bounds.
func (r *RangeType) Make(lower, upper ranges.Bound) (Value, error) {
	out, err := r.ends.Make(lower, upper)
	if err != nil {
		return Null, err
	}
	return r.Value(out), nil
}

// scaleSize is the length of the form of a number: how many digits it has behind the point.
const scaleSize = 2

// Bound is a value as a bound that is not inclusive; NULL bounds nothing.
func (r *RangeType) Bound(v Value) ranges.Bound {
	switch v.kind {
	case KindNull:
		return ranges.Bound{Infinite: true}
	case KindNumeric:
		d := v.Numeric()
		return ranges.Bound{
			Key: numeric.AppendOrdered(nil, d), Form: binary.BigEndian.AppendUint16(nil, uint16(max(-d.Exponent, 0))),
		}
	}
	return ranges.Bound{Key: orderedInt(int64(v.a))}
}

// BoundValue is the value of a bound, NULL of one that bounds nothing.
func (r *RangeType) BoundValue(b ranges.Bound) Value {
	if b.Infinite {
		return Null
	}
	if r.Subtype == OIDNumeric {
		return NewNumeric(numeric.FromOrdered(b.Key, int(binary.BigEndian.Uint16(b.Form))))
	}
	n := intOf(b.Key)
	switch r.Subtype {
	case OIDDate:
		return NewDate(int32(n))
	case OIDTimestamp, OIDTimestamptz:
		return NewTimestamp(n)
	}
	return NewInt(n)
}

func orderedInt(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)^1<<63) }

func intOf(key []byte) int64 { return int64(binary.BigEndian.Uint64(key) ^ 1<<63) }

func nextInt4(key []byte) ([]byte, error) {
	n := intOf(key)
	if n == math.MaxInt32 {
		return nil, integer.OutOfRange("integer")
	}
	return orderedInt(n + 1), nil
}

func nextInt8(key []byte) ([]byte, error) {
	n := intOf(key)
	if n == math.MaxInt64 {
		return nil, integer.OutOfRange("bigint")
	}
	return orderedInt(n + 1), nil
}

// nextDate leaves infinities alone, which no day is next to.
func nextDate(key []byte) ([]byte, error) {
	const last = 2145031948 // 5874897-12-31
	switch n := intOf(key); n {
	case math.MinInt32, math.MaxInt32:
		return key, nil
	case last:
		return nil, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range")
	default:
		return orderedInt(n + 1), nil
	}
}

// Bounds are values of another type, so the formats of ranges go through the table of types again, as those of arrays.

func (r *RangeType) boundText(env *Env) func(dst []byte, b ranges.Bound) []byte {
	info := InfoOf(r.Subtype)
	return func(dst []byte, b ranges.Bound) []byte { return info.text(dst, r.BoundValue(b), env) }
}

func (r *RangeType) readBound(env *Env) func(text string) (ranges.Bound, error) {
	info := InfoOf(r.Subtype)
	return func(text string) (ranges.Bound, error) {
		v, err := info.parse(text, env)
		return r.Bound(v), err
	}
}

func (r *RangeType) boundBinary(dst []byte, b ranges.Bound) []byte {
	return InfoOf(r.Subtype).binary(dst, r.BoundValue(b))
}

func (r *RangeType) receiveBound(p []byte) (ranges.Bound, error) {
	v, err := InfoOf(r.Subtype).receive(p)
	return r.Bound(v), err
}

func (r *RangeType) appendText(dst []byte, v Value, of OID, env *Env) []byte {
	if of == r.Multirange {
		return ranges.AppendMultiText(dst, r.Multi(v), r.boundText(env))
	}
	return ranges.AppendText(dst, r.Range(v), r.boundText(env))
}

func (r *RangeType) parseText(s string, of OID, env *Env) (Value, error) {
	if of == r.Multirange {
		out, err := r.ends.ParseMulti(s, r.readBound(env))
		return r.MultiValue(out), err
	}
	out, err := r.ends.Parse(s, r.readBound(env))
	if err != nil {
		return Null, err
	}
	return r.Value(out), nil
}

func (r *RangeType) appendBinary(dst []byte, v Value, of OID) []byte {
	if of == r.Multirange {
		return ranges.AppendMultiBinary(dst, r.Multi(v), r.boundBinary)
	}
	return ranges.AppendBinary(dst, r.Range(v), r.boundBinary)
}

func (r *RangeType) parseBinary(p []byte, of OID) (Value, error) {
	if of == r.Multirange {
		out, err := r.ends.ParseMultiBinary(p, r.receiveBound)
		return r.MultiValue(out), err
	}
	out, err := r.ends.ParseBinary(p, r.receiveBound)
	if err != nil {
		return Null, err
	}
	return r.Value(out), nil
}
