package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// mergeProjects makes one select list of two.
//
//	Project y = (x + 1)          Project y = (a + 1)
//	└─ Project x = a, z = b  →   └─ Scan t
//	   └─ Scan t
//
// It must not fire when something that is computed below is read twice above, which would
// compute it twice, or when it is volatile.
var mergeProjects = Rule{"MergeProjects", func(_ *Options, n plan.Node) (plan.Node, bool) {
	p, ok := n.(plan.Project)
	if !ok {
		return n, false
	}
	below, ok := p.Input.(plan.Project)
	if !ok {
		return n, false
	}
	read := map[int]int{}
	for _, e := range p.Exprs {
		expr.Any(e, func(x expr.Expr) bool {
			if c, ok := x.(expr.Column); ok {
				read[c.Index]++
			}
			return false
		})
	}
	for i, e := range below.Exprs {
		if volatile(e) || read[i] > 1 && len(e.Inputs()) > 0 || read[i] > 1 && holdsSubquery(e) {
			return n, false
		}
	}
	out := make([]expr.Expr, len(p.Exprs))
	for i, e := range p.Exprs {
		out[i] = substitute(e, below.Exprs)
	}
	p.Exprs, p.Input = out, below.Input
	return p, true
}}
