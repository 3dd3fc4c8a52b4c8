package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// foldConstants computes what does not depend on a row, so that indexes see values.
//
//	Filter (a = (1 + 2))   →   Filter (a = 3)
//
// It must not fire on a volatile or stable function, whose value belongs to the run, nor
// where the computation fails: the error belongs to the run too, and only if it gets
// there (CASE WHEN false THEN 1/0 END).
var foldConstants = Rule{"FoldConstants", func(o *Options, n plan.Node) (plan.Node, bool) {
	return rewritten(n, func(e expr.Expr) (expr.Expr, bool) { return expr.Fold(e, o.Env) })
}}
