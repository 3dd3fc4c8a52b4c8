// Package declared derives from the conditions of a table which values its columns may have: terms of single
// columns, the bounds that they set, and how many values are between the bounds. It uses the conditions alone; what
// is known of the rows is in statistics. Read BoundsOf and Counts first; both use the same terms.
package declared

import (
	"math"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Bounds are the least and the greatest value that a column may have; NULL is none.
type Bounds struct{ Low, High types.Value }

// Nearest is the value within bounds that is next to one; an infinite one stays.
func (b Bounds) Nearest(v types.Value) types.Value {
	switch {
	case types.IsInfinite(v):
	case !b.Low.IsNull() && types.Compare(v, b.Low) < 0:
		return b.Low
	case !b.High.IsNull() && types.Compare(v, b.High) > 0:
		return b.High
	}
	return v
}

// BoundsOf are the bounds of columns that conditions of their table declare, by column ID.
func BoundsOf(t *catalog.Table, checks []plan.Check) map[uint32]Bounds {
	out := map[uint32]Bounds{}
	for id, list := range terms(t, checks) {
		set, err := plan.Bound{Column: id, Terms: list}.Set(&expr.Context{Env: &types.Env{}})
		if err != nil || len(set.Intervals) == 0 {
			continue // no row can be written, so none need be spread
		}
		hull := set.Hull()
		out[id] = Bounds{hull.Low, hull.High}
	}
	return out
}

// Counts are how many values conditions of a table leave to columns, by column ID, where that is a number.
func Counts(t *catalog.Table, checks []plan.Check) map[uint32]float64 {
	out := map[uint32]float64{}
	for id, list := range terms(t, checks) {
		set, err := plan.Bound{Column: id, Terms: list}.Set(&expr.Context{Env: &types.Env{}})
		if err != nil {
			continue // no row can be written
		}
		n := 0.0
		for _, in := range set.Intervals {
			n += valuesBetween(in.Low, in.High, in.LowOpen, in.HighOpen)
		}
		if !math.IsInf(n, 1) {
			out[id] = n
		}
	}
	return out
}

// terms are what conditions of the table say of single columns, by column ID. A condition that changes with time holds
// only for the values that were written so far.
func terms(t *catalog.Table, checks []plan.Check) map[uint32][]plan.Term {
	out := map[uint32][]plan.Term{}
	for _, check := range checks {
		for _, cond := range expr.Conjuncts(check.Cond) {
			col, term, _, ok := plan.TermOf(cond)
			if ok && !expr.Any(cond, changes) {
				id := t.Columns[col].ID
				out[id] = append(out[id], term)
			}
		}
	}
	return out
}

// changes says whether an expression may have another value at another time.
func changes(e expr.Expr) bool {
	call, ok := e.(expr.Call)
	return ok && call.Fn.Volatility != expr.Immutable
}

// valuesBetween is how many values there are between two ends, which are among them if they are not open: of
// integers, or when both ends are the same.
func valuesBetween(low, high types.Value, lowOpen, highOpen bool) float64 {
	switch {
	case low.Kind() == types.KindInt && high.Kind() == types.KindInt:
		n := float64(high.Int()) - float64(low.Int()) + 1
		for _, open := range []bool{lowOpen, highOpen} {
			if open {
				n--
			}
		}
		return n
	case !low.IsNull() && !high.IsNull() && types.Compare(low, high) == 0:
		return 1
	}
	return math.Inf(1)
}
