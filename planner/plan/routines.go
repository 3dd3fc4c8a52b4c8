package plan

import "zproxy/expr"

// Routines are the functions that are not built in which a plan calls, once for each call.
func Routines(n Node) (out []*expr.Function) {
	for _, e := range append(Exprs(n), steps(n)...) {
		expr.Any(e, func(x expr.Expr) bool {
			if c, ok := x.(expr.Call); ok && c.Fn.Routine != nil {
				out = append(out, c.Fn)
			}
			return false
		})
	}
	for _, in := range n.Inputs() {
		out = append(out, Routines(in)...)
	}
	for _, s := range Subqueries(n) {
		out = append(out, Routines(s.Plan.(Sub).Node)...)
	}
	return out
}

// steps are the calls of the functions that the aggregates of a node are made of.
func steps(n Node) (out []expr.Expr) {
	switch n := n.(type) {
	case Aggregate:
		return stepsOf(n.Calls)
	case GroupingSets:
		return stepsOf(n.Calls)
	case Window:
		for _, c := range n.Calls {
			if c.Aggregate != nil {
				out = append(out, c.Aggregate.Steps...)
			}
		}
	}
	return out
}

func stepsOf(calls []AggregateCall) (out []expr.Expr) {
	for _, c := range calls {
		out = append(out, c.Fn.Steps...)
	}
	return out
}
