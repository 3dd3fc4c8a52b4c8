package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// dropEmptyInput appends only what can have rows.
//
//	Append
//	├─ Project a
//	│  └─ no rows       →   Project a
//	└─ Project a            └─ Scan u
//	   └─ Scan u
//
// It must not fire on an input whose rows depend on its own: an aggregate without groups has a row of none.
var dropEmptyInput = Rule{"DropEmptyInput", func(_ *Options, n plan.Node) (plan.Node, bool) {
	a, ok := n.(plan.Append)
	if !ok {
		return n, false
	}
	in := slices.DeleteFunc(slices.Clone(a.In), empty)
	switch len(in) {
	case len(a.In):
		return n, false
	case 0:
		return plan.Values{Cols: a.Cols}, true
	case 1:
		return as(in[0], a.Cols), true
	}
	a.In = in
	return a, true
}}

// empty says whether a node never has rows.
func empty(n plan.Node) bool {
	switch n := n.(type) {
	case plan.Values:
		return len(n.Rows) == 0
	case plan.Scan:
		return n.Access == nil && never(n.Filter)
	case plan.Filter:
		return never(expr.Conjuncts(n.Cond)) || empty(n.Input)
	case plan.Aggregate:
		return len(n.Groups) > 0 && empty(n.Input)
	case plan.Project:
		return empty(n.Input)
	case plan.Sort, plan.Limit, plan.Distinct, plan.Window, plan.ProjectSet:
		return empty(n.Inputs()[0])
	}
	return false
}

// as is a node under the names and types of columns.
func as(n plan.Node, cols []plan.Column) plan.Node {
	if slices.EqualFunc(n.Columns(), cols, plan.Column.Same) {
		return n
	}
	return plan.Project{Input: n, Exprs: columnsAsExprs(n), Cols: cols}
}
