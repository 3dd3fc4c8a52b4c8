package executor

import (
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
)

// A store that is far away had better not send entries that a filter drops, and one at hand need not read
// blocks that have no others. So it is told what the filter asks of single columns, as sets of values: once
// they are known, which is when the scan runs. All conditions are checked again on what comes.

// testEntries finds the tests of entries. It must be called before scans run at once: it evaluates
// what the conditions compare with, subqueries included.
func (r *reader) testEntries() {
	if from := r.env.Store.Filters; from == 0 || max(1, r.scan.Access.Estimate.Rows) < from {
		return
	}
	r.tests = nil
	ordinals := r.from.columns(r.reads)
	for _, cond := range r.filter {
		column, set, ok := r.valuesOf(cond)
		if !ok || set.IsEverything() || set.Empty() || ordinals[column] == store.NoColumn {
			continue
		}
		r.tests = append(r.tests, store.Test{Column: ordinals[column], Set: set})
	}
}

// valuesOf are the values of one column with which a condition may be true. It says false for a
// condition that is about something else, and for one that cannot be evaluated: its error belongs
// to the first row that meets it.
func (r *reader) valuesOf(cond expr.Expr) (column int, set span.Set, ok bool) {
	if either, isLogic := cond.(expr.Logic); isLogic && either.Or {
		return r.valuesOfEither(either.Args)
	}
	column, term, _, ok := plan.TermOf(cond)
	if !ok {
		return 0, set, false
	}
	set, err := term.Set(r.env.Expr)
	return column, set, err == nil
}

func (r *reader) valuesOfEither(sides []expr.Expr) (column int, set span.Set, ok bool) {
	for i, side := range sides {
		at, values, ok := r.valuesOf(side)
		if !ok || i > 0 && at != column {
			return 0, set, false
		}
		column, set = at, set.Union(values)
	}
	return column, set, true
}
