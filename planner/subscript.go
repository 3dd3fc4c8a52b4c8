package planner

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// subscripts are those behind a column that gets a value.
type subscripts = analyze.Subscript[expr.Expr]

// subscripts makes those behind the name of a column, nil if there are none.
func (p writer) subscripts(sc *bind.Scalars, g *goal, to target, n ast.ColumnName) (*subscripts, error) {
	switch {
	case n.Path == nil:
		return nil, nil
	case to.dynamic != "":
		return nil, sqlerr.Unsupported("an assignment to a subscript of a dynamic column").At(int(n.Pos))
	case to.ordinal < 0: // of a view, which takes refuses
		return nil, nil
	}
	return sc.Analysis().Subscripts(g.column(to).Type, n.Path, n.Pos, n.Pos)
}

// subscripted is a value with another one at the subscripts of a target.
func (p writer) subscripted(base expr.Expr, at *subscripts, column string, value expr.Expr, pos ast.Pos) (
	expr.Expr, error) {
	to := at.T
	t := base.Type()
	out, ok, err := p.Coerce(value, to, types.Assignment, pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.DatatypeMismatch,
			"subscripted assignment to \"%s\" requires type %s but expression is of type %s",
			column, to.Bare(), value.Type().Bare()).
			WithHint("You will need to rewrite or cast the expression.").At(int(pos))
	}
	if err != nil {
		return nil, err
	}
	if t.Kind() == types.KindJSONB {
		return p.inDocument(base, at, out)
	}
	e := expr.SubscriptAssign{Arg: base, Value: out, Slice: at.Slice}
	for _, x := range at.Indexes {
		e.Indexes = append(e.Indexes, expr.Index{Low: x.Low, High: x.High})
	}
	return e, nil
}

// inDocument is a jsonb with a value at a path. A first subscript that is a number is of an array.
func (p writer) inDocument(base expr.Expr, at *subscripts, value expr.Expr) (expr.Expr, error) {
	array := at.Indexes[0].High.Type().Kind() == types.KindInt
	of, _ := types.ArrayOf(types.Text)
	path := expr.ArrayOf{T: of}
	for _, x := range at.Indexes {
		e, err := p.Explicit(x.High, types.Text, -1)
		if err != nil {
			return nil, err
		}
		path.Items = append(path.Items, e)
	}
	return p.Call("jsonb_subscript_assign", base, path, value, expr.Const{Value: types.NewBool(array), T: types.Bool})
}

// noDefault is the error of DEFAULT as the value of an element.
func noDefault(d *ast.Default) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot set an array element to DEFAULT").At(int(d.Pos))
}
