package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/collate"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Operation implements analyze.Maker.
func (m maker) Operation(sign string, args []expr.Expr, pos ast.Pos) (expr.Expr, error) {
	return m.operation(sign, args, pos)
}

// Distinct implements analyze.Maker.
func (m maker) Distinct(left, right expr.Expr, e *ast.Distinct) (expr.Expr, error) {
	l, r, err := m.comparable("=", left, right, e.Pos)
	return expr.Distinct{Left: l, Right: r, Not: e.Not}, err
}

// NullIf implements analyze.Maker. It has the type that = takes on its left, which is text for varchar. Any two types
// with a date are compared as they are, so that the left one stays.
func (m maker) NullIf(left, right expr.Expr, pos ast.Pos) (expr.Expr, error) {
	l, r, err := m.comparable("=", left, right, pos)
	if err != nil {
		return nil, err
	}
	if given := left.Type(); given.OID != l.Type().OID && hasDate(given.OID) && hasDate(right.Type().OID) {
		return expr.NullIf{Left: l, Right: r, Value: left}, nil
	}
	if l.Type().OID == types.OIDVarchar {
		l, _, err = m.Coerce(l, types.Text, types.Implicit, pos)
	}
	return expr.NullIf{Left: l, Right: r}, err
}

func hasDate(t types.OID) bool {
	return t == types.OIDDate || t == types.OIDTimestamp || t == types.OIDTimestamptz
}

// Conditions implements analyze.Maker. Each one compares with the argument, if there is one.
func (m maker) Conditions(e *ast.Case) (none expr.Expr, out []expr.Expr, err error) {
	for _, w := range e.Whens {
		cond := w.Cond
		if e.Arg != nil {
			cond = &ast.Operator{Name: "=", Left: e.Arg, Right: w.Cond, Pos: w.Pos}
		}
		c, err := m.Condition(cond, "CASE/WHEN")
		if err != nil {
			return nil, nil, err
		}
		out = append(out, c)
	}
	return nil, out, nil
}

// In implements analyze.Maker. It is one node where one type suits all items. Several that need no row are brought to
// one type, as PostgreSQL does: of a float4 f, f IN (0.1, 0.2) may hold where f = 0.1 never does.
func (m maker) In(e *ast.In, arg expr.Expr, list []expr.Expr) (none expr.Expr, ok bool, err error) {
	columns := map[int]bool{}
	for _, item := range list {
		expr.Columns(item, columns)
	}
	if len(list) > 1 && len(columns) == 0 {
		if items, _, ok := m.coercion().Items(arg, list, e.Pos); ok {
			list = items
		}
	}
	both, _, err := collate.Together(m.Catalog, append([]expr.Expr{arg}, list...))
	if err != nil {
		return nil, false, err
	}
	arg, list = both[0], both[1:]
	first, same, sign := expr.Expr(nil), true, "="
	if e.Not {
		sign = "<>"
	}
	for i := range list {
		left, right, err := m.comparable(sign, arg, list[i], e.Pos)
		if err != nil {
			return nil, false, err
		}
		if i == 0 {
			first = left
		}
		same = same && left.Type().OID == first.Type().OID
		list[i] = right
	}
	return expr.In{Arg: first, List: list, Not: e.Not}, same, nil
}

// Quantified implements analyze.Maker. What the operator needs of the two sides is
// done to them as wholes, so that Test compares plain values.
func (m maker) Quantified(e *ast.Quantified, left, array expr.Expr) (expr.Expr, error) {
	both, _, err := collate.Together(m.Catalog, []expr.Expr{left, array})
	if err != nil {
		return nil, err
	}
	left, array, element, err := m.sides(both[0], both[1], e)
	if err != nil {
		return nil, err
	}
	item := expr.Column{Index: 1, Name: "item", T: element}
	var test expr.Expr
	if _, ok := comparisons[e.Operator]; ok {
		test, err = m.Compare(e.Operator, left, item, e.Pos)
	} else {
		test, err = called(m.Binder, func() (expr.Expr, error) {
			return m.operator(e.Operator, []expr.Expr{left, item}, e.Pos)
		})
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
		if array, err = m.Explicit(array, t, e.Pos); err != nil {
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
			of = typeOfUnknown(left.Type())
		}
		t, ok := types.ArrayOf(of)
		if !ok {
			return nil, nil, of, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s",
				of).At(int(e.Pos))
		}
		array, err = caster{b}.Read(array, t, types.Implicit, analyze.Start(e.Array))
		if err != nil {
			return nil, nil, of, err
		}
	}
	element, ok := types.ElementOf(array.Type())
	if !ok {
		return nil, nil, element, sqlerr.New(sqlerr.WrongObjectType,
			"op ANY/ALL (array) requires array on right side").At(int(e.Pos))
	}
	if left.Type().OID == types.OIDUnknown {
		left, err = caster{b}.Read(left, typeOfUnknown(element), types.Implicit, analyze.Start(e.Left))
	}
	return left, array, element, err
}
