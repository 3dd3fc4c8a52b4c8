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
	return plan.MapExprs(n, func(e expr.Expr) (expr.Expr, bool) {
		changed := false
		out := expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			s, ok := x.(expr.Subquery)
			if !ok {
				return x
			}
			sub, ok := s.Plan.(plan.Sub)
			if !ok || sub.Optimized {
				return x
			}
			better, err := o.run(sub.Node)
			if err != nil {
				o.failed = err
				return x
			}
			s.Plan = plan.Sub{Node: better, Optimized: true}
			changed = true
			return s
		})
		return out, changed
	})
}}
