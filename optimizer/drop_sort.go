package optimizer

import "zproxy/planner/plan"

// dropSort leaves out a sort whose input comes in its order already.
//
//	Sort a                        Index Scan using t_a on t
//	└─ Index Scan using t_a   →
//
// It must not fire when the path brings only a part of the keys, or another order of
// NULLs: Access.Ordered says whether it brings all that was asked for. Nor while the path waits
// for values, by which it may become another one.
var dropSort = Rule{"DropSort", func(_ *Options, n plan.Node) (plan.Node, bool) {
	sort, ok := n.(plan.Sort)
	if !ok {
		return n, false
	}
	scan, ok := sort.Input.(plan.Scan)
	if !ok || scan.Access == nil || !scan.Access.Ordered || scan.Access.Rechosen {
		return n, false
	}
	return scan, true
}}
