package session

import (
	"zproxy/expr"
	"zproxy/plpgsql/interpret"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/hstore"
)

// elements are what subscripts lead to in a value.
type elements struct {
	*plEngine
	in      interpret.Value
	indexes []expr.Index
	number  bool // the first subscript is a number
}

// elements finds what subscripts lead to, and its type.
func (e *plEngine) elements(in interpret.Value, at interpret.Subscripts) (out elements, t types.T, err error) {
	out = elements{plEngine: e, in: in}
	t, ok := types.ElementOf(in.T)
	to := types.Int4
	switch {
	case in.T.Kind() == types.KindJSONB:
		t, to, ok = in.T, types.Text, true
	case in.T.OID == types.OIDHstore:
		t, to, ok = types.Text, types.Text, true
		if at.Slice || len(at.At) > 1 {
			return out, t, hstore.OneSubscript()
		}
	case at.Slice:
		t = in.T
	}
	if !ok {
		return out, t, sqlerr.New(sqlerr.DatatypeMismatch,
			"cannot subscript type %s because it does not support subscripting", in.T.Bare())
	}
	if at.Slice && to.OID == types.OIDText {
		return out, t, sqlerr.New(sqlerr.DatatypeMismatch, "jsonb subscript does not support slices")
	}
	for i, b := range at.At {
		var x expr.Index
		if x.Low, err = e.index(b.Low, to); err == nil {
			x.High, err = e.index(b.High, to)
		}
		if err != nil {
			return out, t, err
		}
		out.number = out.number || i == 0 && b.High.T.Kind() == types.KindInt
		out.indexes = append(out.indexes, x)
	}
	return out, t, nil
}

// index is the value of a subscript, nil where there is none.
func (e *plEngine) index(v interpret.Value, to types.T) (expr.Expr, error) {
	if v.T.OID == 0 {
		return nil, nil
	}
	out, err := e.Convert(v, to)
	return expr.Const{Value: out, T: to}, err
}

// Element implements interpret.Values.
func (e *plEngine) Element(in interpret.Value, at interpret.Subscripts) (interpret.Value, error) {
	s, t, err := e.elements(in, at)
	if err != nil {
		return interpret.Value{}, err
	}
	v, err := expr.Subscript{Arg: expr.Const{Value: in.V, T: in.T}, Indexes: s.indexes, T: t, Slice: at.Slice}.
		Eval(e.reach.context(e.ctx, nil), nil)
	return interpret.Value{V: v, T: t}, err
}

// WithElement implements interpret.Values.
func (e *plEngine) WithElement(in interpret.Value, at interpret.Subscripts, v interpret.Value) (types.Value, error) {
	s, t, err := e.elements(in, at)
	if err != nil {
		return types.Null, err
	}
	value, err := e.Convert(v, t)
	if err != nil {
		return types.Null, err
	}
	base, to := expr.Const{Value: in.V, T: in.T}, expr.Const{Value: value, T: t}
	out := expr.Expr(expr.SubscriptAssign{Arg: base, Value: to, Indexes: s.indexes, Slice: at.Slice})
	if in.T.Kind() == types.KindJSONB {
		if out, err = s.inDocument(base, to); err != nil {
			return types.Null, err
		}
	}
	return out.Eval(e.reach.context(e.ctx, nil), nil)
}

// inDocument is a jsonb with a value at the subscripts.
func (s elements) inDocument(base, value expr.Expr) (expr.Expr, error) {
	of, _ := types.ArrayOf(types.Text)
	path := expr.ArrayOf{T: of}
	for _, x := range s.indexes {
		path.Items = append(path.Items, x.High)
	}
	return s.reach.planner(s.txn.Schema()).Call("jsonb_subscript_assign", base, path, value,
		expr.Const{Value: types.NewBool(s.number), T: types.Bool})
}
