package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// pruneEmpty does without what cannot have rows, since a condition is false whatever the row or an input has none.
//
//	Left Join on (b = x)       Project a, b, x = NULL
//	├─ Scan t              →   └─ Scan t
//	└─ Filter false
//	   └─ Scan u
//
// It must not fire on an Aggregate without groups, which has a row of none, nor on a With, whose query may write.
var pruneEmpty = Rule{"PruneEmpty", func(_ *Options, n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Values, plan.Append:
		return n, false
	case plan.Join:
		if n.Method == nil {
			return pruneJoin(n)
		}
		return n, false
	case plan.SetOp:
		return pruneSetOp(n)
	}
	if empty(n) {
		return plan.Values{Cols: n.Columns()}, true
	}
	return n, false
}}

// never says whether a condition among some is not true of any row.
func never(conds []expr.Expr) bool {
	return slices.ContainsFunc(conds, func(e expr.Expr) bool {
		c, ok := e.(expr.Const)
		return ok && !c.Value.IsTrue()
	})
}

// pruneJoin is what is left of a join of which a side has no rows, or which finds no partners.
func pruneJoin(j plan.Join) (plan.Node, bool) {
	l, r := empty(j.Left), empty(j.Right)
	none := l || r || never(expr.Conjuncts(j.On))
	switch {
	case !none:
		return j, false
	case l && j.Kind != plan.RightJoin && j.Kind != plan.FullJoin || r && j.Kind == plan.RightJoin ||
		l && r || j.Kind == plan.InnerJoin || j.Kind == plan.SemiJoin:
		return plan.Values{Cols: j.Columns()}, true
	case j.Kind == plan.AntiJoin:
		return j.Left, true
	case j.Kind == plan.LeftJoin, j.Kind == plan.FullJoin && r:
		return padded(j.Left, j.Columns(), 0), true
	case j.Kind == plan.RightJoin, j.Kind == plan.FullJoin && l:
		return padded(j.Right, j.Columns(), plan.Width(j.Left)), true
	}
	return j, false
}

// padded is rows that are columns of a join from one on, with NULL in all others.
func padded(n plan.Node, cols []plan.Column, from int) plan.Node {
	list := make([]expr.Expr, len(cols))
	own := columnsAsExprs(n)
	for i, c := range cols {
		if at := i - from; 0 <= at && at < len(own) {
			list[i] = own[at]
		} else {
			list[i] = expr.Const{T: c.Type}
		}
	}
	return plan.Project{Input: n, Exprs: list, Cols: cols}
}

// pruneSetOp is what is left of INTERSECT or EXCEPT of which a side has no rows.
func pruneSetOp(n plan.SetOp) (plan.Node, bool) {
	switch l, r := empty(n.Left), empty(n.Right); {
	case l, r && !n.Except:
		return plan.Values{Cols: n.Cols}, true
	case r && n.All:
		return as(n.Left, n.Cols), true
	case r:
		return as(plan.Distinct{Input: n.Left}, n.Cols), true
	}
	return n, false
}
