package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// removeRedundantSort leaves out a sort of rows that a sort below has put in its order already.
//
//	Sort a                          Window order a, b row_number()
//	└─ Window order a, b        →   └─ Sort a, b
//	   └─ Sort a, b                    └─ Scan t
//	      └─ Scan t
//
// It must not fire where the order below is another one or is of fewer columns; nor across anything that loses it, such
// as a join or an aggregate.
var removeRedundantSort = Rule{"RemoveRedundantSort", func(_ *Options, n plan.Node) (plan.Node, bool) {
	sort, ok := n.(plan.Sort)
	if !ok || !comesInOrder(sort.Input, sort.Keys) {
		return n, false
	}
	return sort.Input, true
}}

// comesInOrder says whether a sort below puts the rows of a node in order.
func comesInOrder(n plan.Node, keys []plan.SortKey) bool {
	switch n := n.(type) {
	case plan.Sort:
		return len(keys) <= len(n.Keys) && slices.EqualFunc(keys, n.Keys[:len(keys)], func(a, b plan.SortKey) bool {
			return a.Desc == b.Desc && a.NullsFirst == b.NullsFirst && expr.Equal(a.Expr, b.Expr)
		})
	case plan.Project:
		keys, ok := keysBelow(n, keys)
		return ok && comesInOrder(n.Input, keys)
	case plan.Window:
		width := plan.Width(n.Input)
		return !slices.ContainsFunc(keys, func(k plan.SortKey) bool { return sideOf(k.Expr, width)&right != 0 }) &&
			comesInOrder(n.Input, keys)
	case plan.Filter:
		return comesInOrder(n.Input, keys)
	case plan.Limit:
		return comesInOrder(n.Input, keys)
	}
	return false
}
