package types

import "zproxy/types/numeric"

// Vector is a column of a batch, or what an expression is for its rows. One that holds Ints or Floats has them as plain
// numbers, over which loops need no calls.
type Vector struct {
	// Kind is that of the values that are not NULL: KindBool, KindInt, KindDate, KindTimestamp or KindTime, whose
	// numbers are in Ints; KindFloat; or KindNumeric, of which Ints has the coefficients for the Scale of all.
	// KindNull: the values are of any kind, and in Values.
	Kind   Kind
	Scale  int32
	Ints   []int64
	Floats []float64
	Values []Value
	Nulls  []bool // which are NULL; only with HasNulls
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
	default:
		v.Ints = sized(v.Ints, n)
	}
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
	}
	return Value{kind: v.Kind, a: uint64(v.Ints[i])}
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

// Fill makes the vector n times the same value.
func (v *Vector) Fill(x Value, n int) {
	kind := x.kind
	if !kind.Plain() || kind == KindNumeric && x.ref != nil {
		kind = KindNull
	}
	v.Shape(kind, n)
	for i := range n {
		switch kind {
		case KindNull:
			v.Values[i] = x
		case KindFloat:
			v.Floats[i] = bitsFloat(x.a)
		default:
			v.Ints[i] = int64(x.a)
		}
	}
	if kind == KindNumeric {
		v.Scale = int32(x.b)
	}
}
