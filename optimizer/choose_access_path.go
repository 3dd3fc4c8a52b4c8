package optimizer

import (
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
)

// chooseAccessPath picks the path of a scan by the ranking rules of the access package:
// the longest matching prefix of an index, the table itself, or a Z-order box.
//
//	Scan t filter=(a = 1)   →   Index Scan using i on t, Index Cond: (a = 1)
//
// It must not fire on a scan that has its path. What no path decides stays in the path's
// filters, so a path may be poor but never wrong; with all families turned off it is a
// full scan that checks every row.
var chooseAccessPath = Rule{"ChooseAccessPath", func(o *Options, n plan.Node) (plan.Node, bool) {
	s, ok := n.(plan.Scan)
	if !ok || s.Access != nil {
		return n, false
	}
	return o.chosen(s), true
}}

// chosen is a scan with an access.
func (o *Options) chosen(s plan.Scan) plan.Scan {
	if s.Access == nil {
		a := access.Choose(s, o.Store, o.Paths, o.Env)
		s.Access = &a
	}
	return s
}
