package optimizer

import "zproxy/planner/plan"

// pushLimitIntoSort lets a sort keep only the rows that a Limit above it can pass on. The
// Limit stays, since it also does the skipping.
//
//	Limit 10                Limit 10
//	└─ Project          →   └─ Project
//	   └─ Sort a               └─ Sort a most=10
//
// It must not fire through a node that drops or adds rows, such as Filter or Distinct: the Limit would count other rows
// than the sort; nor through a Window whose functions look at rows behind. LockRows seldom drops rows, and a Limit with
// ties seldom passes on many more than it counts: a sort below these keeps all, but the first ones are probably enough.
var pushLimitIntoSort = Rule{"PushLimitIntoSort", func(_ *Options, n plan.Node) (plan.Node, bool) {
	limit, ok := n.(plan.Limit)
	if !ok || limit.Count == nil {
		return n, false
	}
	most := plan.Limit{Count: limit.Count, Offset: limit.Offset}
	limit.Input, ok = limitedSort(limit.Input, most, limit.Ties != nil)
	return limit, ok
}}

// limitedSort is a node whose sort keeps what a Limit above it may take. Below LockRows and a Limit with ties that is
// not known.
func limitedSort(n plan.Node, most plan.Limit, few bool) (plan.Node, bool) {
	return throughProjects(n, func(below plan.Node) (plan.Node, bool) {
		switch n := below.(type) {
		case plan.LockRows:
			in, ok := limitedSort(n.Input, most, true)
			n.Input = in
			return n, ok
		case plan.Window:
			if len(n.Run) > 0 || !ranksOnly(n) {
				return n, false
			}
			in, ok := limitedSort(n.Input, most, few)
			n.Input = in
			return n, ok
		case plan.Sort:
			if n.Most != nil || n.Few {
				return n, false
			}
			if n.Few = few; !few {
				n.Most = &most
			}
			return n, true
		}
		return below, false
	})
}

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
