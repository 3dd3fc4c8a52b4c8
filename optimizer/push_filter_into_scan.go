package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/leakproof"
	"zproxy/planner/plan"
)

// pushFilterIntoScan gives the conditions of a Filter to the scan below it, one by one,
// where access paths are chosen by them.
//
//	Filter ((a = 1) AND (b > 2))   →   Scan t filter=(a = 1), (b > 2)
//	└─ Scan t
//
// It must not fire when the scan has its path already: the path would not know of them. A scan that is a barrier takes
// no condition that may show what a row holds: it would be asked of rows that the statement must not see.
var pushFilterIntoScan = Rule{"PushFilterIntoScan", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	s, ok := f.Input.(plan.Scan)
	if !ok || s.Access != nil {
		return n, false
	}
	var down, stay []expr.Expr
	for _, c := range expr.Conjuncts(f.Cond) {
		if s.Barrier && !leakproof.Is(c) {
			stay = append(stay, c)
		} else {
			down = append(down, c)
		}
	}
	if len(down) == 0 {
		return n, false
	}
	s.Filter = append(slices.Clone(s.Filter), down...)
	return filtered(s, stay), true
}}
