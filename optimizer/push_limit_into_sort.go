package optimizer

import "zproxy/planner/plan"

// pushLimitIntoSort lets a sort keep only the rows that a Limit above it can pass on. The
// Limit stays, since it also does the skipping.
//
//	Limit 10                Limit 10
//	└─ Project          →   └─ Project
//	   └─ Sort a               └─ Sort a most=10
//
// It must not fire through a node that drops or adds rows, such as Filter or Distinct:
// the Limit would count other rows than the sort. Nor for a Limit with ties, which passes on
// more rows than it counts.
var pushLimitIntoSort = Rule{"PushLimitIntoSort", func(_ *Options, n plan.Node) (plan.Node, bool) {
	limit, ok := n.(plan.Limit)
	if !ok || limit.Ties != nil {
		return n, false
	}
	input, ok := throughProjects(limit.Input, func(below plan.Node) (plan.Node, bool) {
		sort, ok := below.(plan.Sort)
		if !ok || sort.Most != nil || limit.Count == nil {
			return below, false
		}
		sort.Most = &plan.Limit{Count: limit.Count, Offset: limit.Offset}
		return sort, true
	})
	limit.Input = input
	return limit, ok
}}

// throughProjects rewrites the node below any Projects.
func throughProjects(n plan.Node, f func(plan.Node) (plan.Node, bool)) (plan.Node, bool) {
	p, ok := n.(plan.Project)
	if !ok {
		return f(n)
	}
	in, ok := throughProjects(p.Input, f)
	p.Input = in
	return p, ok
}
