package optimizer

import (
	"math"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// pushLimitIntoScan lets a scan stop reading once a Limit above it has enough rows. The
// Limit stays, since it also does the skipping.
//
//	Limit 10 offset 5       Limit 10 offset 5
//	└─ Project          →   └─ Project
//	   └─ Scan t               └─ Scan t most=15
//
// Below a join that keeps the order that was asked for, a scan begins with the share of its rows that is probably
// wanted.
//
// Each scan below an Append may have all of them. It must not fire over a Sort, a Filter, an Aggregate or a
// Distinct, which need other rows than the first ones. The scan's own filters do not matter: it counts the rows
// that pass them. Nor over a Window whose functions look at rows behind. LockRows seldom drops rows, and few rows equal
// the last one of a Limit with ties: a scan below these goes on where it must.
var pushLimitIntoScan = Rule{"PushLimitIntoScan", func(_ *Options, n plan.Node) (plan.Node, bool) {
	limit, ok := n.(plan.Limit)
	if !ok || limit.Count == nil {
		return n, false
	}
	input, ok := limited(limit.Input, plan.Limit{Count: limit.Count, Offset: limit.Offset}, limit.Ties != nil)
	limit.Input = input
	return limit, ok
}}

// limited is a node whose scans stop when they have what a Limit above them may take.
func limited(n plan.Node, most plan.Limit, soft bool) (plan.Node, bool) {
	return throughProjects(n, func(below plan.Node) (plan.Node, bool) {
		switch n := below.(type) {
		case plan.Append:
			return eachInput(n, func(in plan.Node) (plan.Node, bool) { return limited(in, most, soft) })
		case plan.LockRows:
			in, ok := limited(n.Input, most, true)
			n.Input = in
			return n, ok
		case plan.Window:
			if len(n.Run) > 0 || !ranksOnly(n) {
				return n, false
			}
			in, ok := limited(n.Input, most, soft)
			n.Input = in
			return n, ok
		case plan.Join:
			return sharedBelow(n, n.Share)
		case plan.Scan:
			return stopping(n, most, soft)
		}
		return below, false
	})
}

// stopping is a scan that stops when it has what a Limit may take.
func stopping(n plan.Scan, most plan.Limit, soft bool) (plan.Node, bool) {
	if n.Access == nil || n.Access.Most != nil {
		return n, false
	}
	a := cost.Limited(*n.Access, &most)
	a.Soft = soft
	n.Access = &a
	return n, true
}

// sharedBelow is what a join keeps the order of, of whose rows a share is probably wanted: a scan below begins with so
// many. 0: it is not known.
func sharedBelow(n plan.Node, share float64) (plan.Node, bool) {
	if share <= 0 {
		return n, false
	}
	return throughProjects(n, func(below plan.Node) (plan.Node, bool) {
		switch n := below.(type) {
		case plan.Join:
			if !n.Keeps {
				return n, false
			}
			l, ok := sharedBelow(n.Left, share)
			r, both := n.Right, false
			if n.Method != nil && n.Method.Strategy == plan.Merged {
				r, both = sharedBelow(n.Right, share)
			}
			n.Left, n.Right = l, r
			return n, ok || both
		case plan.Scan:
			if n.Access == nil {
				return n, false
			}
			count := int64(math.Ceil(share * n.Access.Estimate.Matches))
			return stopping(n, plan.Limit{Count: expr.Const{Value: types.NewInt(count), T: types.Int8}}, true)
		}
		return below, false
	})
}
