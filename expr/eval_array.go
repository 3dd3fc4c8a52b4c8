package expr

import (
	"math"
	"slices"
	"strconv"

	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// Eval implements Expr.
func (e Row) Eval(c *Context, row types.Row) (types.Value, error) {
	if e.Present != nil {
		if v, err := e.Present.Eval(c, row); err != nil || v.IsNull() {
			return types.Null, err
		}
	}
	n := len(e.Args)
	r := &types.RecordValue{Names: e.Names, Types: make([]types.T, n), Values: make([]types.Value, n)}
	if r.Names == nil {
		r.Names = fieldNames(len(e.Args))
	}
	for i, arg := range e.Args {
		var err error
		if r.Values[i], err = arg.Eval(c, row); err != nil {
			return types.Null, err
		}
		r.Types[i] = arg.Type()
	}
	return types.MakeRecord(r)
}

// fieldNames are the names of the fields of a row that was given none.
func fieldNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "f" + strconv.Itoa(i+1)
	}
	return names
}

// Eval implements Expr. Over an array that is NULL it is NULL.
func (e Quantified) Eval(c *Context, row types.Row) (types.Value, error) {
	arg, err := e.Arg.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	array, err := e.Array.Eval(c, row)
	if err != nil || array.IsNull() {
		return types.Null, err
	}
	both := types.Row{arg, types.Null}
	return decide(c, e.Test, e.All, func(yield func(types.Row, error) bool) {
		for _, both[1] = range array.Array().Items {
			if !yield(both, nil) {
				return
			}
		}
	})
}

// Eval implements Expr.
func (e ArrayOf) Eval(c *Context, row types.Row) (types.Value, error) {
	items := make([]types.Value, len(e.Items))
	for i, item := range e.Items {
		var err error
		if items[i], err = item.Eval(c, row); err != nil {
			return types.Null, err
		}
	}
	element := types.InfoOf(e.T.OID).Element
	if e.Nested {
		return types.ArrayOfArrays(element, items, c.Env)
	}
	return types.ArrayOfItems(element, items, c.Env)
}

// Eval implements Expr. A subscript that is NULL or out of bounds makes NULL, a slice that
// is out of bounds the empty array.
func (e Subscript) Eval(c *Context, row types.Row) (types.Value, error) {
	arg, err := e.Arg.Eval(c, row)
	if err != nil || arg.IsNull() {
		return types.Null, err
	}
	high := make([]types.Value, len(e.Indexes))
	low := make([]types.Value, len(e.Indexes))
	for i, x := range e.Indexes {
		if low[i], err = bound(c, row, x.Low, math.MinInt32); err != nil || low[i].IsNull() {
			return types.Null, err
		}
		if high[i], err = bound(c, row, x.High, math.MaxInt32); err != nil || high[i].IsNull() {
			return types.Null, err
		}
	}
	switch {
	case arg.Kind() == types.KindJSONB:
		return subscriptJSON(arg, high), nil
	case isHstore(e.Arg):
		return pairValue(arg, high[0]), nil
	}
	if arg.Kind() != types.KindArray {
		return fixedItem(arg, e.Arg.Type(), high), nil
	}
	a := arg.Array()
	if e.Slice {
		bounds := make([][2]int, len(e.Indexes))
		for i := range bounds {
			bounds[i] = [2]int{int(low[i].Int()), int(high[i].Int())}
		}
		return types.NewArray(a.Slice(bounds)), nil
	}
	at := make([]int, len(high))
	for i, v := range high {
		at[i] = int(v.Int())
	}
	if offset, ok := a.Offset(at); ok {
		return a.Items[offset], nil
	}
	return types.Null, nil
}

// fixedItem is an item of a value that has one dimension of fixed length.
func fixedItem(v types.Value, t types.T, at []types.Value) types.Value {
	if len(at) != 1 {
		return types.Null
	}
	item, _ := types.FixedItem(v, t, int(at[0].Int()))
	return item
}

// bound evaluates one end of a slice; one that was left out reaches as far as the array.
func bound(c *Context, row types.Row, e Expr, open int64) (types.Value, error) {
	if e == nil {
		return types.NewInt(open), nil
	}
	return e.Eval(c, row)
}

// Eval implements Expr.
func (e Field) Eval(c *Context, row types.Row) (types.Value, error) {
	arg, err := e.Arg.Eval(c, row)
	if err != nil || arg.IsNull() {
		return types.Null, err
	}
	return arg.Record().Values[e.Ordinal], nil
}

// isNull says whether a value IS NULL, or with not, IS NOT NULL. All fields of a record
// must be so.
func isNull(v types.Value, not bool) bool {
	if v.Kind() != types.KindRecord {
		return v.IsNull() != not
	}
	return !slices.ContainsFunc(v.Record().Values, func(field types.Value) bool { return field.IsNull() == not })
}

// subscriptJSON goes into a jsonb: by a key into an object, by a place into an array.
func subscriptJSON(v types.Value, path []types.Value) types.Value {
	j := v.JSONB()
	for _, step := range path {
		key := step.Text
		if step.Kind() == types.KindInt {
			key = func() string { return strconv.FormatInt(step.Int(), 10) }
		}
		offset, err := strconv.ParseInt(key(), 10, 64)
		switch {
		case j.Kind == json.Object:
			j = j.Member(key())
		case j.Kind == json.Array && err == nil:
			j = j.Element(offset)
		default:
			return types.Null
		}
		if j == nil {
			return types.Null
		}
	}
	return types.NewJSONB(j)
}

// CanGather says whether an array can be an element beside the first one.
func CanGather(first, v types.Value) error {
	switch {
	case v.IsNull():
		return sqlerr.New(sqlerr.NullValueNotAllowed, "cannot accumulate null arrays")
	case len(v.Array().Dims) == 0:
		return sqlerr.New(sqlerr.ArraySubscriptError, "cannot accumulate empty arrays")
	case !slices.Equal(first.Array().Dims, v.Array().Dims):
		return sqlerr.New(sqlerr.ArraySubscriptError, "cannot accumulate arrays of different dimensionality")
	}
	return nil
}
