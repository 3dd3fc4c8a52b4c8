package optimizer

import (
	"cmp"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// shareRequests lets the scans below a hash join that read the same partitions of one table of another program, which
// has items of several kinds, read each partition by one request: an entity and its parent lie there.
//
//	Join hash (id = order_id)     Join hash (id = order_id)
//	├─ Scan orders /"O#5"/"META"  →  ├─ Scan orders, with the requests for both
//	└─ Scan lines /"O#5"/"LINE#"     └─ Scan lines, in the requests of orders
//
// It must fire on a pair of scans only once, and not where the ranges of one leave out items of its own kind: these may
// lie between those of both, and would be read in vain.
var shareRequests = Rule{"ShareRequests", func(o *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || j.Method == nil || j.Method.Strategy != plan.Hash {
		return n, false
	}
	changed := false
	for _, member := range o.sharable(j.Right) {
		for _, leader := range o.sharable(j.Left) {
			if member.Access.Shares() || leader.Access.With != "" || !access.SamePartitions(leader, member) {
				continue
			}
			lead, join := *leader.Access, *member.Access
			lead.Estimate = cost.WithBehind(lead.Estimate, join.Estimate)
			join.Estimate = plan.Estimate{Rows: join.Estimate.Rows, Matches: join.Estimate.Matches}
			lead.Leads, join.With = true, cmp.Or(leader.Alias, leader.Table.Name)
			for _, a := range []*plan.Access{&lead, &join} {
				a.Rechosen, a.Repriced = false, false
			}
			j.Left = withAccess(j.Left, leader.Access, &lead)
			j.Right = withAccess(j.Right, member.Access, &join)
			changed = true
			break
		}
	}
	if changed {
		m := *j.Method
		m.Shares = true
		j.Method = &m
	}
	return j, changed
}}

// sharable are the scans below a node that may share their requests, with the access that they have or would get. Each
// runs whenever the node does.
func (o *Options) sharable(n plan.Node) []plan.Scan {
	switch n := n.(type) {
	case plan.Scan:
		if n.Table.Foreign == nil {
			return nil
		}
		if n = o.chosen(n); access.ReadsPartitions(n) {
			return []plan.Scan{n}
		}
	case plan.Project:
		return o.sharable(n.Input)
	case plan.Filter:
		return o.sharable(n.Input)
	case plan.Sort:
		return o.sharable(n.Input)
	case plan.Join:
		if n.Method != nil && n.Method.Strategy == plan.Hash {
			return slices.Concat(o.sharable(n.Left), o.sharable(n.Right))
		}
	}
	return nil
}

// withAccess puts one access in the place of another.
func withAccess(n plan.Node, old, now *plan.Access) plan.Node {
	if s, ok := n.(plan.Scan); ok {
		if s.Access == old {
			s.Access = now
		}
		return s
	}
	in := slices.Clone(n.Inputs())
	for i := range in {
		in[i] = withAccess(in[i], old, now)
	}
	return n.WithInputs(in)
}

// mayShare says whether the right side of a join shares its requests with a scan of the left one. A lookup of partners
// that bounds more of its keys must not read much less.
func (o *Options) mayShare(j sized) bool {
	scan, ok := j.Right.(plan.Scan)
	if !ok {
		return false
	}
	members := o.sharable(scan)
	if len(members) == 0 ||
		narrows(j.Join, members[0]) && o.scanned(members[0]).Rows > j.left*cost.RangeRows {
		return false
	}
	return slices.ContainsFunc(o.sharable(j.Left),
		func(s plan.Scan) bool { return access.SamePartitions(s, members[0]) })
}

// anyShare says whether two of some inputs may share their requests.
func (o *Options) anyShare(inputs []plan.Node) bool {
	var before []plan.Scan
	for _, n := range inputs {
		for _, s := range o.sharable(n) {
			if slices.ContainsFunc(before, func(b plan.Scan) bool { return access.SamePartitions(b, s) }) {
				return true
			}
			before = append(before, s)
		}
	}
	return false
}

// narrows says whether equalities of a join bound columns of the key of its right side that the spans of that do not.
func narrows(j plan.Join, right plan.Scan) bool {
	return slices.ContainsFunc(j.Method.Keys, func(k plan.JoinKey) bool {
		c, ok := k.Right.(expr.Column)
		return ok && !access.Bounds(right, right.Table.Columns[right.Reads[c.Index]].ID)
	})
}
