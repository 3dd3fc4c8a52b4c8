package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// mostHashed is of how many rows the keys are kept in memory for an EXISTS.
const mostHashed = 200_000

// hashExists computes for all rows outside which of them an EXISTS finds a row for, where that reads less than to ask
// for each. What can be a semi join is one already: this is for an EXISTS under OR, or in a select list.
//
//	Filter ((SubPlan 1) OR c)             Filter ((hashed SubPlan 1) OR c)
//	└─ Scan t                             └─ Scan t
//	SubPlan 1 $0=a                    →   SubPlan 1
//	└─ Filter (b = $0)                    └─ Distinct
//	   └─ Scan u                             └─ Project b
//	                                            └─ Scan u
//
// It must not fire where anything but equalities correlates the subquery.
var hashExists = Rule{"HashExists", func(o *Options, n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Filter:
		conds, changed := slices.Clone(expr.Conjuncts(n.Cond)), false
		for i, c := range conds {
			outside := filtered(n.Input, slices.Delete(slices.Clone(conds), i, i+1))
			if better, ok := o.hashedIn(c, outside); ok {
				conds[i], changed = better, true
			}
		}
		return filtered(n.Input, conds), changed
	case plan.Project:
		return rewritten(n, func(e expr.Expr) (expr.Expr, bool) { return o.hashed(e, n.Input) })
	}
	return n, false
}}

// hashedIn is a condition on rows outside with its EXISTS as IN.
func (o *Options) hashedIn(cond expr.Expr, outside plan.Node) (out expr.Expr, changed bool) {
	out = expr.Rewrite(cond, func(e expr.Expr) expr.Expr {
		if better, ok := o.hashed(e, outside); ok {
			changed = true
			return better
		}
		return e
	})
	return out, changed
}

// hashed is an EXISTS for rows outside as an IN. It is not ok if the expression is none, or that does not pay.
func (o *Options) hashed(e expr.Expr, outside plan.Node) (expr.Expr, bool) {
	s, ok := e.(expr.Subquery)
	if !ok || s.Kind != expr.ExistsSubquery || !readsRow(s) {
		return e, false
	}
	inner, keys, ok := correlated(lookedAmong(s), argsOf(s))
	if !ok {
		return e, false
	}
	runs, each, all := o.runs(s, outside), o.perRun(inner, keys), o.perRun(inner, nil)
	if each.bound && !counted(inner) || runs*each.price <= all.price {
		return e, false
	}
	list := plan.Project{Input: inner}
	var tests []expr.Expr
	for i, k := range keys {
		c := k.Right.(expr.Column)
		list.Exprs, list.Cols = append(list.Exprs, c), append(list.Cols, plan.Column{Name: c.Name, Type: c.T})
		s.Left = append(s.Left, k.Left)
		of := expr.Column{Index: i, Name: k.Left.String(), T: k.Left.Type()}
		c.Index = len(keys) + i
		tests = append(tests, expr.Compare{Op: expr.EQ, Left: of, Right: c})
	}
	different := plan.Distinct{Input: list}
	if o.rows(different) > mostHashed {
		return e, false
	}
	s.Kind, s.Plan, s.Test, s.T = expr.AnySubquery, plan.Sub{Node: different}, expr.Conjoin(tests), types.Bool
	s.Slots, s.Args, s.Depends, s.NullIsFalse = nil, nil, nil, true
	return s, true
}

// lookedAmong are the rows that an EXISTS looks among, whatever it would list of them.
func lookedAmong(s expr.Subquery) plan.Node {
	n := s.Plan.(plan.Sub).Node
	for {
		p, ok := n.(plan.Project)
		if !ok || slices.ContainsFunc(p.Exprs, volatile) {
			return n
		}
		n = p.Input
	}
}
