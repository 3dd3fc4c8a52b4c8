package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// checkLate runs subqueries for the rows that a join leaves, instead of for all of its inputs, where that costs less.
//
//	Semi Join on (a = x)                          Filter ((SubPlan 1) = 1)
//	├─ Scan t filter=(b > 2), ((SubPlan 1) = 1)   └─ Semi Join on (a = x)
//	└─ Scan u                                  →     ├─ Scan t filter=(b > 2)
//	                                                 └─ Scan u
//
// It must not fire on a side whose rows the join fills with NULLs; nor on a volatile condition; nor take a condition
// out of a Barrier: those of the join would see rows that it hides.
var checkLate = Rule{"CheckLate", func(o *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || j.Method != nil {
		return n, false
	}
	below, late := withoutSubplans(j)
	if len(late) == 0 {
		return n, false
	}
	above := filtered(below, late)
	if o.priceOf(above, latePhase) > mostLate*o.priceOf(n, latePhase) {
		return n, false
	}
	return above, true
}}

// mostLate is what share of its price a plan may keep so that it counts as cheaper.
const mostLate = 0.9

// withoutSubplans takes the conditions that run a subquery for each row out of a node, as far as they may be checked
// above it instead.
func withoutSubplans(n plan.Node) (plan.Node, []expr.Expr) {
	switch n := n.(type) {
	case plan.Join:
		return joinWithoutSubplans(n)
	case plan.Filter:
		input, late := withoutSubplans(n.Input)
		stay, own := splitSubplans(expr.Conjuncts(n.Cond))
		return filtered(input, stay), append(late, own...)
	case plan.Scan:
		if n.Barrier || n.Access != nil {
			return n, nil
		}
		stay, late := splitSubplans(n.Filter)
		n.Filter = stay
		return n, late
	}
	return n, nil
}

func joinWithoutSubplans(j plan.Join) (plan.Node, []expr.Expr) {
	var late []expr.Expr
	if j.Method != nil {
		return j, nil
	}
	if keepsLeft(j.Kind) {
		j.Left, late = withoutSubplans(j.Left)
	}
	if keepsRight(j.Kind) {
		side, ofRight := withoutSubplans(j.Right)
		j.Right = side
		for _, c := range ofRight {
			late = append(late, expr.Shift(c, plan.Width(j.Left)))
		}
	}
	return j, late
}

// splitSubplans takes the conditions that run a subquery for each row out of some.
func splitSubplans(conds []expr.Expr) (stay, late []expr.Expr) {
	for _, c := range conds {
		if runsSubplan(c) && !volatile(c) {
			late = append(late, c)
		} else {
			stay = append(stay, c)
		}
	}
	return stay, late
}

// runsSubplan says whether a condition runs a subquery for each row.
func runsSubplan(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		s, ok := x.(expr.Subquery)
		return ok && len(s.Depends) > 0
	})
}
