package planner

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// mayInsertBlindly says whether the rows of an INSERT may be put without a look at their keys, since the
// conditions of the commit decide. Keys are hardly ever taken: where one is, the rows are inserted a
// second time to find which. Nothing but the rows may then be lost or be done twice, and nothing that
// was found before may be an error that should have come later. With DO NOTHING some keys are thought to be taken, and
// each would let all rows be written twice: that is for one row alone.
func mayInsertBlindly(n plan.Insert) bool {
	decides := n.Conflict == plan.ConflictError || n.Conflict == plan.ConflictNothing && oneRow(n.Input)
	return decides && !n.Overwrite && n.Partitions == nil &&
		!slices.ContainsFunc(n.Returning, computed) && sideEffectFree(n.Input)
}

// oneRow says whether a plan delivers no more than one row, which no table has.
func oneRow(n plan.Node) bool {
	switch n := n.(type) {
	case plan.Values:
		return len(n.Rows) <= 1
	case plan.Project:
		return oneRow(n.Input)
	}
	return false
}

// computed says whether an expression is more than a column.
func computed(e expr.Expr) bool {
	_, column := e.(expr.Column)
	return !column
}

// sideEffectFree says whether a plan does nothing but deliver rows.
func sideEffectFree(n plan.Node) bool {
	for _, e := range plan.Exprs(n) {
		if expr.Any(e, hasSideEffect) {
			return false
		}
	}
	for _, s := range plan.Subqueries(n) {
		if !sideEffectFree(s.Plan.(plan.Sub).Node) {
			return false
		}
	}
	return !slices.ContainsFunc(n.Inputs(), func(in plan.Node) bool { return !sideEffectFree(in) })
}

// hasSideEffect says whether a call may change more than it tells. The rows that are inserted a second time
// have the values of the first time, so what those are made with is harmless.
func hasSideEffect(e expr.Expr) bool {
	c, ok := e.(expr.Call)
	return ok && c.Fn.Volatility == expr.Volatile && !slices.Contains([]string{
		"nextval", "gen_random_uuid", "uuidv7", "random", "clock_timestamp", "statement_timestamp", "timeofday",
	}, c.Fn.Name)
}
