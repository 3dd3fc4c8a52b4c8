package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// groupInOrder lets groups come out while rows are read, where the rows of each come one after the other.
//
//	Aggregate by a: count(*)         Aggregate by a sorted: count(*)
//	└─ Scan t order=a ordered    →   └─ Scan t order=a ordered
//
// It must not fire where the order is not certain: a group would come out twice.
var groupInOrder = Rule{"GroupInOrder", func(_ *Options, n plan.Node) (plan.Node, bool) {
	a, ok := n.(plan.Aggregate)
	if !ok || a.Sorted || len(a.Groups) == 0 {
		return n, false
	}
	var order []plan.SortKey
	rest := slices.Clone(a.Keys())
	for len(rest) > 0 {
		next, ok := nextInOrder(a.Input, order, rest)
		if !ok {
			return n, false
		}
		order = append(order, next)
		rest = slices.DeleteFunc(rest, func(e expr.Expr) bool { return expr.Equal(e, next.Expr) })
	}
	a.Sorted = true
	return a, true
}}

// nextInOrder is one of some expressions by which rows come in order behind an order that they have.
func nextInOrder(n plan.Node, order []plan.SortKey, of []expr.Expr) (plan.SortKey, bool) {
	for _, e := range of {
		for _, k := range []plan.SortKey{{Expr: e}, {Expr: e, Desc: true, NullsFirst: true}} {
			if _, isColumn := e.(expr.Column); isColumn && comesInOrder(n, append(slices.Clip(order), k)) {
				return k, true
			}
		}
	}
	return plan.SortKey{}, false
}
