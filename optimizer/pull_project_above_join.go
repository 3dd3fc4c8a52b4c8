package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// pullProjectAboveJoin takes a select list of plain columns from a side of a join, so that
// the join stands right above the scan and can choose its path.
//
//	Join on (a = q)               Project a, q = y
//	├─ Scan t                 →   └─ Join on (a = y)
//	└─ Project q = y                 ├─ Scan t
//	   └─ Scan u                     └─ Scan u
//
// It must not fire on a list that computes: of a row without a partner what is computed
// is NULL, whatever it would be of NULLs.
var pullProjectAboveJoin = Rule{"PullProjectAboveJoin", func(_ *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || j.Method != nil {
		return n, false
	}
	l, leftOK := columnsOnly(j.Left)
	r, rightOK := columnsOnly(j.Right)
	if !leftOK && !rightOK {
		return n, false
	}
	cols := j.Columns()
	list := ownExprs(l, leftOK, j.Left)
	j.Left = l
	width := plan.Width(l)
	for _, e := range ownExprs(r, rightOK, j.Right) {
		list = append(list, expr.Shift(e, width))
	}
	j.Right = r
	out, _ := plan.MapExprs(j, func(e expr.Expr) (expr.Expr, bool) { return substitute(e, list), true })
	return plan.Project{Input: out, Exprs: list[:len(cols):len(cols)], Cols: cols}, true
}}

// columnsOnly is what lies below a Project that only picks and names columns.
func columnsOnly(n plan.Node) (plan.Node, bool) {
	p, ok := n.(plan.Project)
	if !ok {
		return n, false
	}
	for _, e := range p.Exprs {
		if _, ok := e.(expr.Column); !ok {
			return n, false
		}
	}
	return p.Input, true
}

// ownExprs are the columns of a side of a join, over what is left of it.
func ownExprs(below plan.Node, pulled bool, side plan.Node) []expr.Expr {
	if pulled {
		return append([]expr.Expr(nil), side.(plan.Project).Exprs...)
	}
	return columnsAsExprs(below)
}
