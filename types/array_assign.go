package types

import (
	"slices"

	"zproxy/sqlerr"
)

// ArrayBound is what a subscript of an assignment says of a dimension. Only those of a slice have a Low, and may leave
// out either one: nil.
type ArrayBound struct{ Low, High *int }

// With is the array with another element at a place. Places before and behind an array of one dimension are added to
// it, with NULLs between.
func (a *ArrayValue) With(at []int, v Value, env *Env) (Value, error) {
	bounds := make([]ArrayBound, len(at))
	for i := range at {
		bounds[i] = ArrayBound{&at[i], &at[i]}
	}
	if len(a.Dims) > 0 && len(at) != len(a.Dims) {
		return Null, wrongSubscripts()
	}
	one := &ArrayValue{Element: a.Element, Items: []Value{v}}
	return a.WithSlice(bounds, one, env)
}

// WithSlice is the array with the items of another one between bounds. Dimensions without bounds are whole.
func (a *ArrayValue) WithSlice(bounds []ArrayBound, items *ArrayValue, env *Env) (Value, error) {
	switch {
	case len(bounds) > MaxDims:
		return Null, wrongSubscripts()
	case len(a.Dims) == 0:
		return newSlice(a.Element, bounds, items)
	case len(bounds) > len(a.Dims):
		return Null, wrongSubscripts()
	}
	part := slices.Clone(a.Dims)
	for i, b := range bounds {
		low, high := a.Dims[i].Lower, a.Dims[i].Upper()
		if b.Low != nil {
			low = *b.Low
		}
		if b.High != nil {
			high = *b.High
		}
		if low > high {
			return Null, sqlerr.New(sqlerr.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		part[i] = Dim{Length: high - low + 1, Lower: low}
	}
	out, err := a.reaching(part, env)
	if err != nil {
		return Null, err
	}
	if size(part) > len(items.Items) {
		return Null, sourceTooSmall()
	}
	for i := range part {
		part[i].Lower -= out.Dims[i].Lower
	}
	setItems(out.Items, items.Items, out.Dims, part)
	return NewArray(out), nil
}

// reaching is a copy that has room for a part of it.
func (a *ArrayValue) reaching(part []Dim, env *Env) (*ArrayValue, error) {
	out := &ArrayValue{Element: a.Element, Dims: slices.Clone(a.Dims)}
	before := 0
	if len(part) == 1 {
		low, high := min(a.Dims[0].Lower, part[0].Lower), max(a.Dims[0].Upper(), part[0].Upper())
		before = a.Dims[0].Lower - low
		out.Dims[0] = Dim{Length: high - low + 1, Lower: low}
	} else {
		for i, d := range a.Dims {
			if part[i].Lower < d.Lower || part[i].Upper() > d.Upper() {
				return nil, sqlerr.New(sqlerr.ArraySubscriptError, "array subscript out of range")
			}
		}
	}
	if err := out.Check(); err != nil {
		return nil, err
	}
	var err error
	if out.Items, err = makeItems(size(out.Dims), env); err != nil {
		return nil, err
	}
	out.Items = append(out.Items, make([]Value, before)...)
	out.Items = append(out.Items, a.Items...)
	out.Items = append(out.Items, make([]Value, cap(out.Items)-len(out.Items))...)
	return out, env.Tick(len(out.Items) * itemUnits)
}

// newSlice is an array of nothing but a slice.
func newSlice(element OID, bounds []ArrayBound, items *ArrayValue) (Value, error) {
	out := &ArrayValue{Element: element}
	for _, b := range bounds {
		if b.Low == nil || b.High == nil {
			return Null, sqlerr.New(sqlerr.ArraySubscriptError, "array slice subscript must provide both boundaries").
				WithDetail("When assigning to a slice of an empty array value, slice boundaries must be fully specified.")
		}
		out.Dims = append(out.Dims, Dim{Length: *b.High - *b.Low + 1, Lower: *b.Low})
	}
	if err := out.Check(); err != nil {
		return Null, err
	}
	n := size(out.Dims)
	switch {
	case n > len(items.Items):
		return Null, sourceTooSmall()
	case n == 0:
		out.Dims = nil
	}
	out.Items = items.Items[:n]
	return NewArray(out), nil
}

// size is how many items dimensions have.
func size(dims []Dim) int {
	n := 1
	for _, d := range dims {
		n *= d.Length
	}
	return n
}

// setItems copies items to a part of others, whose lower bounds count from 0, and returns those that are left.
func setItems(dst, items []Value, whole, part []Dim) []Value {
	if len(whole) == 1 {
		return items[copy(dst[part[0].Lower:][:part[0].Length], items):]
	}
	n := len(dst) / whole[0].Length
	for i := part[0].Lower; i < part[0].Lower+part[0].Length; i++ {
		items = setItems(dst[i*n:(i+1)*n], items, whole[1:], part[1:])
	}
	return items
}

func wrongSubscripts() error {
	return sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
}

func sourceTooSmall() error { return sqlerr.New(sqlerr.ArraySubscriptError, "source array too small") }
