package optimizer

import "zproxy/planner/plan"

// dropBarrier takes a barrier away when no condition goes below it any more.
//
//	Barrier
//	└─ Join      →   Join
//
// It must not fire before the joins are ordered: their conditions go to their inputs until then.
var dropBarrier = Rule{"DropBarrier", func(_ *Options, n plan.Node) (plan.Node, bool) {
	if b, ok := n.(plan.Barrier); ok {
		return b.Input, true
	}
	return n, false
}}
