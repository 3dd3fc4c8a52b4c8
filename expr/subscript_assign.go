package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// SubscriptAssign is what an array becomes when an element of it, or when Slice is set a part, gets a value.
type SubscriptAssign struct {
	Arg, Value Expr
	Indexes    []Index
	Slice      bool
}

func (SubscriptAssign) expr() {}

// Type implements Expr.
func (e SubscriptAssign) Type() types.T { return e.Arg.Type() }

// at is the same subscripts for reading.
func (e SubscriptAssign) at() Subscript {
	return Subscript{Arg: e.Arg, Indexes: e.Indexes, Slice: e.Slice}
}

// Inputs implements Expr.
func (e SubscriptAssign) Inputs() []Expr { return append([]Expr{e.Value}, e.at().Inputs()...) }

// WithInputs implements Expr.
func (e SubscriptAssign) WithInputs(in []Expr) Expr {
	at := e.at().WithInputs(in[1:]).(Subscript)
	e.Value, e.Arg, e.Indexes = in[0], at.Arg, at.Indexes
	return e
}

// String implements Expr.
func (e SubscriptAssign) String() string {
	return "(" + e.at().String() + " := " + e.Value.String() + ")"
}

// Eval implements Expr.
func (e SubscriptAssign) Eval(c *Context, row types.Row) (types.Value, error) {
	arg, err := e.Arg.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	value, err := e.Value.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	if isHstore(e.Arg) {
		return e.inHstore(c, row, arg, value)
	}
	bounds := make([]types.ArrayBound, len(e.Indexes))
	at := make([]int, len(e.Indexes))
	for i, x := range e.Indexes {
		if bounds[i].Low, err = assigned(c, row, x.Low); err != nil {
			return types.Null, err
		}
		if bounds[i].High, err = assigned(c, row, x.High); err != nil {
			return types.Null, err
		}
		if !e.Slice {
			at[i] = *bounds[i].High
		}
	}
	t := e.Type()
	if t.Kind() != types.KindArray {
		return types.WithFixedItem(arg, t, at, value)
	}
	a := &types.ArrayValue{Element: types.InfoOf(t.OID).Element}
	if !arg.IsNull() {
		a = arg.Array()
	}
	switch {
	case !e.Slice:
		return a.With(at, value, c.Env)
	case value.IsNull():
		return types.NewArray(a), nil
	}
	return a.WithSlice(bounds, value.Array(), c.Env)
}

// assigned evaluates a subscript, nil for one that was left out.
func assigned(c *Context, row types.Row, e Expr) (*int, error) {
	if e == nil {
		return nil, nil
	}
	v, err := e.Eval(c, row)
	switch {
	case err != nil:
		return nil, err
	case v.IsNull():
		return nil, sqlerr.New(sqlerr.NullValueNotAllowed, "array subscript in assignment must not be null")
	}
	n := int(v.Int())
	return &n, nil
}
