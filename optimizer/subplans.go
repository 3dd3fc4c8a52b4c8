package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// What an Append reads may depend on values of the run: an input is left out whose conditions, with these values,
// contradict what its table declares.

// pruned is an Append without the inputs that have no rows for the values of the run.
func (s *choice) pruned(a plan.Append) (plan.Node, bool) {
	in := slices.DeleteFunc(slices.Clone(a.In), func(n plan.Node) bool {
		scan, ok := appendedScan(n)
		return ok && prunable(scan) && contradicted(scan, s.value)
	})
	if len(in) == len(a.In) {
		return a, false
	}
	a.In, a.Removed = in, a.Removed+len(a.In)-len(in)
	return a, true
}

// value replaces what has a value when the run begins: a parameter, a function that has one value for the run, and what
// is computed of these.
func (s *choice) value(e expr.Expr) expr.Expr {
	call, isCall := e.(expr.Call)
	stable := isCall && call.Fn.Volatility == expr.Stable && !slices.ContainsFunc(call.Args, notConstant)
	if _, param := e.(expr.Param); !param && !stable {
		out, _ := expr.Fold(e, s.options.Env)
		return out
	}
	v, err := e.Eval(s.known, nil)
	if err != nil {
		return e // the run says it, if it gets there
	}
	return expr.Const{Value: v, T: e.Type()}
}

func notConstant(e expr.Expr) bool {
	_, ok := e.(expr.Const)
	return !ok
}

// prunes says whether a value of the run may leave out an input of an Append.
func prunes(n plan.Node) bool {
	if a, ok := n.(plan.Append); ok && slices.ContainsFunc(a.In, func(n plan.Node) bool {
		scan, ok := appendedScan(n)
		return ok && prunable(scan)
	}) {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), prunes)
}

// prunesBelow is that of the subqueries in the expressions of a plan.
func prunesBelow(n plan.Node) bool {
	return slices.ContainsFunc(plan.Subqueries(n), func(q expr.Subquery) bool {
		sub := q.Plan.(plan.Sub).Node
		return prunes(sub) || prunesBelow(sub)
	}) || slices.ContainsFunc(n.Inputs(), prunesBelow)
}

// prunable says whether a scan has conditions, with values of the run, that what its table declares or each other may
// contradict, or that do not depend on the row.
func prunable(s plan.Scan) bool {
	related := leavable(s) || twiceBound(s.Filter)
	return slices.ContainsFunc(s.Filter, func(c expr.Expr) bool { return (related || rowless(c)) && waits(c) })
}

// waits says whether a condition has values of the run.
func waits(cond expr.Expr) bool {
	return expr.Any(cond, func(x expr.Expr) bool {
		_, param := x.(expr.Param)
		call, ok := x.(expr.Call)
		return param || ok && call.Fn.Volatility == expr.Stable
	})
}

// rowless says whether a condition reads no row, neither one of the scan nor one outside.
func rowless(cond expr.Expr) bool {
	return expr.Fixed(cond) && !holdsSubquery(cond) && !expr.Any(cond, func(x expr.Expr) bool {
		_, outer := x.(expr.Outer)
		return outer
	})
}

// appendedScan is the scan of which an input of an Append has the rows.
func appendedScan(n plan.Node) (plan.Scan, bool) {
	switch n := n.(type) {
	case plan.Scan:
		return n, true
	case plan.Project:
		return appendedScan(n.Input)
	case plan.Filter:
		return appendedScan(n.Input)
	case plan.Sort:
		return appendedScan(n.Input)
	}
	return plan.Scan{}, false
}
