package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// unnestSubquery makes a semi join of EXISTS and IN (SELECT), and an anti join of NOT
// EXISTS, so that the rows of the subquery are read once, or through an index.
//
//	Filter (SubPlan 1)             Semi Join $0=a
//	└─ Scan t                  →   ├─ Scan t
//	SubPlan 1 $0=a                 └─ Filter (b = $0)
//	└─ Filter (b = $0)                └─ Scan u
//	   └─ Scan u
//
// It must not fire on NOT IN, which is NULL, and so keeps nothing, when the subquery has
// a NULL; nor on something volatile IN (SELECT), which would be computed for each pair; nor
// on a subquery under OR or in a select list, whose value is wanted.
var unnestSubquery = Rule{"UnnestSubquery", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	conds := expr.Conjuncts(f.Cond)
	for i, c := range conds {
		join, ok := asJoin(c, f.Input)
		if !ok {
			continue
		}
		return filtered(join, slices.Delete(slices.Clone(conds), i, i+1)), true
	}
	return n, false
}}

// asJoin is the join that a condition on the rows of a node is.
func asJoin(cond expr.Expr, input plan.Node) (plan.Node, bool) {
	kind := plan.SemiJoin
	if not, ok := cond.(expr.Not); ok {
		cond, kind = not.Arg, plan.AntiJoin
	}
	s, ok := cond.(expr.Subquery)
	if !ok {
		return nil, false
	}
	sub, ok := s.Plan.(plan.Sub)
	if !ok || sub.Optimized {
		return nil, false
	}
	j := plan.Join{Kind: kind, Left: input, Right: sub.Node}
	for i, slot := range s.Slots {
		j.Slots = append(j.Slots, plan.Slot{Number: slot, Value: s.Args[i]})
	}
	switch {
	case s.Kind == expr.ExistsSubquery:
		return j, true
	case s.Kind == expr.AnySubquery && kind == plan.SemiJoin && !volatile(s.Test) &&
		!slices.ContainsFunc(s.Left, volatile):
		width := plan.Width(input)
		columns := slices.Clone(s.Left)
		for i, c := range sub.Node.Columns() {
			columns = append(columns, expr.Column{Index: width + i, Name: c.Name, T: c.Type})
		}
		j.On = substitute(s.Test, columns)
		return j, true
	}
	return nil, false
}
