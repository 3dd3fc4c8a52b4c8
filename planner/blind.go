package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// mayInsertBlindly says whether the rows of an INSERT may be put without a look at their keys, since the
// conditions of the commit decide. Keys are hardly ever taken: where one is, the rows are inserted a
// second time to find which. Nothing but the rows may then be lost or be done twice, and nothing that
// was found before may be an error that should have come later. With DO NOTHING some keys are thought to be taken, and
// each would let all rows be written twice: that is for one row alone. What takes the place of rows does not fail.
func mayInsertBlindly(n plan.Insert) bool {
	decides := n.Conflict == plan.ConflictError
	switch {
	case len(n.Fires) > 0:
		return false
	case n.Replaces():
		decides = replacesWhole(n) && standsAlone(n.Table, n.Keeps()) && len(n.From) == 0 &&
			!slices.ContainsFunc(n.Checks, func(c plan.Check) bool { return c.Policy() })
	case n.Conflict == plan.ConflictNothing:
		decides = oneRow(n.Input)
	}
	return decides && n.Partitions == nil && !celltime.Has(n.Table) &&
		!slices.ContainsFunc(n.Table.Indexes, deferrable) && !slices.ContainsFunc(n.Returning, computed) &&
		!slices.ContainsFunc(n.Checks, ofView) && sideEffectFree(n.Input)
}

// ofView says whether a check is one of a view, which rows meet once it is known that they have their keys alone.
func ofView(c plan.Check) bool { return c.Of == plan.ViewCheck }

// deferrable says whether rows may have equal keys in an index until they are checked, so that they must be looked at.
func deferrable(x catalog.Index) bool { return x.Layout.Deferrable }

// mayDeleteBlindly says whether a row may be deleted at its key without a look, since the commit finds whether
// it is there.
func mayDeleteBlindly(n plan.Delete) bool {
	return n.Key != nil && n.Returning == nil && len(n.From)+len(n.Fires) == 0 && n.Partitions == nil &&
		!celltime.Has(n.Table) && standsAlone(n.Table, n.Keeps()) && sideEffectFree(n.Input)
}

// replacesWhole says whether an INSERT leaves nothing of a row that has the key of a new one, nor depends on it.
func replacesWhole(n plan.Insert) bool {
	if n.Conflict != plan.ConflictUpdate {
		return true
	}
	if !n.Primary || n.SetWhere != nil {
		return false
	}
	left := map[int]bool{}
	for i := range n.Table.Columns {
		left[i] = true
	}
	for _, i := range n.Table.KeyOrdinals() {
		delete(left, i)
	}
	for _, a := range n.Set {
		if c, ok := a.Value.(expr.Column); ok && c.Index == len(n.Table.Columns)+a.Column {
			delete(left, a.Column)
		}
	}
	return len(left) == 0
}

// standsAlone says whether all that there is of a row of a table is the item at its key, and what the store derives
// from that. Then a row may go, or be replaced, that is not known.
func standsAlone(t *catalog.Table, kept plan.Indexed) bool {
	return t.KeyName() != "" && t.Foreign == nil && t.TTL == nil && t.Primary.Random() == nil &&
		kept.Parent == nil && len(kept.Children) == 0 &&
		!slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool { return !x.Follows })
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
