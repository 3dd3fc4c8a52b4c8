package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// subscripted plans column[...] = value of a jsonb: the document, as earlier assignments of the statement have made it,
// with the value at a path.
func (p writer) subscripted(
	sc *bind.Scalars, t *catalog.Table, before []plan.Assignment, to target, a ast.Assignment,
) ([]plan.Assignment, error) {
	c := t.Columns[to.ordinal]
	if to.dynamic != "" || c.Type.OID != types.OIDJSONB {
		return nil, sqlerr.Unsupported("an assignment to a subscript of a column of type %s", c.Type).
			At(int(a.Column.Pos))
	}
	value, err := p.element(sc, c, a)
	if err != nil {
		return nil, err
	}
	path, array, err := p.path(sc, a.Path)
	if err != nil {
		return nil, err
	}
	base := sc.Scope.Relations[0].At(to.ordinal)
	at := slices.IndexFunc(before, func(b plan.Assignment) bool { return b.Column == to.ordinal })
	if at >= 0 {
		base = before[at].Value
	}
	isArray := expr.Const{Value: types.NewBool(array), T: types.Bool}
	value, err = p.Call("jsonb_subscript_assign", base, path, value, isArray)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return append(before, plan.Assignment{Column: to.ordinal, Value: value}), nil
	}
	before[at].Value = value
	return before, nil
}

// element is what a subscript of a jsonb is to have.
func (p writer) element(sc *bind.Scalars, c catalog.Column, a ast.Assignment) (expr.Expr, error) {
	if d, ok := a.Value.(*ast.Default); ok {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot set an array element to DEFAULT").At(int(d.Pos))
	}
	value, err := assigned(sc, a)
	if err != nil {
		return nil, err
	}
	pos := analyze.Start(a.Value)
	out, ok, err := p.Coerce(value, types.JSONB, types.Assignment, pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.DatatypeMismatch,
			"subscripted assignment to \"%s\" requires type jsonb but expression is of type %s",
			c.Name, value.Type().Bare()).
			WithHint("You will need to rewrite or cast the expression.").At(int(pos))
	}
	return out, err
}

// path are subscripts as texts. It says whether the first one is a number, so that it is of an array.
func (p writer) path(sc *bind.Scalars, list []ast.Expr) (path expr.Expr, array bool, err error) {
	of, _ := types.ArrayOf(types.Text)
	out := expr.ArrayOf{T: of}
	for i, tree := range list {
		e, err := sc.Expr(tree)
		if err != nil {
			return nil, false, err
		}
		array = array || i == 0 && e.Type().Kind() == types.KindInt
		if e, err = p.Explicit(e, types.Text, analyze.Start(tree)); err != nil {
			return nil, false, err
		}
		out.Items = append(out.Items, e)
	}
	return out, array, nil
}

// alsoSubscripted says whether all assignments to a column are to subscripts of it: there may be several of these.
func alsoSubscripted(t *catalog.Table, list []ast.Assignment, to target) bool {
	return to.dynamic == "" && !slices.ContainsFunc(list, func(a ast.Assignment) bool {
		return a.Path == nil && t.Column(a.Column.Name) == to.ordinal
	})
}
