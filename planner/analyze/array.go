package analyze

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/hstore"
)

// array makes ARRAY[...]. A written cast gives the array's type, else it follows
// from the items.
func (a Analysis[E]) array(e *ast.ArrayLiteral, to *types.T) (none E, err error) {
	out := &Array[E]{Items: make([]E, len(e.Items))}
	pos := make([]ast.Pos, len(e.Items))
	for i, item := range e.Items {
		if inner, ok := item.(*ast.ArrayLiteral); ok {
			out.Items[i], err = a.array(inner, to)
			out.Nested = true
		} else if out.Items[i], err = a.make.Expr(item); err == nil {
			out.Nested = out.Nested || types.Nests(out.Items[i].Type().OID)
		}
		if err != nil {
			return none, err
		}
		pos[i] = Start(item)
	}
	if to == nil {
		return a.arrayOfCommon(out, pos, e.Pos)
	}
	out.T = *to
	target, _ := types.ElementOf(*to)
	if out.Nested {
		target = *to
	}
	for i, item := range out.Items {
		if out.Items[i], err = a.Explicit(item, target, pos[i]); err != nil {
			return none, err
		}
	}
	return a.make.Form(out)
}

// arrayOfCommon brings the items of an array to one type.
func (a Analysis[E]) arrayOfCommon(out *Array[E], pos []ast.Pos, at ast.Pos) (none E, err error) {
	if len(out.Items) == 0 {
		return none, sqlerr.New(sqlerr.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].").At(int(at))
	}
	items, t, err := a.Common(out.Items, "ARRAY", pos)
	if err != nil {
		return none, err
	}
	out.Items, out.T = items, t
	if out.Nested {
		if _, ok := types.ElementOf(t); !ok {
			return none, sqlerr.New(sqlerr.UndefinedObject, "could not find element type for data type %s",
				t).At(int(at))
		}
		return a.make.Form(out)
	}
	array, ok := types.ArrayOf(t)
	if !ok {
		return none, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", t).At(int(at))
	}
	out.T = array
	return a.make.Form(out)
}

// subscript makes a[i] and a[i:j]. Where one pair of brackets is a slice, a number alone
// is the upper bound of another.
func (a Analysis[E]) subscript(e *ast.Subscript) (none E, err error) {
	arg, err := a.make.Expr(e.Arg)
	if err != nil {
		return none, err
	}
	out, err := a.Subscripts(arg.Type(), e.Indexes, Start(e.Arg))
	if err != nil {
		return none, err
	}
	out.Arg = arg
	return a.make.Form(out)
}

// Subscripts makes the subscripts of a value of a type, which is reported at a position.
func (a Analysis[E]) Subscripts(t types.T, list []ast.SubscriptIndex, of ast.Pos) (*Subscript[E], error) {
	slice := slices.ContainsFunc(list, func(x ast.SubscriptIndex) bool { return x.Slice })
	element, fixed, ok := types.Subscripted(t, slice)
	switch {
	case !ok:
		return nil, sqlerr.New(sqlerr.DatatypeMismatch,
			"cannot subscript type %s because it does not support subscripting", t.Bare()).At(int(of))
	case t.Kind() == types.KindJSONB && slice:
		return nil, noSliceOfDocument(list)
	case t.OID == types.OIDHstore && (slice || len(list) > 1):
		return nil, hstore.OneSubscript()
	case fixed && slice:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "slices of fixed-length arrays not implemented")
	case t.Kind() == types.KindArray && len(list) > types.MaxDims:
		return nil, types.TooManyDims(len(list))
	}
	out := &Subscript[E]{T: element, Slice: slice}
	for _, x := range list {
		index, err := a.index(x, t, out.Slice)
		if err != nil {
			return nil, err
		}
		out.Indexes = append(out.Indexes, index)
	}
	return out, nil
}

// noSliceOfDocument is the error of a slice of a jsonb, at the first one.
func noSliceOfDocument(list []ast.SubscriptIndex) error {
	x := list[slices.IndexFunc(list, func(x ast.SubscriptIndex) bool { return x.Slice })]
	at := x.High
	if at == nil {
		at = x.Low
	}
	err := sqlerr.New(sqlerr.DatatypeMismatch, "jsonb subscript does not support slices")
	if at == nil {
		return err
	}
	return err.At(int(Start(at)))
}

func (a Analysis[E]) index(x ast.SubscriptIndex, of types.T, slice bool) (out Index[E], err error) {
	if x.Low != nil {
		if out.Low, err = a.bound(x.Low, of); err != nil {
			return out, err
		}
	} else if slice && !x.Slice {
		out.Low = a.make.Constant(types.NewInt(1), types.Int4, -1)
	}
	if x.High != nil {
		out.High, err = a.bound(x.High, of)
	}
	return out, err
}

// bound makes one subscript: a number, of a jsonb also a text, of an hstore a text.
func (a Analysis[E]) bound(e ast.Expr, of types.T) (E, error) {
	out, err := a.make.Expr(e)
	if err != nil {
		return out, err
	}
	to, context := types.Int4, types.Assignment
	wrong := sqlerr.New(sqlerr.DatatypeMismatch, "array subscript must have type integer")
	if of.Kind() == types.KindJSONB {
		context = types.Implicit
		if t := out.Type(); t.OID == types.OIDUnknown || t.Kind() == types.KindText {
			to = types.Text
		}
		wrong = sqlerr.New(sqlerr.DatatypeMismatch, "subscript type %s is not supported", out.Type().Bare()).
			WithHint("jsonb subscript must be coercible to either integer or text.")
	}
	if of.OID == types.OIDHstore {
		to = types.Text
		wrong = sqlerr.New(sqlerr.DatatypeMismatch, "hstore subscript must have type text")
	}
	c, ok, err := a.Coerce(out, to, context, Start(e))
	if err == nil && !ok {
		err = wrong.At(int(Start(e)))
	}
	return c, err
}
