package types

import (
	"bytes"

	"zproxy/sqlerr"
	"zproxy/types/geo"
)

// fixedArray is a type of fixed length that counts as an array of other values, from 0 on.
type fixedArray struct {
	element OID
	length  int
	item    func(v Value, i int) Value
	with    func(v Value, i int, item Value) Value
}

// fixedArrays are those of PostgreSQL's types that raw_array_subscript_handler serves.
var fixedArrays = map[OID]fixedArray{
	OIDName:  {OIDChar, 64, nameByte, withNameByte},
	OIDPoint: {OIDFloat8, 2, coordinate, withCoordinate},
	OIDLine:  {OIDFloat8, 3, number, withNumber},
	OIDLseg:  {OIDPoint, 2, corner, withCorner},
	OIDBox:   {OIDPoint, 2, corner, withCorner},
}

// nameByte is a byte of a name, 0 behind its end.
func nameByte(v Value, i int) Value {
	text := v.Text()
	if i >= len(text) {
		return charOf(0)
	}
	return charOf(text[i])
}

func number(v Value, i int) Value { return NewFloat(geo.Numbers(v.Bytes())[i]) }

func coordinate(v Value, i int) Value {
	x, y := v.Point()
	return NewFloat([]float64{x, y}[i])
}

func corner(v Value, i int) Value {
	n := geo.Numbers(v.Bytes())
	return NewPoint(n[2*i], n[2*i+1])
}

// Subscripted is the type of v[i] where v is of a type, or of v[i:j]; it says false for a type without
// subscripts. Fixed is set for values of fixed length, which have no slices.
func Subscripted(t T, slice bool) (out T, fixed, ok bool) {
	if f, found := fixedArrays[t.OID]; found {
		return Of(f.element), true, true
	}
	switch t.OID {
	case OIDJSONB:
		return t, false, true
	case OIDHstore:
		return Text, false, true
	}
	if out, ok = ElementOf(t); ok && slice {
		out, ok = ArrayOf(out) // of a vector a plain array
	}
	return out, false, ok
}

// FixedItem is an item of a value of fixed length; it says false for an index that it does not have.
func FixedItem(v Value, t T, i int) (Value, bool) {
	f := fixedArrays[t.OID]
	if i < 0 || i >= f.length {
		return Null, false
	}
	return f.item(v, i), true
}

// WithFixedItem is a value of fixed length with another item; where one of them is NULL, the value stays as it is.
func WithFixedItem(v Value, t T, at []int, item Value) (Value, error) {
	f := fixedArrays[t.OID]
	switch {
	case v.IsNull() || item.IsNull():
		return v, nil
	case len(at) != 1:
		return Null, wrongSubscripts()
	case at[0] < 0 || at[0] >= f.length:
		return Null, sqlerr.New(sqlerr.ArraySubscriptError, "array subscript out of range")
	}
	return f.with(v, at[0], item), nil
}

// withNameByte is a name with another byte, which ends where it is 0.
func withNameByte(v Value, i int, item Value) Value {
	b := make([]byte, max(len(v.Text()), i+1))
	copy(b, v.Text())
	b[i] = 0
	copy(b[i:], item.Text())
	text, _, _ := bytes.Cut(b, []byte{0})
	return NewText(string(text))
}

func withCoordinate(v Value, i int, item Value) Value {
	x, y := v.Point()
	at := []float64{x, y}
	at[i] = item.Float()
	return NewPoint(at[0], at[1])
}

// withNumber is a shape with another number.
func withNumber(v Value, i int, item Value) Value {
	n := geo.Numbers(v.Bytes())
	n[i] = item.Float()
	return NewBytes(geo.Encode(n...))
}

// withCorner is a shape with another point.
func withCorner(v Value, i int, item Value) Value {
	n := geo.Numbers(v.Bytes())
	n[2*i], n[2*i+1] = item.Point()
	return NewBytes(geo.Encode(n...))
}
