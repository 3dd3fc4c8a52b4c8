package bind

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// arrayLiteral binds ARRAY[...]. A written cast gives the array's type, else it follows
// from the items.
func (s *Scalars) arrayLiteral(e *ast.ArrayLiteral, to *types.T) (expr.Expr, error) {
	out := expr.ArrayOf{Items: make([]expr.Expr, len(e.Items))}
	pos := make([]ast.Pos, len(e.Items))
	for i, item := range e.Items {
		var err error
		if inner, ok := item.(*ast.ArrayLiteral); ok {
			out.Items[i], err = s.arrayLiteral(inner, to)
			out.Nested = true
		} else if out.Items[i], err = s.Expr(item); err == nil {
			out.Nested = out.Nested || types.Nests(out.Items[i].Type().OID)
		}
		if err != nil {
			return nil, err
		}
		pos[i] = Start(item)
	}
	if to == nil {
		return s.arrayOfCommon(out, pos, e.Pos)
	}
	out.T = *to
	target, _ := types.ElementOf(*to)
	if out.Nested {
		target = *to
	}
	for i, item := range out.Items {
		var err error
		if out.Items[i], err = s.Explicit(item, target, pos[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// arrayOfCommon brings the items of an array to one type.
func (b *Binder) arrayOfCommon(out expr.ArrayOf, pos []ast.Pos, at ast.Pos) (expr.Expr, error) {
	if len(out.Items) == 0 {
		return nil, sqlerr.New(sqlerr.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].").At(int(at))
	}
	items, t, err := b.Common(out.Items, "ARRAY", pos)
	if err != nil {
		return nil, err
	}
	out.Items, out.T = items, t
	if out.Nested {
		if _, ok := types.ElementOf(t); !ok {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "could not find element type for data type %s",
				t).At(int(at))
		}
		return out, nil
	}
	array, ok := types.ArrayOf(t)
	if !ok {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", t).At(int(at))
	}
	out.T = array
	return out, nil
}

// subscript binds a[i] and a[i:j]. Where one pair of brackets is a slice, a number alone
// is the upper bound of another.
func (s *Scalars) subscript(e *ast.Subscript) (expr.Expr, error) {
	arg, err := s.Expr(e.Arg)
	if err != nil {
		return nil, err
	}
	t := arg.Type()
	slice := slices.ContainsFunc(e.Indexes, func(x ast.SubscriptIndex) bool { return x.Slice })
	of, fixed, ok := types.Subscripted(t, slice)
	switch {
	case !ok:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch,
			"cannot subscript type %s because it does not support subscripting",
			t.Bare()).At(int(Start(e.Arg)))
	case t.Kind() == types.KindJSONB && slice:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "jsonb subscript does not support slices").At(int(e.Pos))
	case fixed && slice:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "slices of fixed-length arrays not implemented")
	case t.Kind() == types.KindArray && len(e.Indexes) > types.MaxDims:
		return nil, types.TooManyDims(len(e.Indexes))
	}
	out := expr.Subscript{Arg: arg, T: of, Slice: slice}
	for _, x := range e.Indexes {
		index, err := s.index(x, t, out.Slice)
		if err != nil {
			return nil, err
		}
		out.Indexes = append(out.Indexes, index)
	}
	return out, nil
}

func (s *Scalars) index(x ast.SubscriptIndex, of types.T, slice bool) (out expr.Index, err error) {
	if x.Low != nil {
		if out.Low, err = s.bound(x.Low, of); err != nil {
			return out, err
		}
	} else if slice && !x.Slice {
		out.Low = expr.Const{Value: types.NewInt(1), T: types.Int4}
	}
	if x.High != nil {
		out.High, err = s.bound(x.High, of)
	}
	return out, err
}

// bound binds one subscript: a number, or of a jsonb also a text.
func (s *Scalars) bound(e ast.Expr, of types.T) (expr.Expr, error) {
	out, err := s.Expr(e)
	if err != nil {
		return nil, err
	}
	to := types.Int4
	wrong := sqlerr.New(sqlerr.DatatypeMismatch, "array subscript must have type integer")
	if of.Kind() == types.KindJSONB {
		if t := out.Type(); t.OID == types.OIDUnknown || t.Kind() == types.KindText {
			to = types.Text
		}
		wrong = sqlerr.New(sqlerr.DatatypeMismatch, "subscript type %s is not supported", out.Type().Bare()).
			WithHint("jsonb subscript must be coercible to either integer or text.")
	}
	c, ok, err := s.Coerce(out, to, types.Assignment, Start(e))
	if err == nil && !ok {
		err = wrong.At(int(Start(e)))
	}
	return c, err
}

// quantified binds Left op ANY | ALL (array). What the operator needs of the two sides is
// done to them as wholes, so that Test compares plain values.
func (s *Scalars) quantified(e *ast.Quantified) (expr.Expr, error) {
	left, err := s.Expr(e.Left)
	if err != nil {
		return nil, err
	}
	array, err := s.Expr(e.Array)
	if err != nil {
		return nil, err
	}
	left, array, element, err := s.sides(left, array, e)
	if err != nil {
		return nil, err
	}
	item := expr.Column{Index: 1, Name: "item", T: element}
	var test expr.Expr
	if _, ok := comparisons[e.Operator]; ok {
		test, err = s.Compare(e.Operator, left, item, e.Pos)
	} else {
		test, err = s.operator(e.Operator, []expr.Expr{left, item}, e.Pos)
	}
	if err != nil {
		return nil, err
	}
	in := test.Inputs()
	if test.Type().OID != types.OIDBool || len(in) != 2 {
		return nil, sqlerr.New(sqlerr.WrongObjectType,
			"op ANY/ALL (array) requires operator to yield boolean").At(int(e.Pos))
	}
	if t, ok := types.ArrayOf(in[1].Type().Bare()); ok && in[1].Type().OID != element.OID {
		if array, err = s.Explicit(array, t, e.Pos); err != nil {
			return nil, err
		}
	}
	arg := in[0]
	test = test.WithInputs([]expr.Expr{
		expr.Column{Name: "value", T: arg.Type()},
		expr.Column{Index: 1, Name: "item", T: in[1].Type()},
	})
	return expr.Quantified{Arg: arg, Array: array, All: e.All, Op: e.Operator, Test: test}, nil
}

// sides gives unknowns on one side of ANY or ALL the type of the other.
func (b *Binder) sides(left, array expr.Expr, e *ast.Quantified) (l, a expr.Expr, element types.T, err error) {
	if array.Type().OID == types.OIDUnknown {
		of := types.Text
		if left.Type().OID != types.OIDUnknown {
			of = unknownBeside(left.Type())
		}
		t, ok := types.ArrayOf(of)
		if !ok {
			return nil, nil, of, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s",
				of).At(int(e.Pos))
		}
		if array, err = b.coerceUnknown(array, t, types.Implicit, Start(e.Array)); err != nil {
			return nil, nil, of, err
		}
	}
	element, ok := types.ElementOf(array.Type())
	if !ok {
		return nil, nil, element, sqlerr.New(sqlerr.WrongObjectType,
			"op ANY/ALL (array) requires array on right side").At(int(e.Pos))
	}
	if left.Type().OID == types.OIDUnknown {
		left, err = b.coerceUnknown(left, unknownBeside(element), types.Implicit, Start(e.Left))
	}
	return left, array, element, err
}
