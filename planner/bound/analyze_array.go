package bound

import (
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// array is ARRAY[...]; a cast gives its items a type, 0 is none.
func (a *analyzer) array(e *ast.ArrayLiteral, element types.OID) (Node, error) {
	var items []Node
	nested := false
	for _, i := range e.Items {
		var n Node
		var err error
		if inner, ok := i.(*ast.ArrayLiteral); ok {
			n, err = a.array(inner, element)
		} else {
			n, err = a.expr(i)
		}
		if err != nil {
			return nil, err
		}
		nested = nested || types.InfoOf(n.typ().OID).Element != 0 && types.InfoOf(n.typ().OID).Kind == types.KindArray
		items = append(items, n)
	}
	if element != 0 {
		to := types.Of(element)
		out, _ := types.ArrayOf(to)
		if nested {
			to = out
		}
		for i := range items {
			var err error
			if items[i], err = a.coerceTo(items[i], to, types.Explicit, explicitCast); err != nil {
				return nil, err
			}
		}
		return &Array{items, out}, nil
	}
	if len(items) == 0 {
		return nil, sqlerr.New(sqlerr.IndeterminateDatatype, "cannot determine type of empty array")
	}
	t := commonType(items)
	items, err := a.allTo(items, t)
	if err != nil {
		return nil, err
	}
	out := types.Of(t)
	if !nested {
		out, _ = types.ArrayOf(out)
	}
	return &Array{items, out}, nil
}

func (a *analyzer) subscript(e *ast.Subscript) (Node, error) {
	arg, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	t, out := arg.typ(), &Subscript{Arg: arg}
	slice := false
	for _, x := range e.Indexes {
		slice = slice || x.Slice
	}
	out.t, _, _ = types.Subscripted(t, slice)
	for _, x := range e.Indexes {
		i := Index{Slice: slice}
		if x.Low != nil {
			if i.Low, err = a.bound(x.Low, t); err != nil {
				return nil, err
			}
		} else if slice && !x.Slice {
			i.Low = &Constant{types.NewInt(1), types.Int4}
		}
		if x.High != nil {
			if i.High, err = a.bound(x.High, t); err != nil {
				return nil, err
			}
		}
		out.Indexes = append(out.Indexes, i)
	}
	return out, nil
}

func (a *analyzer) bound(e ast.Expr, of types.T) (Node, error) {
	n, err := a.expr(e)
	if err != nil {
		return nil, err
	}
	to := types.OIDInt4
	if of.OID == types.OIDJSONB && (n.typ().OID == types.OIDUnknown || n.typ().Kind() == types.KindText) {
		to = types.OIDText
	}
	return a.coerce(n, to, types.Assignment, ImplicitCast)
}

func (a *analyzer) quantified(e *ast.Quantified) (Node, error) {
	args, err := a.exprs([]ast.Expr{e.Left, e.Array})
	if err != nil {
		return nil, err
	}
	return a.arrayOperation(e.Operator, !e.All, args[0], args[1])
}

// arrayOperation is make_scalar_array_op.
func (s *Source) arrayOperation(sign string, any bool, left, right Node) (Node, error) {
	if sign == "!=" {
		sign = "<>"
	}
	given := []types.OID{left.typ().OID, right.typ().OID}
	item := given[1]
	if item != types.OIDUnknown {
		if item = types.InfoOf(item).Element; item == 0 {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "op ANY/ALL (array) requires array on right side")
		}
	}
	op, err := operator(sign, []types.OID{given[0], item})
	if err != nil {
		return nil, err
	}
	if left, err = s.coerce(left, op.Args[0], types.Implicit, ImplicitCast); err != nil {
		return nil, err
	}
	right, err = s.coerce(right, types.InfoOf(op.Args[1]).Array, types.Implicit, ImplicitCast)
	return &ArrayOperation{sign, any, left, right}, err
}

// in is transformAExprIn: one comparison with an array of what has no columns, if there are
// two such items, and one each for the others.
func (a *analyzer) in(e *ast.In) (Node, error) {
	left, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	sign, op := "=", "OR"
	if e.Not {
		sign, op = "<>", "AND"
	}
	var all, plain, others []Node
	rows := false
	for _, x := range e.List {
		n, err := a.expr(x)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
		if _, ok := n.(*Row); ok {
			rows = true
		}
		if a.reads(n) {
			others = append(others, n)
		} else {
			plain = append(plain, n)
		}
	}
	out := &Logic{Op: op}
	if len(plain) > 1 && !rows {
		if n, ok, err := a.inArray(left, plain, e.Not); err != nil {
			return nil, err
		} else if ok {
			out.Args, all = append(out.Args, n), others
		}
	}
	for _, n := range all {
		var c Node
		l, isRow := left.(*Row)
		if r, ok := n.(*Row); ok && isRow {
			c, err = a.comparedRows(sign, l.Args, r.Args)
		} else {
			c, err = a.operation(sign, []Node{left, n})
		}
		if err != nil {
			return nil, err
		}
		out.Args = append(out.Args, c)
	}
	if len(out.Args) == 1 {
		return out.Args[0], nil
	}
	return out, nil
}

func (s *Source) inArray(left Node, plain []Node, not bool) (Node, bool, error) {
	t := commonType(append([]Node{left}, plain...))
	for _, n := range append([]Node{left}, plain...) {
		if !bind.Implicitly(n.typ().OID, t) {
			return nil, false, nil
		}
	}
	of, ok := types.ArrayOf(types.Of(t))
	if !ok || t == types.OIDRecord {
		return nil, false, nil
	}
	items, err := s.allTo(plain, t)
	if err != nil {
		return nil, false, err
	}
	sign := "="
	if not {
		sign = "<>"
	}
	n, err := s.arrayOperation(sign, !not, left, &Array{items, of})
	return n, true, err
}

// compareRows is make_row_comparison_op of two rows that are written out.
func (a *analyzer) compareRows(sign string, l, r *ast.Row) (Node, error) {
	left, err := a.rowArgs(l.Args)
	if err != nil {
		return nil, err
	}
	right, err := a.rowArgs(r.Args)
	if err != nil {
		return nil, err
	}
	return a.comparedRows(sign, left, right)
}

func (s *Source) comparedRows(sign string, left, right []Node) (Node, error) {
	if len(left) != len(right) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions")
	}
	all := &Logic{Op: "AND"}
	out := &RowCompare{Sign: sign}
	for i := range left {
		n, err := s.operation(sign, []Node{left[i], right[i]})
		if err != nil {
			return nil, err
		}
		o := n.(*Operation)
		out.Sign = o.Sign
		all.Args, out.Left, out.Right = append(all.Args, n), append(out.Left, o.Args[0]), append(out.Right, o.Args[1])
	}
	switch {
	case len(left) == 1:
		return all.Args[0], nil
	case out.Sign == "=":
		return all, nil
	case out.Sign == "<>":
		all.Op = "OR"
		return all, nil
	}
	return out, nil
}

func (a *analyzer) rowArgs(list []ast.Expr) ([]Node, error) {
	var out []Node
	for _, e := range list {
		if all, ok, err := a.several(e); ok {
			if err != nil {
				return nil, err
			}
			for _, t := range all {
				out = append(out, t.Expr)
			}
			continue
		}
		n, err := a.expr(e)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}
