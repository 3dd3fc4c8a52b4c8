package types

import (
	"bytes"
	"encoding/binary"
	"slices"

	"zproxy/types/numeric"
)

// Vector is a column of a batch, or what an expression is for its rows. One that holds Ints or Floats has them as plain
// numbers, over which loops need no calls.
type Vector struct {
	// Kind is that of the values that are not NULL: KindBool, KindInt, KindDate, KindTimestamp or KindTime, whose
	// numbers are in Ints; KindFloat; or KindNumeric, of which Ints has the coefficients for the Scale of all.
	// KindText or KindBpchar, whose bytes are in Bytes, in the order of the values.
	// KindNull: the values are of any kind, and in Values.
	Kind   Kind
	Scale  int32
	Ints   []int64
	Floats []float64
	Values []Value
	Bytes  []byte
	Ends   []int32 // of each text in Bytes
	text   string  // Bytes, once a Value of them was asked for
	Nulls  []bool  // which are NULL; only with HasNulls
	// HasNulls says that some may be NULL. In Values NULLs are as such.
	HasNulls bool
}

// Shape makes the vector one of n values of a kind, none of which is NULL yet. Its memory is used again.
func (v *Vector) Shape(kind Kind, n int) {
	v.Kind, v.HasNulls = kind, false
	switch kind {
	case KindFloat:
		v.Floats = sized(v.Floats, n)
	case KindNull:
		v.Values = sized(v.Values, n)
	case KindText, KindBpchar:
		v.Bytes, v.Ends, v.text = v.Bytes[:0], sized(v.Ends, n), ""
	default:
		v.Ints = sized(v.Ints, n)
	}
}

// Held is the kind of vector that holds values of a kind best.
func (k Kind) Held() Kind {
	if k.Plain() || k == KindText || k == KindBpchar {
		return k
	}
	return KindNull
}

// sized is a slice of n elements, in the memory of another one where that does.
func sized[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

// SetNull makes a value NULL. The vector has n values, and none is in Values.
func (v *Vector) SetNull(i, n int) {
	if !v.HasNulls {
		v.HasNulls, v.Nulls = true, sized(v.Nulls, n)
		clear(v.Nulls)
	}
	v.Nulls[i] = true
}

// IsNull says whether a value is NULL.
func (v *Vector) IsNull(i int) bool {
	if v.Kind == KindNull {
		return v.Values[i].IsNull()
	}
	return v.HasNulls && v.Nulls[i]
}

// Value is a value of the vector.
func (v *Vector) Value(i int) Value {
	switch {
	case v.Kind == KindNull:
		return v.Values[i]
	case v.HasNulls && v.Nulls[i]:
		return Null
	case v.Kind == KindFloat:
		return NewFloat(v.Floats[i])
	case v.Kind == KindNumeric:
		return NewSmall(numeric.Small{Coefficient: v.Ints[i], Scale: v.Scale})
	case !v.Kind.Plain():
		if v.text == "" {
			v.text = string(v.Bytes)
		}
		x := NewText(v.text[v.start(i):v.Ends[i]])
		x.kind = v.Kind
		return x
	}
	return Value{kind: v.Kind, a: uint64(v.Ints[i])}
}

// Lent is a value of the vector that is good as long as that is not changed.
func (v *Vector) Lent(i int) Value {
	if v.Kind != KindText && v.Kind != KindBpchar || v.IsNull(i) {
		return v.Value(i)
	}
	x := NewBytes(v.Text(i))
	x.kind = v.Kind
	return x
}

// Kept is a value of the vector that holds no memory of others.
func (v *Vector) Kept(i int) Value {
	if v.Kind != KindText && v.Kind != KindBpchar || v.IsNull(i) {
		return v.Value(i)
	}
	x := NewText(string(v.Text(i)))
	x.kind = v.Kind
	return x
}

// Int is the whole number of a value that has one: see KindInt, KindDate, KindTimestamp and KindTime.
func (v *Vector) Int(i int) int64 {
	if v.Kind == KindNull {
		return v.Values[i].Int()
	}
	return v.Ints[i]
}

// AppendKey is AppendKey of a value.
func (v *Vector) AppendKey(dst []byte, i int) []byte {
	if v.Kind != KindText && v.Kind != KindBpchar || v.IsNull(i) {
		return AppendKey(dst, v.Value(i))
	}
	text := v.Compared(i)
	dst = binary.AppendUvarint(append(dst, byte(v.Kind)), uint64(len(text)))
	return append(dst, text...)
}

// start is where a text begins.
func (v *Vector) start(i int) int32 {
	if i == 0 {
		return 0
	}
	return v.Ends[i-1]
}

// Text is a text of the vector, as long as that is not changed.
func (v *Vector) Text(i int) []byte { return v.Bytes[v.start(i):v.Ends[i]] }

// Compared is a text of the vector as it is compared: without the blanks at the end of a char(n).
func (v *Vector) Compared(i int) []byte {
	text := v.Text(i)
	if v.Kind == KindBpchar {
		return bytes.TrimRight(text, " ")
	}
	return text
}

// Put sets value i, behind those before it, where there is room for n. The vector comes to hold values of any kind if
// it must.
func (v *Vector) Put(i, n int, x Value) {
	switch {
	case v.Kind == KindNull:
		v.Values[i] = x
	case x.kind == KindNull:
		v.PutNull(i, n)
	case x.kind != v.Kind || x.kind == KindNumeric && (x.ref != nil || !v.Scaled(i, int32(x.b))):
		before := make([]int32, i)
		for k := range before {
			before[k] = int32(k)
		}
		v.Generalize(before, n)
		v.Values[i] = x
	case x.kind == KindFloat:
		v.Floats[i] = bitsFloat(x.a)
	case x.kind.Plain():
		v.Ints[i] = int64(x.a)
	default:
		v.PutText(i, x.Bytes())
	}
}

// PutFrom is Put of a value of another vector.
func (v *Vector) PutFrom(i, n int, o *Vector, at int) {
	switch {
	case v.Kind != o.Kind || v.Kind == KindNull || v.Kind == KindNumeric && v.Scale != o.Scale:
		v.Put(i, n, o.Value(at))
	case o.HasNulls && o.Nulls[at]:
		v.PutNull(i, n)
	case v.Kind == KindFloat:
		v.Floats[i] = o.Floats[at]
	case v.Kind.Plain():
		v.Ints[i] = o.Ints[at]
	default:
		v.PutText(i, o.Text(at))
	}
}

// Extend gives the vector room for n values.
func (v *Vector) Extend(n int) {
	switch {
	case v.Kind == KindFloat:
		v.Floats = extended(v.Floats, n)
	case v.Kind == KindNull:
		v.Values = extended(v.Values, n)
	case v.Kind.Plain():
		v.Ints = extended(v.Ints, n)
	default:
		v.Ends = extended(v.Ends, n)
	}
	if v.HasNulls {
		v.Nulls = extended(v.Nulls, n)
	}
}

func extended[E any](s []E, n int) []E { return slices.Grow(s, max(0, n-len(s)))[:max(n, len(s))] }

// Clear takes back the last Put, which was of value i.
func (v *Vector) Clear(i int) {
	if v.HasNulls {
		v.Nulls[i] = false
	}
	if v.Kind == KindText || v.Kind == KindBpchar {
		v.Bytes, v.text = v.Bytes[:v.start(i)], ""
	}
}

// PutNull is Put of NULL.
func (v *Vector) PutNull(i, n int) {
	switch {
	case v.Kind == KindNull:
		v.Values[i] = Null
		return
	case v.Kind == KindFloat:
		v.Floats[i] = 0
	case v.Kind.Plain():
		v.Ints[i] = 0
	default:
		v.Ends[i] = int32(len(v.Bytes))
	}
	v.SetNull(i, n)
}

// PutText is Put of a text into a vector of texts.
func (v *Vector) PutText(i int, x []byte) {
	v.Bytes, v.text = append(v.Bytes, x...), ""
	v.Ends[i] = int32(len(v.Bytes))
}

// Scaled says whether value i may have a scale in a vector of numerics.
func (v *Vector) Scaled(i int, scale int32) bool {
	if v.Scale == scale {
		return true
	}
	if i > 0 && (!v.HasNulls || slices.Contains(v.Nulls[:i], false)) {
		return false
	}
	v.Scale = scale
	return true
}

// Generalize makes the vector one of values of any kind, of which there are some, with room for n.
func (v *Vector) Generalize(values []int32, n int) {
	out := sized(v.Values, n)
	for _, i := range values {
		out[i] = v.Value(int(i))
	}
	v.Kind, v.Values, v.HasNulls = KindNull, out, false
}

// Plain says whether values of the kind are plain numbers in a vector.
func (k Kind) Plain() bool {
	switch k {
	case KindBool, KindInt, KindFloat, KindNumeric, KindDate, KindTimestamp, KindTime:
		return true
	}
	return false
}

// Load makes the vector a column of the rows of a batch that are selected. Those of the others may be anything.
func (v *Vector) Load(b *Batch, column int, sel []int32) {
	kind := KindNull
	for _, i := range sel { // of the first that is not NULL
		if kind = b.values[int(i)*b.width+column].kind; kind != KindNull {
			break
		}
	}
	if !kind.Plain() || !v.loadPlain(b, column, sel, kind) {
		v.Shape(KindNull, b.rows)
		for _, i := range sel {
			v.Values[i] = b.values[int(i)*b.width+column]
		}
	}
}

// loadPlain is Load for values that are plain numbers of a kind, and says whether all are.
func (v *Vector) loadPlain(b *Batch, column int, sel []int32, kind Kind) bool {
	v.Shape(kind, b.rows)
	scaled := false
	for _, i := range sel {
		x := &b.values[int(i)*b.width+column]
		switch {
		case x.kind == KindNull:
			v.SetNull(int(i), b.rows)
			if kind != KindFloat {
				v.Ints[i] = 0
			}
			continue
		case x.kind != kind:
			return false
		case kind == KindFloat:
			v.Floats[i] = bitsFloat(x.a)
			continue
		case kind == KindNumeric:
			if !scaled {
				scaled, v.Scale = true, int32(x.b)
			}
			if x.ref != nil || int32(x.b) != v.Scale {
				return false
			}
		}
		v.Ints[i] = int64(x.a)
	}
	return true
}

// sharedText is from how many bytes on many equal texts share their bytes.
const sharedText = 256

// Fill makes the vector n times the same value.
func (v *Vector) Fill(x Value, n int) {
	kind := x.kind.Held()
	if kind == KindNumeric && x.ref != nil || (kind == KindText || kind == KindBpchar) && len(x.Text()) >= sharedText {
		kind = KindNull
	}
	v.Shape(kind, n)
	for i := range n {
		v.Put(i, n, x)
	}
}
