package vector

import (
	"zproxy/expr"
	"zproxy/types"
)

// strict is a function or a cast, which is NULL where an argument is.
type strict struct {
	one    one
	kernel kernel       // nil: it has none
	kinds  []types.Kind // of the arguments of the kernel
	result types.Kind   // of its results
	args   []node
	given  []*types.Vector
	row    types.Row
	out    types.Vector
}

// kernel computes a function for the selected rows, NULLs aside. The vectors have the kinds of the arguments, and out
// is one of the kind of the result. It says false if a result is beyond what it can say, as one that is an error: then
// the function is called for each row.
type kernel func(args []*types.Vector, out *types.Vector, sel []int32) bool

func (s *Set) strict(args []expr.Expr, one one) *strict {
	return &strict{one: one, args: s.nodes(args), given: make([]*types.Vector, len(args)),
		row: make(types.Row, len(args))}
}

// with gives the node a kernel of some types.
func (n *strict) with(k kernel, result types.OID, args ...types.OID) *strict {
	if n.kernel = k; k == nil {
		return n
	}
	n.result = types.Of(result).Kind()
	for _, oid := range args {
		n.kinds = append(n.kinds, types.Of(oid).Kind())
	}
	return n
}

func (n *strict) eval(r *run, sel []int32) (*types.Vector, error) {
	fits := n.kernel != nil && len(sel) > 0
	for at, arg := range n.args {
		v, err := arg.eval(r, sel)
		if err != nil {
			return nil, err
		}
		n.given[at] = v
		fits = fits && v.Kind == n.kinds[at]
	}
	if fits {
		n.out.Shape(n.result, r.batch.Len())
		if n.kernel(n.given, &n.out, sel) {
			n.nulls(sel, r.batch.Len())
			return &n.out, nil
		}
	}
	return &n.out, n.each(r, sel)
}

// nulls makes results NULL where an argument is.
func (n *strict) nulls(sel []int32, rows int) {
	for _, v := range n.given {
		if !v.HasNulls {
			continue
		}
		for _, i := range sel {
			if v.Nulls[i] {
				n.out.SetNull(int(i), rows)
			}
		}
	}
}

// each computes the results row by row.
func (n *strict) each(r *run, sel []int32) error {
	n.out.Shape(types.KindNull, r.batch.Len())
	for _, i := range sel {
		n.out.Values[i] = types.Null
		null, units := false, 1
		for at, v := range n.given {
			n.row[at] = v.Value(int(i))
			null, units = null || n.row[at].IsNull(), units+size(n.row[at])
		}
		if null {
			continue
		}
		if err := r.context.Tick(units); err != nil { // the function may count nothing of what it does
			return err
		}
		var err error
		if n.out.Values[i], err = n.one(r.context, n.row); err != nil {
			return err
		}
	}
	return nil
}

// size is the bytes of a value that may have many.
func size(v types.Value) int {
	switch v.Kind() {
	case types.KindText, types.KindBpchar, types.KindBytes:
		return len(v.Bytes())
	case types.KindNumeric:
		if _, small := v.Small(); !small {
			return v.Numeric().Coeff.BitLen() / 8
		}
	}
	return 1
}

// call compiles a call of a function; nil: it is computed row by row.
func (s *Set) call(e expr.Call) node {
	f := e.Fn
	switch {
	case f.NotStrict || f.Volatility == expr.Volatile:
		return nil
	case f.Bind != nil && expr.Fixed(e.Args[1]):
		return &bound{of: f, arg: s.node(e.Args[0]), with: fixed{of: e.Args[1]}}
	case f.Fn1 == nil && f.Fn2 == nil && f.FnN == nil:
		return nil
	}
	return s.strict(e.Args, oneOf(e)).with(kernelOf(e, s.run.context), f.Result, f.Args...)
}

// one is what a strict expression makes of arguments none of which is NULL.
type one = func(c *expr.Context, args types.Row) (types.Value, error)

func oneOf(e expr.Call) one {
	switch f := e.Fn; {
	case f.Fn2 != nil:
		return func(c *expr.Context, args types.Row) (types.Value, error) { return f.Fn2(c, args[0], args[1]) }
	case f.Fn1 != nil:
		return func(c *expr.Context, args types.Row) (types.Value, error) { return f.Fn1(c, args[0]) }
	}
	return overColumns(e).Eval
}

// overColumns is an expression of which the inputs are the columns of a row.
func overColumns(e expr.Expr) expr.Expr {
	in := make([]expr.Expr, len(e.Inputs()))
	for i, x := range e.Inputs() {
		in[i] = expr.Column{Index: i, T: x.Type()}
	}
	return e.WithInputs(in)
}

// bound is a function that was prepared for its second argument, which is fixed.
type bound struct {
	of   *expr.Function
	arg  node
	with fixed
	test expr.Test
	out  types.Vector
}

func (n *bound) eval(r *run, sel []int32) (*types.Vector, error) {
	rows := r.batch.Len()
	n.out.Shape(types.KindBool, rows)
	v, known, err := n.begin(r, sel)
	if err != nil {
		return nil, err
	}
	for _, i := range sel {
		n.out.Ints[i] = 0
		if !known || v.IsNull(int(i)) {
			n.out.SetNull(int(i), rows)
			continue
		}
		is, err := n.test(v.Lent(int(i)))
		if err != nil {
			return nil, err
		}
		if is {
			n.out.Ints[i] = 1
		}
	}
	return &n.out, nil
}

// choose implements chooser.
func (n *bound) choose(r *run, sel, out []int32) ([]int32, error) {
	v, known, err := n.begin(r, sel)
	if err != nil || !known {
		return out, err
	}
	for _, i := range sel {
		if v.IsNull(int(i)) {
			continue
		}
		is, err := n.test(v.Lent(int(i)))
		if err != nil {
			return nil, err
		}
		if is {
			out = append(out, i)
		}
	}
	return out, nil
}

// begin computes the first argument, and prepares for the second one; false: that is NULL.
func (n *bound) begin(r *run, sel []int32) (v *types.Vector, known bool, err error) {
	if len(sel) == 0 {
		return nil, false, nil
	}
	if v, err = n.arg.eval(r, sel); err != nil {
		return nil, false, err
	}
	with, err := n.with.get(r)
	if err != nil || with.IsNull() {
		return nil, false, err
	}
	if n.test == nil {
		n.test = n.of.Bind(r.context, with)
	}
	return v, true, nil
}
