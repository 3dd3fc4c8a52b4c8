package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// restrictByDisjunction checks on one side of a join what each arm of an OR over both sides implies for it. The OR
// stays.
//
//	Join on ((a = 1) AND (b = 2)) OR         Join on ((a = 1) AND (b = 2)) OR
//	        ((a = 2) AND (b = 1))            │       ((a = 2) AND (b = 1))
//	├─ Scan t                           →    ├─ Filter ((a = 1) OR (a = 2))
//	└─ Scan u                                │  └─ Scan t
//	                                         └─ Filter ((b = 2) OR (b = 1))
//	                                            └─ Scan u
//
// It must not fire on a side whose rows come out without a partner, with an arm that implies nothing for the side, nor
// on a volatile condition or a subquery, which would be computed twice; nor on what the side is known to meet, so that
// it comes to an end.
var restrictByDisjunction = Rule{"RestrictByDisjunction", func(o *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || j.Method != nil {
		return n, false
	}
	width := plan.Width(j.Left)
	var implied []expr.Expr
	for _, c := range expr.Conjuncts(j.On) {
		if volatile(c) || holdsSubquery(c) {
			continue
		}
		for _, of := range []side{left, right} {
			implied = append(implied, expr.Conjuncts(impliedFor(c, of, width))...)
		}
	}
	return checkedBefore(o, j, implied)
}}

// impliedFor is what all arms of an OR imply for one side of a join, whose left side has a number of columns; nil:
// nothing.
func impliedFor(e expr.Expr, of side, width int) expr.Expr {
	arms := disjuncts(e)
	if len(arms) == 0 || sideOf(e, width) != both {
		return nil
	}
	implied := expr.Logic{Or: true}
	for _, arm := range arms {
		var own []expr.Expr
		for _, c := range expr.Conjuncts(arm) {
			if sideOf(c, width) == of {
				own = append(own, c)
			} else if within := impliedFor(c, of, width); within != nil {
				own = append(own, within)
			}
		}
		if len(own) == 0 {
			return nil
		}
		implied.Args = append(implied.Args, expr.Conjoin(own))
	}
	if in, ok := inOf(implied); ok {
		return in
	}
	if factored, ok := factored(implied); ok {
		return factored
	}
	return implied
}
