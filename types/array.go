package types

import (
	"math"
	"slices"

	"zproxy/sqlerr"
)

// ArrayValue is an array of any number of dimensions.
type ArrayValue struct {
	Element OID     // the type of the elements
	Dims    []Dim   // empty for the empty array
	Items   []Value // in row-major order
}

// Dim is one dimension of an array.
type Dim struct{ Length, Lower int }

// Upper is the last subscript of the dimension.
func (d Dim) Upper() int { return d.Lower + d.Length - 1 }

// What an array may have, as in PostgreSQL.
const (
	MaxDims  = 6
	MaxItems = 1<<27 - 1
)

// withArrays adds the array type of every type that has one.
func withArrays(families ...[]Info) (all []Info) {
	for _, family := range families {
		all = append(all, family...)
		for _, info := range family {
			category := CategoryArray
			if info.Category == CategoryPseudo {
				category = CategoryPseudo
			}
			if info.Array != OIDInvalid {
				all = append(all, Info{
					OID: info.Array, Name: "_" + info.Name, SQL: info.SQL + "[]",
					Kind: KindArray, Category: category, Size: -1, Element: info.OID, Extension: info.Extension,
				})
			}
		}
	}
	return all
}

// ArrayOf is the array type over a type, with its modifier. It says false when there is
// none.
func ArrayOf(t T) (T, bool) {
	if t.IsDomain() {
		if t.Domain.Array == nil {
			return T{}, false
		}
		return t.Domain.Array.OfDomain(), true
	}
	array := InfoOf(t.OID).Array
	return T{OID: array, Mod: t.Mod, Def: t.Def, Collation: t.Collation}, array != OIDInvalid
}

// ElementOf is the type of an array's elements, with the modifier that the array passes
// to them. It says false for what is no array.
func ElementOf(t T) (T, bool) {
	switch {
	case t.IsDomain():
		return ElementOf(t.Domain.Base)
	case t.Domain != nil:
		return t.Domain.Element.OfDomain(), true
	}
	element := InfoOf(t.OID).Element
	return T{OID: element, Mod: t.Mod, Def: t.Def, Collation: t.Collation}, element != OIDInvalid
}

// Nests says whether arrays of a type's values are arrays of more dimensions: those of arrays are, those of vectors,
// which are types of their own, are not.
func Nests(oid OID) bool {
	info := InfoOf(oid)
	return info.Element != OIDInvalid && info.Array == OIDInvalid
}

// NewItems makes an array of one dimension from items that are no arrays.
func NewItems(element OID, items []Value) Value {
	a := &ArrayValue{Element: element, Items: items}
	if len(items) > 0 {
		a.Dims = []Dim{{Length: len(items), Lower: 1}}
	}
	return NewArray(a)
}

// ArrayOfItems is an array of one dimension. Items that are arrays themselves, all of one
// shape, make one of more dimensions.
func ArrayOfItems(element OID, items []Value, env *Env) (Value, error) {
	if InfoOf(element).Kind != KindArray &&
		slices.ContainsFunc(items, func(v Value) bool { return v.kind == KindArray }) {
		return ArrayOfArrays(element, items, env)
	}
	if len(items) > MaxItems {
		return Null, tooManyItems()
	}
	return NewItems(element, items), nil
}

// ArrayOfArrays is an array of one dimension more than its items, which have one shape.
// Items that are all NULL or empty make the empty array.
func ArrayOfArrays(element OID, items []Value, env *Env) (Value, error) {
	shape, size := []Dim(nil), 0
	for i, v := range items {
		inner := arrayOrEmpty(v)
		if i == 0 {
			shape = inner.Dims
		}
		if !slices.Equal(inner.Dims, shape) {
			return Null, sqlerr.New(sqlerr.ArraySubscriptError,
				"multidimensional arrays must have array expressions with matching dimensions")
		}
		size += len(inner.Items)
	}
	a := &ArrayValue{Element: element}
	if len(shape) == 0 {
		return NewArray(a), nil
	}
	a.Dims = append([]Dim{{Length: len(items), Lower: 1}}, shape...)
	err := a.Check()
	if err == nil {
		a.Items, err = makeItems(size, env)
	}
	for _, v := range items {
		for piece := range slices.Chunk(arrayOrEmpty(v).Items, itemsPiece) {
			if err == nil {
				err = env.Tick(len(piece) * itemUnits)
			}
			if err != nil {
				return Null, err
			}
			a.Items = append(a.Items, piece...)
		}
	}
	return NewArray(a), err
}

// arrayOrEmpty is the array of a value, the empty one of NULL.
func arrayOrEmpty(v Value) *ArrayValue {
	if v.kind != KindArray {
		return &ArrayValue{}
	}
	return v.Array()
}

// makeItems is room for so many items.
func makeItems(n int, env *Env) ([]Value, error) {
	if err := env.Make(int64(n) * valueBytes); err != nil {
		return nil, err
	}
	return make([]Value, 0, n), nil
}

// Check says whether the array is as large as one may be: its dimensions, its items and
// the subscripts of its bounds.
func (a *ArrayValue) Check() error { return checkDims(a.Dims) }

func checkDims(dims []Dim) error {
	if len(dims) > MaxDims {
		return TooManyDims(len(dims))
	}
	items := 1
	for _, d := range dims {
		if items *= d.Length; d.Length < 0 || d.Length > MaxItems || items > MaxItems {
			return tooManyItems()
		}
	}
	for _, d := range dims {
		if d.Lower+d.Length > math.MaxInt32 {
			return sqlerr.New(sqlerr.ProgramLimitExceeded, "array lower bound is too large: %d", d.Lower)
		}
	}
	return nil
}

// TooManyDims is the error of an array of more dimensions than there may be.
func TooManyDims(n int) error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)",
		n, MaxDims)
}

// tooManyItems is the error of an array of more items than there may be.
func tooManyItems() error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", MaxItems)
}

// Offset is the place in Items of the element with these subscripts. It says false when
// there is none.
func (a *ArrayValue) Offset(subscripts []int) (int, bool) {
	if len(subscripts) != len(a.Dims) || len(subscripts) == 0 {
		return 0, false
	}
	at := 0
	for i, d := range a.Dims {
		if subscripts[i] < d.Lower || subscripts[i] > d.Upper() {
			return 0, false
		}
		at = at*d.Length + subscripts[i] - d.Lower
	}
	return at, true
}

// Slice is the part between pairs of bounds, cut to the array's own, with lower bounds of
// 1. Dimensions without a pair are whole. A part with nothing in it is empty.
func (a *ArrayValue) Slice(bounds [][2]int) *ArrayValue {
	out := &ArrayValue{Element: a.Element}
	if len(bounds) > len(a.Dims) || len(a.Dims) == 0 {
		return out
	}
	from := make([]int, len(a.Dims))
	dims := make([]Dim, len(a.Dims))
	for i, d := range a.Dims {
		low, high := d.Lower, d.Upper()
		if i < len(bounds) {
			low, high = max(low, bounds[i][0]), min(high, bounds[i][1])
		}
		if low > high {
			return out
		}
		from[i], dims[i] = low-d.Lower, Dim{Length: high - low + 1, Lower: 1}
	}
	out.Dims = dims
	out.Items = sliceItems(nil, a.Items, a.Dims, from, dims)
	return out
}

// sliceItems appends the items that begin at from in each dimension and go on for the
// lengths of dims.
func sliceItems(dst, items []Value, whole []Dim, from []int, dims []Dim) []Value {
	if len(whole) == 1 {
		return append(dst, items[from[0]:from[0]+dims[0].Length]...)
	}
	size := len(items) / whole[0].Length
	for i := from[0]; i < from[0]+dims[0].Length; i++ {
		dst = sliceItems(dst, items[i*size:(i+1)*size], whole[1:], from[1:], dims[1:])
	}
	return dst
}

// Map is the array of the same shape of what f makes of the items; f does not see NULLs.
func (a *ArrayValue) Map(element OID, env *Env, f func(Value) (Value, error)) (Value, error) {
	out := &ArrayValue{Element: element, Dims: a.Dims}
	var err error
	if out.Items, err = makeItems(len(a.Items), env); err != nil {
		return Null, err
	}
	for _, v := range a.Items {
		if err = env.Tick(itemUnits); err != nil {
			return Null, err
		}
		if !v.IsNull() {
			if v, err = f(v); err != nil {
				return Null, err
			}
		}
		out.Items = append(out.Items, v)
	}
	return NewArray(out), nil
}
