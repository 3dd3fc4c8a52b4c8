package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// known are conditions over the columns of a plan that are true of all of its rows: what can be told of the filters
// within it.
func known(n plan.Node) []expr.Expr {
	switch n := n.(type) {
	case plan.Scan:
		return n.Filter
	case plan.Filter:
		return append(slices.Clone(expr.Conjuncts(n.Cond)), known(n.Input)...)
	case plan.Project:
		return knownOf(n.Input, n.Exprs)
	case plan.Aggregate:
		return knownOf(n.Input, n.Groups)
	case plan.Join:
		return knownOfJoin(n)
	case plan.With:
		return known(n.Input)
	case plan.Sort, plan.Limit, plan.Distinct, plan.LockRows, plan.Barrier:
		return known(n.Inputs()[0])
	}
	return nil
}

// knownOf are what is known of an input, over a list of expressions of which some are its columns.
func knownOf(input plan.Node, list []expr.Expr) []expr.Expr {
	at := map[int]int{}
	for i, e := range list {
		if c, ok := e.(expr.Column); ok {
			at[c.Index] = i
		}
	}
	var out []expr.Expr
	for _, c := range known(input) {
		used := map[int]bool{}
		expr.Columns(c, used)
		kept := true
		for i := range used {
			_, ok := at[i]
			kept = kept && ok
		}
		if kept {
			out = append(out, expr.Renumber(c, func(i int) int { return at[i] }))
		}
	}
	return out
}

func knownOfJoin(j plan.Join) []expr.Expr {
	switch {
	case plainInner(j):
		return knownBelow(j)
	case j.Method == nil && keepsLeft(j.Kind):
		return known(j.Left)
	}
	return nil
}

// knownBelow are conditions over the columns of both sides of a join, without slots, that are true of each pair of
// rows that are partners.
func knownBelow(j plan.Join) []expr.Expr {
	out := slices.Concat(known(j.Left), expr.Conjuncts(j.On))
	for _, c := range known(j.Right) {
		out = append(out, expr.Shift(c, plan.Width(j.Left)))
	}
	return out
}

// meets says whether a plan has a filter with a condition on its columns, anywhere that the rules push one to.
func meets(o *Options, n plan.Node, cond expr.Expr) bool {
	if alwaysTrue(cond) {
		return true
	}
	if parts := expr.Conjuncts(cond); len(parts) > 1 { // of a column that is computed
		return !slices.ContainsFunc(parts, func(part expr.Expr) bool { return !meets(o, n, part) })
	}
	all := func(n plan.Node) bool { return meets(o, n, cond) }
	switch n := n.(type) {
	case plan.Scan:
		return among(n.Filter, cond)
	case plan.Filter:
		return among(expr.Conjuncts(n.Cond), cond) || all(n.Input)
	case plan.Project:
		below := onInput(o, []expr.Expr{cond}, n.Exprs)
		return len(below) == 0 || meets(o, n.Input, below[0])
	case plan.Join:
		return meetsInJoin(o, n, cond)
	case plan.With:
		return all(n.Input)
	}
	pass := passable(n)
	if pass == nil || !pass(cond) {
		return false
	}
	if a, ok := n.(plan.Aggregate); ok {
		return meets(o, a.Input, substitute(cond, a.Groups))
	}
	return !slices.ContainsFunc(n.Inputs(), func(in plan.Node) bool { return !all(in) })
}

func meetsInJoin(o *Options, j plan.Join, cond expr.Expr) bool {
	width := plan.Width(j.Left)
	switch s := sideOf(cond, width); {
	case s&right == 0 && keepsLeft(j.Kind):
		return meets(o, j.Left, cond)
	case s == right && keepsRight(j.Kind):
		return meets(o, j.Right, expr.Shift(cond, -width))
	}
	return j.Kind == plan.InnerJoin && among(expr.Conjuncts(j.On), cond)
}

// among says whether a condition is one of a list.
func among(conds []expr.Expr, cond expr.Expr) bool {
	return slices.ContainsFunc(conds, func(c expr.Expr) bool { return expr.Equal(c, cond) })
}
