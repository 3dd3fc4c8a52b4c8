package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// joinOneRow computes what a side of a join that is one row has, as VALUES of one row and a SELECT without FROM, for
// each row of the other side.
//
//	Join on (b = x) $0=a           Project a, b, x = a
//	├─ Scan t                  →   └─ Filter (b = a)
//	└─ Values x = $0                  └─ Scan t
//
// It must not fire on something volatile, which is computed once, nor on a subquery; nor on an outer join that has the
// row without a partner.
var joinOneRow = Rule{"JoinOneRow", func(_ *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || j.Method != nil {
		return n, false
	}
	if row, ok := oneRow(j.Right); ok && (j.Kind == plan.InnerJoin || j.Kind == plan.LeftJoin && all(j.On)) {
		for i, e := range row {
			row[i] = unslot(e, leftValues(j))
		}
		return withRow(j, j.Left, append(columnsAsExprs(j.Left), row...)), true
	}
	if row, ok := oneRow(j.Left); ok && j.Kind == plan.InnerJoin && len(j.Slots) == 0 {
		return withRow(j, j.Right, append(row, columnsAsExprs(j.Right)...)), true
	}
	return n, false
}}

// withRow is the rows of a side of a join with the columns of a list over them, where those of the join are.
func withRow(j plan.Join, side plan.Node, list []expr.Expr) plan.Node {
	if j.On != nil {
		on := unslot(substitute(j.On, list), leftValues(j))
		side = filtered(side, expr.Conjuncts(on))
	}
	return plan.Project{Input: side, Exprs: list, Cols: j.Columns()}
}

// all says whether a join pairs all rows.
func all(on expr.Expr) bool { return on == nil || alwaysTrue(on) }

// oneRow is what the only row of a plan has.
func oneRow(n plan.Node) (row []expr.Expr, ok bool) {
	switch n := n.(type) {
	case plan.Values:
		if len(n.Rows) != 1 {
			return nil, false
		}
		row = slices.Clone(n.Rows[0])
	case plan.Project:
		below, ok := oneRow(n.Input)
		if !ok {
			return nil, false
		}
		for _, e := range n.Exprs {
			row = append(row, substitute(e, below))
		}
	default:
		return nil, false
	}
	return row, !slices.ContainsFunc(row, func(e expr.Expr) bool { return volatile(e) || holdsSubquery(e) })
}

// leftValues are the values of the left row that the right side of a join reads, by slots.
func leftValues(j plan.Join) map[int]expr.Expr {
	values := map[int]expr.Expr{}
	for _, s := range j.Slots {
		values[s.Number] = s.Value
	}
	return values
}
