package types

import "zproxy/types/geo"

// fixedArray is a type of fixed length that counts as an array of other values, from 0 on.
type fixedArray struct {
	element OID
	length  int
	item    func(v Value, i int) Value
}

// fixedArrays are those of PostgreSQL's types that raw_array_subscript_handler serves.
var fixedArrays = map[OID]fixedArray{
	OIDName:  {OIDChar, 64, nameByte},
	OIDPoint: {OIDFloat8, 2, coordinate},
	OIDLine:  {OIDFloat8, 3, func(v Value, i int) Value { return NewFloat(geo.Numbers(v.Bytes())[i]) }},
	OIDLseg:  {OIDPoint, 2, corner},
	OIDBox:   {OIDPoint, 2, corner},
}

// nameByte is a byte of a name, 0 behind its end.
func nameByte(v Value, i int) Value {
	text := v.Text()
	if i >= len(text) {
		return charOf(0)
	}
	return charOf(text[i])
}

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
	if t.OID == OIDJSONB {
		return t, false, true
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
