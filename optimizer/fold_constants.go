package optimizer

import (
	"zproxy/planner/expr"
	"zproxy/planner/plan"
)

// foldConstants computes what does not depend on a row, so that indexes see values.
//
//	Filter (a = (1 + 2))   →   Filter (a = 3)
//
// It must not fire on a volatile or stable function, whose value belongs to the run, nor
// where the computation fails: the error belongs to the run too, and only if it gets
// there (CASE WHEN false THEN 1/0 END).
var foldConstants = Rule{"FoldConstants", func(o *Options, n plan.Node) (plan.Node, bool) {
	return mapExprs(n, func(e expr.Expr) (expr.Expr, bool) {
		changed := false
		out := expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			c, ok := fold(o, x)
			changed = changed || ok
			return c
		})
		return out, changed
	})
}}

func fold(o *Options, e expr.Expr) (expr.Expr, bool) {
	in := e.Inputs()
	if call, ok := e.(expr.Call); ok && call.Fn.Volatility != expr.Immutable || !ok && len(in) == 0 {
		return e, false
	}
	for _, x := range in {
		if _, ok := x.(expr.Const); !ok {
			return e, false
		}
	}
	v, err := e.Eval(&expr.Context{Env: o.Env}, nil)
	if err != nil {
		return e, false
	}
	return expr.Const{Value: v, T: e.Type()}, true
}

// mapExprs rewrites the expressions of a node.
func mapExprs(n plan.Node, f func(expr.Expr) (expr.Expr, bool)) (plan.Node, bool) {
	changed := false
	one := func(e expr.Expr) expr.Expr {
		if e == nil {
			return nil
		}
		out, c := f(e)
		changed = changed || c
		return out
	}
	all := func(list []expr.Expr) []expr.Expr {
		out := make([]expr.Expr, len(list))
		for i, e := range list {
			out[i] = one(e)
		}
		return out
	}
	switch n := n.(type) {
	case plan.Filter:
		n.Cond = one(n.Cond)
		return n, changed
	case plan.Project:
		n.Exprs = all(n.Exprs)
		return n, changed
	case plan.Scan:
		n.Filter = all(n.Filter)
		return n, changed
	case plan.Sort:
		keys := make([]plan.SortKey, len(n.Keys))
		for i, k := range n.Keys {
			k.Expr = one(k.Expr)
			keys[i] = k
		}
		n.Keys = keys
		return n, changed
	case plan.Aggregate:
		n.Groups = all(n.Groups)
		calls := make([]plan.AggregateCall, len(n.Calls))
		for i, c := range n.Calls {
			c.Args, c.Filter = all(c.Args), one(c.Filter)
			calls[i] = c
		}
		n.Calls = calls
		return n, changed
	}
	return n, false
}
