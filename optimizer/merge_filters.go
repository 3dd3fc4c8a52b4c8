package optimizer

import (
	"zproxy/planner/expr"
	"zproxy/planner/plan"
)

// mergeFilters makes one Filter of two, and none of one that is always true.
//
//	Filter b            Filter (a AND b)
//	└─ Filter a     →   └─ ...
//	   └─ ...
//
// The lower condition stays first. It must not fire on a condition that is false or NULL:
// that one keeps no row.
var mergeFilters = Rule{"MergeFilters", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	if c, ok := f.Cond.(expr.Const); ok && c.Value.IsTrue() {
		return f.Input, true
	}
	below, ok := f.Input.(plan.Filter)
	if !ok {
		return n, false
	}
	below.Cond = expr.Conjoin(append(expr.Conjuncts(below.Cond), expr.Conjuncts(f.Cond)...))
	return below, true
}}
