package types

import (
	"cmp"
	"slices"

	"zproxy/types/form"
)

// Arrays, records and ranges are made of values of other types, so their formats go through the
// table of types again instead of standing in it. These four choose.

func (info *Info) text(dst []byte, v Value, env *Env) []byte {
	switch {
	case info.appendText != nil:
		return info.appendText(dst, v, env)
	case v.kind == KindRange:
		return appendRange(dst, v.Range(), env)
	case v.kind == KindArray:
		return appendArray(dst, v.Array(), info.elements(v.Array()), env)
	}
	return appendRecord(dst, v.Record(), env)
}

func (info *Info) parse(s string, env *Env) (Value, error) {
	switch {
	case info.parseText != nil:
		return info.parseText(s, env)
	case info.Element != OIDInvalid:
		return parseArray(s, InfoOf(info.Element), env)
	case RangeTypeOf(info.OID) != nil:
		return RangeTypeOf(info.OID).parseText(s, info.OID, env)
	}
	return Null, noInput(info)
}

func (info *Info) binary(dst []byte, v Value) []byte {
	switch {
	case info.appendBinary != nil:
		return info.appendBinary(dst, v)
	case v.kind == KindRange:
		return appendBinaryRange(dst, v.Range())
	case v.kind == KindArray:
		return appendBinaryArray(dst, v.Array(), info.elements(v.Array()))
	}
	return appendBinaryRecord(dst, v.Record())
}

func (info *Info) receive(p []byte) (Value, error) {
	switch {
	case info.parseBinary != nil:
		return info.parseBinary(p)
	case RangeTypeOf(info.OID) != nil:
		return RangeTypeOf(info.OID).parseBinary(p, info.OID)
	case info.Element == OIDInvalid:
		return Null, noInput(info)
	}
	v, err := parseBinaryArray(p, InfoOf(info.Element))
	if err == nil && info.parseText != nil && !isVector(v.Array()) {
		return Null, form.InvalidBinary("invalid " + info.Name + " data")
	}
	return v, err
}

// isVector says whether an array is one that an int2vector or an oidvector can be.
func isVector(a *ArrayValue) bool {
	return len(a.Items) == 0 || len(a.Dims) == 1 && a.Dims[0].Lower == 0 && !slices.ContainsFunc(a.Items, Value.IsNull)
}

// separator is the sign between the items of an array's text.
func (info *Info) separator() byte { return cmp.Or(info.Separator, ',') }

// elements is the type of an array's elements: as the array's type says, or where that is
// anyarray, as the array itself does.
func (info *Info) elements(a *ArrayValue) *Info {
	if info.Element != OIDInvalid {
		return InfoOf(info.Element)
	}
	return InfoOf(a.Element)
}
