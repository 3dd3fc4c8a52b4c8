package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// disjunctionToIn makes one IN of equalities on the same column joined by OR, which an
// index then reads as points.
//
//	Filter ((a = 1) OR (a = 2))   →   Filter (a IN (1, 2))
//
// It must not fire when the arguments are on different columns, or when a value reads a
// column itself.
var disjunctionToIn = Rule{"DisjunctionToIn", func(_ *Options, n plan.Node) (plan.Node, bool) {
	return rewritten(n, inOf)
}}

func inOf(e expr.Expr) (expr.Expr, bool) {
	or, ok := e.(expr.Logic)
	if !ok || !or.Or {
		return nil, false
	}
	in := expr.In{}
	for _, arg := range or.Args {
		column, values, ok := points(arg)
		if !ok || in.Arg != nil && !expr.Equal(in.Arg, column) {
			return nil, false
		}
		in.Arg = column
		in.List = append(in.List, values...)
	}
	return in, true
}

// points reads column = value and column IN (values).
func points(e expr.Expr) (column expr.Expr, values []expr.Expr, ok bool) {
	switch e := e.(type) {
	case expr.Compare:
		c, isColumn := e.Left.(expr.Column)
		return c, []expr.Expr{e.Right}, isColumn && e.Op == expr.EQ && expr.Fixed(e.Right)
	case expr.In:
		c, isColumn := e.Arg.(expr.Column)
		for _, v := range e.List {
			isColumn = isColumn && expr.Fixed(v)
		}
		return c, e.List, isColumn && !e.Not
	}
	return nil, nil, false
}
