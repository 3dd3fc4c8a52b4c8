package optimizer

import (
	"zproxy/planner/plan"
)

// pushFilterThroughProject checks a condition before a select list is computed, on what
// the list is computed from, so that it can reach the scan of a subquery.
//
//	Filter (x > 5)              Project x = (a + 1)
//	└─ Project x = (a + 1)  →   └─ Filter ((a + 1) > 5)
//	   └─ ...                      └─ ...
//
// It must not fire when the condition reads a volatile expression of the list: that would
// be computed twice and differ.
var pushFilterThroughProject = Rule{"PushFilterThroughProject", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	p, ok := f.Input.(plan.Project)
	if !ok {
		return n, false
	}
	if readsVolatile(f.Cond, p.Exprs) {
		return n, false
	}
	f.Cond = substitute(f.Cond, p.Exprs)
	f.Input = p.Input
	p.Input = f
	return p, true
}}
