package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// pullUpList takes a select list that reads the left row out of the right side of a lateral join, which then may not be
// lateral any more.
//
//	Join on (b = x) $0=a           Project a, b, x = a
//	├─ Scan t                  →   └─ Join on (b = a)
//	└─ Project b, x = $0              ├─ Scan t
//	   └─ Scan u                      └─ Scan u
//
// It must not fire on an outer join, whose rows without a partner have NULL, nor on a list that is volatile or holds a
// subquery.
var pullUpList = Rule{"PullUpList", func(_ *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || len(j.Slots) == 0 || j.Method != nil || j.Kind != plan.InnerJoin {
		return n, false
	}
	values := leftValues(j)
	p, ok := j.Right.(plan.Project)
	if !ok || !slices.ContainsFunc(p.Exprs, func(e expr.Expr) bool { return readsAny(e, values) }) ||
		slices.ContainsFunc(p.Exprs, func(e expr.Expr) bool { return volatile(e) || holdsSubquery(e) }) {
		return n, false
	}
	list := columnsAsExprs(j.Left)
	for _, e := range p.Exprs {
		list = append(list, unslot(expr.Shift(e, plan.Width(j.Left)), values))
	}
	out := plan.Project{Exprs: list, Cols: j.Columns()}
	j.Right = p.Input
	if j.On != nil {
		j.On = substitute(j.On, list)
	}
	j.Slots = stillRead(j.Slots, j.Right)
	out.Input = j
	return out, true
}}

// stillRead are the slots that a plan reads.
func stillRead(slots []plan.Slot, n plan.Node) (out []plan.Slot) {
	for _, s := range slots {
		if readsSlot(n, s.Number) {
			out = append(out, s)
		}
	}
	return out
}
