package plan

import "zproxy/expr"

// Routines are the functions that are not built in which a plan calls, once for each call.
func Routines(n Node) (out []*expr.Function) {
	for _, e := range Exprs(n) {
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
