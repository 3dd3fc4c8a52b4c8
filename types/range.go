package types

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"zproxy/sqlerr"
	"zproxy/types/integer"
	"zproxy/types/ranges"
)

// Ranges and multiranges of values.
type (
	Range      = ranges.Range[Value]
	Multirange = ranges.Multirange[Value]
	RangeBound = ranges.Bound[Value]
)

// RangeValue is a range or a multirange.
type RangeValue struct {
	Subtype OID        // the type of the bounds
	Multi   bool       // it is a multirange
	Ranges  Multirange // of a range: itself
}

// RangeType is a type of ranges with its type of multiranges: one of the table of types, or one that a user made.
type RangeType struct {
	OID, Array            OID
	Name                  string
	Multirange, MultiList OID // the multirange type and its array
	MultiName             string
	Subtype               T
	ends                  ranges.Subtype[Value]
}

// rangeTypes are the types of ranges of the table.
var rangeTypes = []RangeType{
	{OID: 3904, Array: 3905, Name: "int4range", Multirange: 4451, MultiList: 6150, MultiName: "int4multirange", Subtype: Int4,
		ends: ranges.Subtype[Value]{Next: nextInt4}},
	{OID: 3906, Array: 3907, Name: "numrange", Multirange: 4532, MultiList: 6151, MultiName: "nummultirange", Subtype: Numeric},
	{OID: 3908, Array: 3909, Name: "tsrange", Multirange: 4533, MultiList: 6152, MultiName: "tsmultirange", Subtype: Timestamp},
	{OID: 3910, Array: 3911, Name: "tstzrange", Multirange: 4534, MultiList: 6153, MultiName: "tstzmultirange", Subtype: Timestamptz},
	{OID: 3912, Array: 3913, Name: "daterange", Multirange: 4535, MultiList: 6155, MultiName: "datemultirange", Subtype: Date,
		ends: ranges.Subtype[Value]{Next: nextDate}},
	{OID: 3926, Array: 3927, Name: "int8range", Multirange: 4536, MultiList: 6157, MultiName: "int8multirange", Subtype: Int8,
		ends: ranges.Subtype[Value]{Next: nextInt8}},
}

// RangeTypes are the types of ranges of the table.
func RangeTypes() []RangeType { return rangeTypes }

// RangeTypeOf is the type of ranges of the table that an OID means, its own or that of its multirange type; nil for
// others.
func RangeTypeOf(oid OID) *RangeType {
	at := slices.IndexFunc(rangeTypes, func(r RangeType) bool { return r.OID == oid || r.Multirange == oid })
	if at < 0 {
		return nil
	}
	return &rangeTypes[at]
}

// Range is the type of ranges that a type is, or is the multirange type of; nil for others.
func (t T) Range() *RangeType {
	if t.Kind() != KindRange {
		return nil
	}
	if t.Def != nil {
		return t.Def.Range
	}
	return RangeTypeOf(t.OID)
}

// NewRange makes a range or a multirange. The caller must not change r afterwards.
func NewRange(r *RangeValue) Value { return Value{kind: KindRange, ref: unsafe.Pointer(r)} }

// Range is the value of a range or a multirange, not to be changed.
func (v Value) Range() *RangeValue { return (*RangeValue)(v.ref) }

// Compare is Compare of the package, for ranges.
func (v Value) Compare(o Value) int { return Compare(v, o) }

// rangeInfos are the entries of ranges and multiranges in the table of types.
func rangeInfos() (all []Info) {
	for i := range rangeTypes {
		r := &rangeTypes[i]
		all = append(all,
			Info{
				OID: r.OID, Name: r.Name, SQL: r.Name, Array: r.Array, Kind: KindRange, Category: CategoryRange, Size: -1,
			},
			Info{
				OID: r.Multirange, Name: r.MultiName, SQL: r.MultiName, Array: r.MultiList, Kind: KindRange,
				Category: CategoryRange, Size: -1,
			})
	}
	return all
}

// rangeCasts make a multirange of a range.
func rangeCasts() (all []castRow) {
	for i := range rangeTypes {
		all = append(all, castRow{rangeTypes[i].OID, rangeTypes[i].Multirange, Cast{Explicit, toMultirange}})
	}
	return all
}

func toMultirange(v Value, _ T, _ *Env) (Value, error) {
	r := v.Range()
	return NewRange(&RangeValue{Subtype: r.Subtype, Multi: true, Ranges: ranges.Join(r.Ranges...)}), nil
}

// Value is a range as a value.
func (r *RangeType) Value(of Range) Value {
	return NewRange(&RangeValue{Subtype: r.Subtype.OID, Ranges: Multirange{of}})
}

// MultiValue is a multirange as a value.
func (r *RangeType) MultiValue(of Multirange) Value {
	return NewRange(&RangeValue{Subtype: r.Subtype.OID, Multi: true, Ranges: of})
}

// Items are the ranges of a multirange, or a range alone.
func (r *RangeValue) Items() []Value {
	out := make([]Value, len(r.Ranges))
	for i := range out {
		out[i] = NewRange(&RangeValue{Subtype: r.Subtype, Ranges: r.Ranges[i : i+1]})
	}
	return out
}

// Bounds are the values that bound the ranges, NULL of what nothing bounds.
func (r *RangeValue) Bounds() []Value {
	out := make([]Value, 0, 2*len(r.Ranges))
	for i := range r.Ranges {
		out = append(out, r.Ranges[i].Lower.Value, r.Ranges[i].Upper.Value)
	}
	return out
}

// Make is the range between two bounds.
func (r *RangeType) Make(lower, upper RangeBound) (Value, error) {
	out, err := r.ends.Make(lower, upper)
	if err != nil {
		return Null, err
	}
	return r.Value(out), nil
}

// Bound is a value as a bound that is not inclusive; NULL bounds nothing.
func (r *RangeType) Bound(v Value) RangeBound { return RangeBound{Infinite: v.IsNull(), Value: v} }

func nextInt4(v Value) (Value, error) {
	if v.Int() == math.MaxInt32 {
		return Null, integer.OutOfRange("integer")
	}
	return NewInt(v.Int() + 1), nil
}

func nextInt8(v Value) (Value, error) {
	if v.Int() == math.MaxInt64 {
		return Null, integer.OutOfRange("bigint")
	}
	return NewInt(v.Int() + 1), nil
}

// nextDate leaves infinities alone, which no day is next to.
func nextDate(v Value) (Value, error) {
	const last = 2145031948 // 5874897-12-31
	switch n := v.Days(); n {
	case math.MinInt32, math.MaxInt32:
		return v, nil
	case last:
		return Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range")
	default:
		return NewDate(n + 1), nil
	}
}

// compareRanges goes by the first ranges that differ, then by their number.
func compareRanges(a, b *RangeValue) int { return ranges.CompareMulti(a.Ranges, b.Ranges) }

// appendRangeKey writes of each range what is said of its bounds, and these.
func appendRangeKey(dst []byte, r *RangeValue) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r.Ranges)))
	for i := range r.Ranges {
		of := &r.Ranges[i]
		dst = append(dst, of.Flags())
		dst = AppendKey(AppendKey(dst, of.Lower.Value), of.Upper.Value)
	}
	return dst
}

func identicalRanges(a, b *RangeValue) bool {
	return a.Subtype == b.Subtype && a.Multi == b.Multi && slices.EqualFunc(a.Ranges, b.Ranges, identicalRange)
}

func identicalRange(a, b Range) bool {
	return a.Flags() == b.Flags() && Identical(a.Lower.Value, b.Lower.Value) && Identical(a.Upper.Value, b.Upper.Value)
}

// Bounds are values of another type, so the formats of ranges go through the table of types again, as those of arrays.

func appendRange(dst []byte, r *RangeValue, env *Env) []byte {
	bound := func(dst []byte, v Value) []byte { return AppendText(dst, v, Of(r.Subtype), env) }
	if r.Multi {
		return ranges.AppendMultiText(dst, r.Ranges, bound)
	}
	return ranges.AppendText(dst, r.Ranges[0], bound)
}

func appendBinaryRange(dst []byte, r *RangeValue) []byte {
	bound := func(dst []byte, v Value) []byte { return AppendBinary(dst, v, Of(r.Subtype)) }
	if r.Multi {
		return ranges.AppendMultiBinary(dst, r.Ranges, bound)
	}
	return ranges.AppendBinary(dst, r.Ranges[0], bound)
}

// parseText reads the text of a range, or of a multirange where the OID is that of this type.
func (r *RangeType) parseText(s string, of OID, env *Env) (Value, error) {
	bound := func(text string) (Value, error) {
		v, err := ParseText(text, r.Subtype, env)
		if err != nil {
			return Null, err
		}
		return ApplyMod(v, r.Subtype, false, env)
	}
	if of == r.Multirange {
		out, err := r.ends.ParseMulti(s, bound)
		return r.MultiValue(out), err
	}
	out, err := r.ends.Parse(s, bound)
	if err != nil {
		return Null, err
	}
	return r.Value(out), nil
}

// parseBinary reads the binary format, as parseText does the text.
func (r *RangeType) parseBinary(p []byte, of OID) (Value, error) {
	bound := func(p []byte) (Value, error) { return ParseBinary(p, r.Subtype) }
	if of == r.Multirange {
		out, err := r.ends.ParseMultiBinary(p, bound)
		return r.MultiValue(out), err
	}
	out, err := r.ends.ParseBinary(p, bound)
	if err != nil {
		return Null, err
	}
	return r.Value(out), nil
}
