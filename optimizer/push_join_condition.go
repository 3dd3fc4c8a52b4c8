package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// pushJoinCondition checks what a join's condition says of one side alone on that side.
//
//	Left Join on ((a = b) AND (b > 5))       Left Join on (a = b)
//	├─ Scan t                            →   ├─ Scan t
//	└─ Scan u                                └─ Filter (b > 5)
//	                                            └─ Scan u
//
// It must not fire on the side whose rows an outer or anti join keeps without a partner: a
// condition on them decides whether they have one, not whether they come out.
var pushJoinCondition = Rule{"PushJoinCondition", func(_ *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || j.Method != nil {
		return n, false
	}
	width := plan.Width(j.Left)
	var toLeft, toRight, stay []expr.Expr
	conds := expr.Conjuncts(j.On)
	for _, c := range conds {
		switch s := sideOf(c, width); {
		case alwaysTrue(c):
		case volatile(c):
			stay = append(stay, c)
		case s == right && dropsRight(j.Kind):
			toRight = append(toRight, expr.Shift(c, -width))
		case s&right == 0 && dropsLeft(j.Kind):
			toLeft = append(toLeft, c)
		default:
			stay = append(stay, c)
		}
	}
	if len(stay) == len(conds) {
		return n, false
	}
	j.Left, j.Right, j.On = filtered(j.Left, toLeft), filtered(j.Right, toRight), expr.Conjoin(stay)
	return j, true
}}

// dropsLeft says whether a row of Left without a partner does not come out.
func dropsLeft(k plan.JoinKind) bool {
	return k == plan.InnerJoin || k == plan.RightJoin || k == plan.SemiJoin
}

// dropsRight is dropsLeft for the other side.
func dropsRight(k plan.JoinKind) bool { return k != plan.RightJoin && k != plan.FullJoin }
