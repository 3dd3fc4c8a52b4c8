package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// pushFilterIntoScan gives the conditions of a Filter to the scan below it, one by one,
// where access paths are chosen by them.
//
//	Filter ((a = 1) AND (b > 2))   →   Scan t filter=(a = 1), (b > 2)
//	└─ Scan t
//
// It must not fire when the scan has its path already: the path would not know of them.
var pushFilterIntoScan = Rule{"PushFilterIntoScan", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	s, ok := f.Input.(plan.Scan)
	if !ok || s.Access != nil {
		return n, false
	}
	s.Filter = append(slices.Clone(s.Filter), expr.Conjuncts(f.Cond)...)
	return s, true
}}
