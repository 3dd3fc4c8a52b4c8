package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// pushFilterThroughProject checks a condition before a select list is computed, on what
// the list is computed from, so that it can reach the scan of a subquery.
//
//	Filter (x > 5)              Project x = (a + 1)
//	└─ Project x = (a + 1)  →   └─ Filter ((a + 1) > 5)
//	   └─ ...                      └─ ...
//
// It must not fire when the condition reads a volatile expression of the list: that would
// be computed twice and differ.
var pushFilterThroughProject = Rule{"PushFilterThroughProject", func(o *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	p, ok := f.Input.(plan.Project)
	if !ok {
		return n, false
	}
	if readsVolatile(f.Cond, p.Exprs) {
		return n, false
	}
	p.Input = filtered(p.Input, onInput(o, expr.Conjuncts(f.Cond), p.Exprs))
	return p, true
}}

// onInput is conditions over a select list, over what the list is computed from. Constants in the list decide some of
// them: those that are true are left out.
func onInput(o *Options, conds, list []expr.Expr) (out []expr.Expr) {
	for _, c := range conds {
		over := substitute(c, list)
		if readsConstant(c, list) {
			over = expr.Rewrite(over, func(x expr.Expr) expr.Expr {
				folded, _ := expr.Fold(x, o.Env)
				return folded
			})
		}
		if !alwaysTrue(over) {
			out = append(out, over)
		}
	}
	return out
}

// readsConstant says whether a condition reads a constant of a select list.
func readsConstant(cond expr.Expr, list []expr.Expr) bool {
	used := map[int]bool{}
	expr.Columns(cond, used)
	for i := range used {
		if _, ok := list[i].(expr.Const); ok {
			return true
		}
	}
	return false
}
