package optimizer

import (
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// pushLimitIntoScan lets a scan stop reading once a Limit above it has enough rows. The
// Limit stays, since it also does the skipping.
//
//	Limit 10 offset 5       Limit 10 offset 5
//	└─ Project          →   └─ Project
//	   └─ Scan t               └─ Scan t most=15
//
// It must not fire over a Sort, a Filter, an Aggregate or a Distinct, which need other
// rows than the first ones. The scan's own filters do not matter: it counts the rows
// that pass them.
var pushLimitIntoScan = Rule{"PushLimitIntoScan", func(_ *Options, n plan.Node) (plan.Node, bool) {
	limit, ok := n.(plan.Limit)
	if !ok || limit.Count == nil || limit.Ties != nil {
		return n, false
	}
	input, ok := throughProjects(limit.Input, func(below plan.Node) (plan.Node, bool) {
		scan, ok := below.(plan.Scan)
		if !ok || scan.Access == nil || scan.Access.Most != nil {
			return below, false
		}
		a := cost.Limited(*scan.Access, &plan.Limit{Count: limit.Count, Offset: limit.Offset})
		scan.Access = &a
		return scan, true
	})
	limit.Input = input
	return limit, ok
}}
