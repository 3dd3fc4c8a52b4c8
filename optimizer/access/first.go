package access

import (
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// AllRows is what a path reads, in rows.
func AllRows(a *plan.Access) float64 {
	p := path{access: *a, keys: &keySet{price: a.Estimate.Rows}}
	return p.cost()
}

// FirstRow is what a path reads, in rows, until one has passed its conditions.
func FirstRow(a *plan.Access) float64 {
	return a.Estimate.Spans + AllRows(a)/math.Max(a.Estimate.Matches, 1)
}

// Limited is a path that ends when it has as many rows as a limit wants, with an estimate of what it
// reads until then. The rows that pass are taken to lie evenly among those that are read. Conditions of which nothing
// is known matter here, if nowhere else: a limit over them ends later.
func Limited(a plan.Access, limit *plan.Limit) plan.Access {
	a.Most = limit
	e := &a.Estimate
	want, ok := rowsWanted(limit)
	passing := want // rows that pass all but conditions of which nothing is known
	if e.Guessed {
		passing *= opaque
	}
	if !ok || a.Keys != nil || passing >= e.Matches {
		return a
	}
	share := passing / e.Matches
	spans, rows := e.Ranges, math.Ceil(e.Rows*share)
	if a.Merge == nil {
		spans = math.Max(1, math.Ceil(spans*share))
	} else { // each stream is asked for its first rows
		rows = math.Min(rows+spans-1, e.Rows)
	}
	e.Rows, e.Matches, e.Guessed, e.Lookups = rows, want, false, math.Ceil(e.Lookups*share)
	e.Seeks *= share
	if e.Points {
		e.ChargeKeys(spans)
	} else {
		e.Charge(spans)
	}
	return a
}

// rowsWanted is how many rows a limit makes the nodes below it read, if it is known.
func rowsWanted(limit *plan.Limit) (float64, bool) {
	sum := 0.
	for _, e := range []expr.Expr{limit.Count, limit.Offset} {
		if e == nil {
			continue
		}
		c, ok := e.(expr.Const)
		if !ok || c.Value.IsNull() {
			return 0, false
		}
		sum += float64(c.Value.Int())
	}
	return math.Max(sum, 0), limit.Count != nil
}
