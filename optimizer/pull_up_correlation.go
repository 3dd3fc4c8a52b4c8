package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// pullUpCorrelation makes a condition inside a lateral join that compares with the left
// row a condition of the join. A join that then needs no values of the left row is a
// join like others.
//
//	Semi Join $0=a                 Semi Join on (b = a)
//	├─ Scan t                  →   ├─ Scan t
//	└─ Filter (b = $0)             └─ Scan u
//	   └─ Scan u
//
// It must not fire through anything that the condition would change the rows of: an
// Aggregate, a Limit, a Window, DISTINCT ON, a volatile select list, or the rows that an inner outer join fills.
var pullUpCorrelation = Rule{"PullUpCorrelation", func(_ *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || len(j.Slots) == 0 || j.Method != nil {
		return n, false
	}
	values := leftValues(j)
	if j.Kind == plan.SemiJoin || j.Kind == plan.AntiJoin {
		j = withoutList(j)
	}
	inner, pulled, ok := pull(j.Right, values)
	if !ok {
		return n, false
	}
	width := plan.Width(j.Left)
	conds := slices.Clone(expr.Conjuncts(j.On))
	for _, c := range pulled {
		conds = append(conds, expr.Shift(c, width))
	}
	for i, c := range conds {
		conds[i] = unslot(c, values)
	}
	j.Right, j.On = inner, expr.Conjoin(conds)
	j.Slots = stillRead(j.Slots, inner)
	return j, true
}}

// withoutList drops the select list of the right side of a join that does not deliver it:
// the condition then computes what it needs of the list.
func withoutList(j plan.Join) plan.Join {
	p, ok := j.Right.(plan.Project)
	if !ok || slices.ContainsFunc(p.Exprs, func(e expr.Expr) bool { return volatile(e) || holdsSubquery(e) }) {
		return j
	}
	columns := columnsAsExprs(j.Left)
	for _, e := range p.Exprs {
		columns = append(columns, expr.Shift(e, plan.Width(j.Left)))
	}
	if j.On != nil {
		j.On = substitute(j.On, columns)
	}
	j.Right = p.Input
	return j
}

// pull takes the conditions that read slots out of a Filter at the top of a plan.
func pull(n plan.Node, slots map[int]expr.Expr) (plan.Node, []expr.Expr, bool) {
	switch n := n.(type) {
	case plan.Filter:
		var pulled, stay []expr.Expr
		for _, c := range expr.Conjuncts(n.Cond) {
			if readsAny(c, slots) && !volatile(c) && !holdsSubquery(c) {
				pulled = append(pulled, c)
			} else {
				stay = append(stay, c)
			}
		}
		return filtered(n.Input, stay), pulled, len(pulled) > 0
	case plan.Project:
		return pullThrough(n, slots)
	}
	return n, nil, false
}

// pullThrough takes conditions through a select list that has the columns that they read.
func pullThrough(p plan.Project, slots map[int]expr.Expr) (plan.Node, []expr.Expr, bool) {
	f, ok := p.Input.(plan.Filter)
	if !ok || slices.ContainsFunc(p.Exprs, volatile) {
		return p, nil, false
	}
	ordinals := map[int]int{}
	for i, e := range p.Exprs {
		if c, ok := e.(expr.Column); ok {
			ordinals[c.Index] = i
		}
	}
	var pulled, stay []expr.Expr
	for _, c := range expr.Conjuncts(f.Cond) {
		if readsAny(c, slots) && !volatile(c) && !holdsSubquery(c) && allKept(c, ordinals) {
			pulled = append(pulled, expr.Renumber(c, func(i int) int { return ordinals[i] }))
		} else {
			stay = append(stay, c)
		}
	}
	p.Input = filtered(f.Input, stay)
	return p, pulled, len(pulled) > 0
}

func allKept(e expr.Expr, ordinals map[int]int) bool {
	used := map[int]bool{}
	expr.Columns(e, used)
	for i := range used {
		if _, ok := ordinals[i]; !ok {
			return false
		}
	}
	return true
}

func readsAny(e expr.Expr, slots map[int]expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		o, ok := x.(expr.Outer)
		return ok && slots[o.Slot] != nil
	})
}

// unslot puts the values of the left row in place of their slots.
func unslot(e expr.Expr, values map[int]expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if o, ok := x.(expr.Outer); ok && values[o.Slot] != nil {
			return values[o.Slot]
		}
		return x
	})
}

// readsSlot says whether a plan reads a slot anywhere.
func readsSlot(n plan.Node, slot int) bool {
	found := false
	plan.MapExprs(n, func(e expr.Expr) (expr.Expr, bool) {
		found = found || expr.Any(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case expr.Outer:
				return x.Slot == slot
			case expr.Subquery:
				return slices.Contains(x.Depends, slot)
			}
			return false
		})
		return e, false
	})
	for _, in := range n.Inputs() {
		found = found || readsSlot(in, slot)
	}
	return found
}
