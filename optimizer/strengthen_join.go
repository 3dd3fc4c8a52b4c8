package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// strengthenJoin makes an outer join an inner one, or a full one a left or right one, where
// a condition above drops the rows without a partner.
//
//	Filter (u.b > 5)          Filter (u.b > 5)
//	└─ Left Join          →   └─ Join
//	   ├─ Scan t                 ├─ Scan t
//	   └─ Scan u                 └─ Scan u
//
// It must not fire on a condition that NULLs may pass, such as u.b IS NULL or
// coalesce(u.b, 9) > 5.
var strengthenJoin = Rule{"StrengthenJoin", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	j, ok := f.Input.(plan.Join)
	if !ok || j.Kind != plan.LeftJoin && j.Kind != plan.RightJoin && j.Kind != plan.FullJoin {
		return n, false
	}
	width := plan.Width(j.Left)
	kind := j.Kind.Strengthened(expr.Conjuncts(f.Cond), func(i int) bool { return i < width },
		func(i int) bool { return i >= width })
	if kind == j.Kind {
		return n, false
	}
	j.Kind = kind
	f.Input = j
	return f, true
}}
