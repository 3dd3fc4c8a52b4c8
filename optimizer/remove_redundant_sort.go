package optimizer

import "zproxy/planner/plan"

// removeRedundantSort leaves out a sort of rows that a sort below has put in its order already.
//
//	Sort a                          Window order a, b row_number()
//	└─ Window order a, b        →   └─ Sort a, b
//	   └─ Sort a, b                    └─ Scan t
//	      └─ Scan t
//
// It must not fire where the order below is another one or is of fewer columns; nor across anything that loses it, such
// as a set operation.
var removeRedundantSort = Rule{"RemoveRedundantSort", func(_ *Options, n plan.Node) (plan.Node, bool) {
	sort, ok := n.(plan.Sort)
	if !ok || !comesInOrder(sort.Input, sort.Keys) {
		return n, false
	}
	return sort.Input, true
}}
