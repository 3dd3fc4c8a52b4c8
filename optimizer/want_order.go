package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// wantOrder tells a scan in which order a Sort above it would like the rows, so that a
// path that delivers it can be preferred.
//
//	Sort a, b DESC     Sort a, b DESC
//	└─ Scan t      →   └─ Scan t order=a, b DESC
//
// It must not fire when a key is an expression, which no index orders by.
var wantOrder = Rule{"WantOrder", func(_ *Options, n plan.Node) (plan.Node, bool) {
	sort, ok := n.(plan.Sort)
	if !ok {
		return n, false
	}
	scan, ok := sort.Input.(plan.Scan)
	if !ok || scan.Order != nil || scan.Access != nil {
		return n, false
	}
	for _, k := range sort.Keys {
		c, ok := k.Expr.(expr.Column)
		if !ok {
			return n, false
		}
		scan.Order = append(scan.Order, plan.Order{Column: scan.Reads[c.Index], Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	scan.Few = sort.Most != nil
	sort.Input = scan
	return sort, true
}}
