package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// mergeFilters makes one Filter of two, and leaves out conditions that are always true.
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
	conds := expr.Conjuncts(f.Cond)
	below, merge := f.Input.(plan.Filter)
	if merge {
		conds = append(expr.Conjuncts(below.Cond), conds...)
		f.Input = below.Input
	}
	left := slices.DeleteFunc(slices.Clone(conds), alwaysTrue)
	if !merge && len(left) == len(conds) {
		return n, false
	}
	if f.Cond = expr.Conjoin(left); f.Cond == nil {
		return f.Input, true
	}
	return f, true
}}

func alwaysTrue(e expr.Expr) bool {
	c, ok := e.(expr.Const)
	return ok && c.Value.IsTrue()
}
