package rowkey

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// Partners says whether a row has at most one partner in a side of a join: whether the values that it must be equal to
// hold a key of that side. With nulls NULL is equal to NULL.
func Partners(n plan.Node, values []expr.Expr, nulls bool) bool {
	in := Columns{}
	for _, v := range values {
		if c, ok := plan.ColumnOf(v); ok {
			in[c.Index] = in[c.Index] || !nulls
		}
	}
	return Unique(n, in)
}
