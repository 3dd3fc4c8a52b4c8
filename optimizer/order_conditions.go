package optimizer

import (
	"cmp"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/effort"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
)

// orderConditions checks the conditions of a node in the order of what they take, as PostgreSQL does: what a cheap one
// drops costs no more, and raises no error of others.
//
//	Scan t filter=((SubPlan 1) = 1), (b > 2)   →   Scan t filter=(b > 2), ((SubPlan 1) = 1)
//
// Those that take the same stay as they were written. It must not fire on the parts of a condition that is not an AND,
// whose order is that of their evaluation.
var orderConditions = Rule{"OrderConditions", func(o *Options, n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Filter:
		conds, changed := byEffort(o, expr.Conjuncts(n.Cond))
		n.Cond = expr.Conjoin(conds)
		return n, changed
	case plan.Scan:
		if n.Access != nil {
			return n, false
		}
		conds, changed := byEffort(o, n.Filter)
		n.Filter = conds
		return n, changed
	case plan.Join:
		if n.Method != nil || n.On == nil {
			return n, false
		}
		conds, changed := byEffort(o, expr.Conjuncts(n.On))
		n.On = expr.Conjoin(conds)
		return n, changed
	}
	return n, false
}}

// byEffort is conditions in the order of what they take, and whether that is another one.
func byEffort(o *Options, conds []expr.Expr) ([]expr.Expr, bool) {
	if len(conds) < 2 {
		return conds, false
	}
	type measured struct {
		cond   expr.Expr
		effort float64
	}
	run := func(s expr.Subquery) float64 { // in conditions that could be checked instead
		return price.Nodes(s.Plan.(plan.Sub).Node, o.estimator(), o.Memory)[0].Total / price.CheckedRow
	}
	list := make([]measured, len(conds))
	for i, c := range conds {
		list[i] = measured{c, effort.Of(c, run)}
	}
	order := func(a, b measured) int { return cmp.Compare(a.effort, b.effort) }
	if slices.IsSortedFunc(list, order) {
		return conds, false
	}
	slices.SortStableFunc(list, order)
	out := make([]expr.Expr, len(list))
	for i, m := range list {
		out[i] = m.cond
	}
	return out, true
}
