package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// factorDisjunction takes a condition that all arms of an OR ask for out of it, so that it can bound a scan or join two
// inputs. An arm that asks for nothing else makes the rest of the OR true.
//
//	Filter (((a = b) AND (c = 1)) OR ((a = b) AND (c = 2)))   →   Filter ((a = b) AND ((c = 1) OR (c = 2)))
//
// It must not fire on a volatile condition, which has a value of its own in each arm.
var factorDisjunction = Rule{"FactorDisjunction", func(_ *Options, n plan.Node) (plan.Node, bool) {
	return rewritten(n, factored)
}}

func factored(e expr.Expr) (expr.Expr, bool) {
	arms := disjuncts(e)
	if len(arms) < 2 {
		return nil, false
	}
	var common []expr.Expr
	for _, c := range expr.Conjuncts(arms[0]) {
		lacks := func(arm expr.Expr) bool { return !among(expr.Conjuncts(arm), c) }
		if !volatile(c) && !among(common, c) && !slices.ContainsFunc(arms, lacks) {
			common = append(common, c)
		}
	}
	if len(common) == 0 {
		return nil, false
	}
	rest := expr.Logic{Or: true}
	for _, arm := range arms {
		own := slices.DeleteFunc(expr.Conjuncts(arm), func(c expr.Expr) bool { return among(common, c) })
		if len(own) == 0 {
			return expr.Conjoin(common), true
		}
		rest.Args = append(rest.Args, expr.Conjoin(own))
	}
	return expr.Conjoin(append(common, rest)), true
}

// disjuncts are the arms of an OR; nil: it is none.
func disjuncts(e expr.Expr) []expr.Expr {
	or, ok := e.(expr.Logic)
	if !ok || !or.Or {
		return nil
	}
	var arms []expr.Expr
	for _, arg := range or.Args {
		if within := disjuncts(arg); within != nil {
			arms = append(arms, within...)
		} else {
			arms = append(arms, arg)
		}
	}
	return arms
}
