package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// readNearest finds the rows that are nearest to something fixed by boxes of a Z-order index around it, which grow
// until they have enough rows.
//
//	Sort p <-> c most=10       Nearest p <-> c most=10
//	└─ Scan t              →   ├─ Z-Order Scan using t_p on t, p <-> c <= radius
//	                           └─ Scan t
//
// It must not fire where the distance is not the first key, or where NULL comes first: other rows than those within
// a radius would come first. Nor on rows that are locked, as those of rounds that were too small would be, or where
// something volatile would be computed in each round.
var readNearest = Rule{"ReadNearest", func(o *Options, n plan.Node) (plan.Node, bool) {
	sort, ok := n.(plan.Sort)
	if !ok || sort.Most == nil || sort.Keys[0].Desc || sort.Keys[0].NullsFirst {
		return n, false
	}
	near := plan.Nearest{All: sort.Input, Keys: sort.Keys, Most: sort.Most, Slot: o.slot()}
	input, ok := repeatable(sort.Input, sort.Keys[0].Expr, func(s plan.Scan, distance expr.Expr) (plan.Node, bool) {
		return o.around(s, distance, &near)
	})
	near.Near = input
	return near, ok
}}

// repeatable rewrites the scan of which a node has the rows, if these may be computed several times. A key over the
// node becomes one over the scan.
func repeatable(n plan.Node, key expr.Expr, f func(plan.Scan, expr.Expr) (plan.Node, bool)) (plan.Node, bool) {
	again := func(list ...expr.Expr) bool {
		return !slices.ContainsFunc(list, func(e expr.Expr) bool { return volatile(e) || holdsSubquery(e) })
	}
	switch n := n.(type) {
	case plan.Project:
		if !again(n.Exprs...) {
			return n, false
		}
		in, ok := repeatable(n.Input, substitute(key, n.Exprs), f)
		n.Input = in
		return n, ok
	case plan.Scan:
		if n.Access != nil || n.Write || n.Marked > 0 || !again(n.Filter...) {
			return n, false
		}
		return f(n, key)
	}
	return n, false
}

// around is a scan of the rows within a radius, where a box finds them for less than all rows cost.
func (o *Options) around(s plan.Scan, distance expr.Expr, n *plan.Nearest) (plan.Node, bool) {
	column, ok := n.From(distance)
	if !ok {
		return s, false
	}
	all := access.Choose(s, o.Store, o.Paths, o.Env)
	near := cost.Nearby{Nearest: n, Table: s.Table, Rows: all.Estimate.Matches}
	if !near.SpreadEvenly(s.Table.Columns[s.Reads[column.Index]].ID, column.T) {
		return s, false
	}
	s.Filter = append(slices.Clone(s.Filter), n.Within(distance))
	a := access.Choose(s, o.Store, o.Paths, o.Env)
	sides := sidesBy(&a, n.Slot)
	if sides == nil || near.Rounds(&a) >= cost.AllRows(&all) {
		return s, false
	}
	values := expr.Beforehand(o.Env)
	if len(slotsOf(s.Filter)) == 1 && near.SpreadAround(sides, values) { // others have no values yet
		a = access.Given(s, o.Store, o.Paths, values)
	}
	a.Rechosen, a.Repriced = false, false
	s.Access = &a
	return s, true
}

// sidesBy are the sides of the box, or the first box, that a path reads which depend on a slot.
func sidesBy(a *plan.Access, slot int) (out []plan.Bound) {
	box, ok := a.Path.(plan.Box)
	if !ok {
		return nil
	}
	for _, b := range box.Sides[0] {
		if slices.ContainsFunc(b.Terms, func(t plan.Term) bool { return slices.Contains(slotsOf(t.Args), slot) }) {
			out = append(out, b)
		}
	}
	return out
}
