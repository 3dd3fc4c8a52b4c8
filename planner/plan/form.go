package plan

import (
	"zproxy/catalog/axis"
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/normal"
)

// formTerm reads a condition that bounds the texts of a column in a normal form to points: normalize(a, NFC) = $1, IN
// or = ANY of an array.
func formTerm(cond expr.Expr) []AxisTerm {
	var out AxisTerm
	form, forms := normal.None, 0
	bare := expr.Rewrite(cond, func(e expr.Expr) expr.Expr {
		column, of, ok := normalized(e)
		if !ok {
			return e
		}
		out.Column, form, forms = column, of, forms+1
		return column
	})
	if forms != 1 { // one of a form is another
		return nil
	}
	_, term, _, ok := TermOf(bare)
	if !ok || term.Op != TermEQ && term.Op != TermIn && term.Op != TermAny {
		return nil
	}
	out.Axis, out.Term = axis.Formed(0, form), term
	return []AxisTerm{out}
}

// normalized reads normalize(column, form).
func normalized(e expr.Expr) (column expr.Column, form normal.Form, ok bool) {
	call, ok := e.(expr.Call)
	if !ok || call.Fn.Name != "normalize" || len(call.Args) != 2 {
		return column, form, false
	}
	column, ok = ColumnOf(call.Args[0])
	name, named := call.Args[1].(expr.Const)
	if !ok || !named || name.Value.Kind() != types.KindText {
		return column, form, false
	}
	form, ok = normal.Parse(name.Value.Text())
	return column, form, ok
}
