package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

const optimizeSubplansName = "OptimizeSubplans"

// optimizeSubplans runs the whole optimizer on the plans of subqueries that are left in
// expressions.
//
//	Filter (a = (SubPlan 1))       Filter (a = (SubPlan 1))
//	SubPlan 1                  →   SubPlan 1
//	└─ Filter (b = 2)              └─ Index Scan using i on u
//	   └─ Scan u
//
// It must not fire twice on one plan, whose access paths are chosen by then.
var optimizeSubplans = Rule{optimizeSubplansName, func(o *Options, n plan.Node) (plan.Node, bool) {
	return rewritten(n, func(e expr.Expr) (expr.Expr, bool) {
		s, ok := e.(expr.Subquery)
		if !ok {
			return e, false
		}
		sub, ok := s.Plan.(plan.Sub)
		if !ok || sub.Optimized {
			return e, false
		}
		better, err := o.run(sub.Node)
		if err != nil {
			o.failed = err
			return e, false
		}
		s.Plan = plan.Sub{Node: better, Optimized: true}
		return s, true
	})
}}
