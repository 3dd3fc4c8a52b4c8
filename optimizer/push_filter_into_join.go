package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// pushFilterIntoJoin checks a condition on one side of a join before the join, and makes
// one on both sides a part of an inner join's condition.
//
//	Filter ((a = 1) AND (c > b))       Join on (c > b)
//	└─ Join                        →   ├─ Filter (a = 1)
//	   ├─ Scan t                       │  └─ Scan t
//	   └─ Scan u                       └─ Scan u
//
// It must not fire on a side whose rows the join fills with NULLs, where the condition
// sees a row that is not there yet: of t LEFT JOIN u, u.x IS NULL keeps the rows of t
// without a partner. Nor on a volatile condition, which is checked once for each pair.
var pushFilterIntoJoin = Rule{"PushFilterIntoJoin", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	j, ok := f.Input.(plan.Join)
	if !ok || j.Method != nil {
		return n, false
	}
	width := plan.Width(j.Left)
	var toLeft, toRight, on, stay []expr.Expr
	for _, c := range expr.Conjuncts(f.Cond) {
		switch s := sideOf(c, width); {
		case volatile(c):
			stay = append(stay, c)
		case s&right == 0 && keepsLeft(j.Kind):
			toLeft = append(toLeft, c)
		case s == right && keepsRight(j.Kind):
			toRight = append(toRight, expr.Shift(c, -width))
		case j.Kind == plan.InnerJoin:
			on = append(on, c)
		default:
			stay = append(stay, c)
		}
	}
	if len(toLeft)+len(toRight)+len(on) == 0 {
		return n, false
	}
	j.Left, j.Right = filtered(j.Left, toLeft), filtered(j.Right, toRight)
	if len(on) > 0 {
		j.On = expr.Conjoin(append(expr.Conjuncts(j.On), on...))
	}
	return filtered(j, stay), true
}}

// keepsLeft says whether the columns of Left are, in every row of the join, those of a
// row of Left.
func keepsLeft(k plan.JoinKind) bool { return k != plan.RightJoin && k != plan.FullJoin }

// keepsRight is keepsLeft for the other side, where its columns come out.
func keepsRight(k plan.JoinKind) bool { return k == plan.InnerJoin || k == plan.RightJoin }
