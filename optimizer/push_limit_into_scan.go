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
// Below a join that keeps the order that was asked for, below groups that come out one after the other and below
// DISTINCT, a scan begins with the share of its rows that is probably wanted, and goes on where it must.
//
// Each scan below an Append may have all of them. It must not fire over a Sort, a Filter or an Aggregate that keeps its
// groups, which need other rows than the first ones. The scan's own filters do not matter: it counts the rows that pass
// them. Nor over a Window whose functions look at rows behind. LockRows seldom drops rows, and few rows equal the last
// one of a Limit with ties: a scan below these goes on where it must.
var pushLimitIntoScan = Rule{"PushLimitIntoScan", func(o *Options, n plan.Node) (plan.Node, bool) {
	limit, ok := n.(plan.Limit)
	if !ok || limit.Count == nil {
		return n, false
	}
	by := limiting{o, plan.Limit{Count: limit.Count, Offset: limit.Offset}, limit.Ties != nil}
	input, ok := by.limited(limit.Input)
	limit.Input = input
	return limit, ok
}}

// limiting is a Limit that scans below may stop at. Soft says that they may have to go on.
type limiting struct {
	*Options
	most plan.Limit
	soft bool
}

// limited is a node whose scans stop when they have what the Limit above them may take.
func (l limiting) limited(n plan.Node) (plan.Node, bool) {
	return throughProjects(n, func(below plan.Node) (plan.Node, bool) {
		switch n := below.(type) {
		case plan.Append:
			return eachInput(n, l.limited)
		case plan.LockRows:
			l.soft = true
			in, ok := l.limited(n.Input)
			n.Input = in
			return n, ok
		case plan.Window:
			if len(n.Run) > 0 || !ranksOnly(n) {
				return n, false
			}
			in, ok := l.limited(n.Input)
			n.Input = in
			return n, ok
		case plan.Join:
			return sharedBelow(n, n.Share)
		case plan.Aggregate:
			if !n.Sorted {
				return n, false
			}
			in, ok := sharedBelow(n.Input, l.shareOf(n))
			n.Input = in
			return n, ok
		case plan.Distinct:
			in, ok := sharedBelow(n.Input, l.shareOf(n))
			n.Input = in
			return n, ok
		case plan.Scan:
			return stopping(n, l.most, l.soft)
		}
		return below, false
	})
}

// shareOf is the share of its input that a node probably reads until it has as many rows as the Limit takes; 0: all of
// it.
func (l limiting) shareOf(n plan.Node) float64 {
	wanted, ok := cost.Wanted(&l.most, expr.Beforehand(l.Env))
	if share := float64(wanted) / math.Max(1, l.rows(n)); ok && share < 1 {
		return share
	}
	return 0
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
