package array

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// arrayFunctions tell of the shape of arrays and change it.
var arrayFunctions = []*expr.Function{
	{Name: "array_ndims", Args: pg.Sig{pg.AnyArray}, Result: pg.Int4, Doc: "Number of dimensions.", Fn1: arrayNDims},
	{Name: "array_dims", Args: pg.Sig{pg.AnyArray}, Result: pg.Text, Doc: "Bounds of the dimensions.", Fn1: arrayDims},
	{Name: "array_length", Args: pg.Sig{pg.AnyArray, pg.Int4}, Result: pg.Int4, Doc: "Length of a dimension.", Fn2: ofDim(func(d types.Dim) int { return d.Length })},
	{Name: "array_lower", Args: pg.Sig{pg.AnyArray, pg.Int4}, Result: pg.Int4, Doc: "Lower bound of a dimension.", Fn2: ofDim(func(d types.Dim) int { return d.Lower })},
	{Name: "array_upper", Args: pg.Sig{pg.AnyArray, pg.Int4}, Result: pg.Int4, Doc: "Upper bound of a dimension.", Fn2: ofDim(types.Dim.Upper)},
	{Name: "cardinality", Args: pg.Sig{pg.AnyArray}, Result: pg.Int4, Doc: "Number of elements in all dimensions.", Fn1: cardinality},
	{Name: "array_append", Operator: "||", Args: pg.Sig{pg.AnyCompatibleArray, pg.AnyCompatible}, Result: pg.AnyCompatibleArray, NotStrict: true, Doc: "Array with an element after it.", Typed: arrayAppend},
	{Name: "array_prepend", Operator: "||", Args: pg.Sig{pg.AnyCompatible, pg.AnyCompatibleArray}, Result: pg.AnyCompatibleArray, NotStrict: true, Doc: "Array with an element before it.", Typed: arrayPrepend},
	{Name: "array_cat", Operator: "||", Args: pg.Sig{pg.AnyCompatibleArray, pg.AnyCompatibleArray}, Result: pg.AnyCompatibleArray, NotStrict: true, Doc: "Both arrays together.", Fn2: arrayCat},
	{Name: "array_fill", Args: pg.Sig{pg.AnyElement, pg.Int4Array}, Result: pg.AnyArray, NotStrict: true, Doc: "Array of given lengths that holds one value everywhere.", Typed: arrayFill},
	{Name: "array_fill", Args: pg.Sig{pg.AnyElement, pg.Int4Array, pg.Int4Array}, Result: pg.AnyArray, NotStrict: true, Doc: "Array of given lengths and lower bounds that holds one value everywhere.", Typed: arrayFill},
	{Name: "trim_array", Args: pg.Sig{pg.AnyArray, pg.Int4}, Result: pg.AnyArray, Doc: "Array without its last elements.", Fn2: trimArray},
	{Name: "unnest", Args: pg.Sig{pg.AnyArray}, Result: pg.AnyElement, Doc: "Elements of an array.", Rows: unnest, Count: elements},
	{Name: "generate_subscripts", Args: pg.Sig{pg.AnyArray, pg.Int4}, Result: pg.Int4, Doc: "Subscripts of a dimension.", Rows: generateSubscripts},
	{Name: "generate_subscripts", Args: pg.Sig{pg.AnyArray, pg.Int4, pg.Boolean}, Result: pg.Int4, Doc: "Subscripts of a dimension, on request in reverse.", Rows: generateSubscripts},
}

func arrayNDims(_ *expr.Context, a types.Value) (types.Value, error) {
	n := len(a.Array().Dims)
	if n == 0 {
		return types.Null, nil
	}
	return types.NewInt(int64(n)), nil
}

func arrayDims(_ *expr.Context, a types.Value) (types.Value, error) {
	dims := a.Array().Dims
	if len(dims) == 0 {
		return types.Null, nil
	}
	return types.NewText(string(types.AppendDims(nil, dims))), nil
}

// ofDim makes a function of an array and the number of a dimension, NULL where there is
// no such dimension.
func ofDim(f func(types.Dim) int) expr.Function2 {
	return func(_ *expr.Context, a, n types.Value) (types.Value, error) {
		dims := a.Array().Dims
		if n.Int() < 1 || n.Int() > int64(len(dims)) {
			return types.Null, nil
		}
		return types.NewInt(int64(f(dims[n.Int()-1]))), nil
	}
}

func cardinality(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(len(a.Array().Items))), nil
}

// flat is an array that elements can be added to: NULL counts as empty.
func flat(v types.Value, of types.T) (*types.ArrayValue, error) {
	if v.IsNull() {
		return &types.ArrayValue{Element: types.InfoOf(of.OID).Element}, nil
	}
	if len(v.Array().Dims) > 1 {
		return nil, sqlerr.New(sqlerr.DataException, "argument must be empty or one-dimensional array")
	}
	return v.Array(), nil
}

// withItems is an array of one dimension that begins where another does.
func withItems(a *types.ArrayValue, items []types.Value) (types.Value, error) {
	lower := 1
	if len(a.Dims) > 0 {
		lower = a.Dims[0].Lower
	}
	out := &types.ArrayValue{Element: a.Element, Items: items}
	if len(items) > 0 {
		out.Dims = []types.Dim{{Length: len(items), Lower: lower}}
	}
	return types.NewArray(out), out.Check()
}

func arrayAppend(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	a, err := flat(args[0], of[0])
	if err != nil {
		return types.Null, err
	}
	items, err := work.Join(c, a.Items, args[1:2])
	if err != nil {
		return types.Null, err
	}
	return withItems(a, items)
}

func arrayPrepend(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	a, err := flat(args[1], of[1])
	if err != nil {
		return types.Null, err
	}
	items, err := work.Join(c, args[:1], a.Items)
	if err != nil {
		return types.Null, err
	}
	return withItems(a, items)
}

// arrayCat puts arrays of one shape after each other, or adds one as an element of the
// outermost dimension of the other.
func arrayCat(c *expr.Context, a, b types.Value) (types.Value, error) {
	switch {
	case b.IsNull() || !a.IsNull() && len(b.Array().Dims) == 0:
		return a, nil
	case a.IsNull() || len(a.Array().Dims) == 0:
		return b, nil
	}
	x, y := a.Array(), b.Array()
	mismatch := "Arrays with differing dimensions are not compatible for concatenation."
	var dims []types.Dim
	inner := false // whether what must be alike is alike
	switch len(x.Dims) - len(y.Dims) {
	case 0:
		mismatch = "Arrays with differing element dimensions are not compatible for concatenation."
		dims, inner = slices.Clone(x.Dims), slices.Equal(x.Dims[1:], y.Dims[1:])
		dims[0].Length += y.Dims[0].Length
	case 1:
		dims, inner = slices.Clone(x.Dims), slices.Equal(x.Dims[1:], y.Dims)
		dims[0].Length++
	case -1:
		dims, inner = slices.Clone(y.Dims), slices.Equal(x.Dims, y.Dims[1:])
		dims[0].Length++
	default:
		return types.Null, incompatible().WithDetail("Arrays of %d and %d dimensions are not compatible for concatenation.", len(x.Dims), len(y.Dims))
	}
	if !inner {
		return types.Null, incompatible().WithDetail("%s", mismatch)
	}
	items, err := work.Join(c, x.Items, y.Items)
	if err != nil {
		return types.Null, err
	}
	out := &types.ArrayValue{Element: x.Element, Dims: dims, Items: items}
	return types.NewArray(out), out.Check()
}

func incompatible() *sqlerr.Error {
	return sqlerr.New(sqlerr.ArraySubscriptError, "cannot concatenate incompatible arrays")
}

func arrayFill(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if slices.ContainsFunc(args[1:], types.Value.IsNull) {
		return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "dimension array or low bound array cannot be null")
	}
	wrong := sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	for _, arg := range args[1:] {
		switch a := arg.Array(); {
		case len(a.Dims) > 1:
			return types.Null, wrong.WithDetail("Dimension array must be one dimensional.")
		case slices.ContainsFunc(a.Items, types.Value.IsNull):
			return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "dimension values cannot be null")
		}
	}
	if len(args) > 2 && len(args[2].Array().Items) != len(args[1].Array().Items) {
		return types.Null, wrong.WithDetail("Low bound array has different size than dimensions array.")
	}
	a := &types.ArrayValue{Element: of[0].OID}
	items := 1
	for i, length := range args[1].Array().Items {
		d := types.Dim{Length: int(length.Int()), Lower: 1}
		if len(args) > 2 {
			d.Lower = int(args[2].Array().Items[i].Int())
		}
		if a.Dims = append(a.Dims, d); len(a.Dims) > types.MaxDims {
			return types.Null, types.TooManyDims(len(args[1].Array().Items))
		}
		if err := a.Check(); err != nil {
			return types.Null, err
		}
		items *= d.Length
	}
	if items == 0 || a.Dims == nil {
		a.Dims = nil
		return types.NewArray(a), nil
	}
	if err := c.MakeItems(items); err != nil {
		return types.Null, err
	}
	a.Items = make([]types.Value, items)
	for i := range a.Items {
		if err := c.Tick(work.ItemBytes); err != nil {
			return types.Null, err
		}
		a.Items[i] = args[0]
	}
	return types.NewArray(a), nil
}

func trimArray(_ *expr.Context, v, n types.Value) (types.Value, error) {
	a := v.Array()
	length := 0
	if len(a.Dims) > 0 {
		length = a.Dims[0].Length
	}
	if n.Int() < 0 || n.Int() > int64(length) {
		return types.Null, sqlerr.New(sqlerr.ArraySubscriptError, "number of elements to trim must be between 0 and %d",
			length)
	}
	if length == 0 {
		return v, nil
	}
	first := a.Dims[0]
	return types.NewArray(a.Slice([][2]int{{first.Lower, first.Upper() - int(n.Int())}})), nil
}

func unnest(_ *expr.Context, args []types.Value) expr.Set { return expr.SetOf(args[0].Array().Items) }

// elements is how many elements an array has.
func elements(args []types.Value) float64 { return float64(len(args[0].Array().Items)) }

func generateSubscripts(_ *expr.Context, args []types.Value) expr.Set {
	dims := args[0].Array().Dims
	n := args[1].Int()
	if n < 1 || n > int64(len(dims)) {
		return expr.SetOf(nil)
	}
	from, to, step := int64(dims[n-1].Lower), int64(dims[n-1].Upper()), int64(1)
	if len(args) > 2 && args[2].Bool() {
		from, to, step = to, from, -1
	}
	return series(from, to, step)
}
