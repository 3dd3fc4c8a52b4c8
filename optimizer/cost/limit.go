package cost

import (
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// What reading costs, in entries that are read in their order.
const (
	// LookupRows is what fetching a table row costs: measured at 30 to 100 on the embedded store.
	LookupRows = 30
	// RangeRows is what one more span, or a jump over entries, costs: a seek of the embedded store takes
	// about as long.
	RangeRows = 15
	// unitRows is what a read unit costs: 4 KB, of about 40 rows. It stands for the time of a request, too: a lookup
	// takes a unit, and 100 of them are one request.
	unitRows = 40
	// heldRows is what an entry costs whose key is held against sets of its columns: finding these in
	// the key was measured to take a third of the time that an entry takes otherwise.
	heldRows = 4.0 / 3
)

// Price is what reading entries costs, in rows, with the jumps over others. Where held, the keys of all are
// held against sets.
func Price(e plan.Estimate, held bool) float64 {
	reads := e.Rows + RangeRows*e.Seeks
	if held {
		reads += (heldRows - 1) * e.Rows
	}
	return reads
}

// Rows is what reading and lookups cost together, in rows.
func Rows(e plan.Estimate) float64 { return e.Price + LookupRows*e.Lookups }

// Path is what reading by a path costs, in rows: its spans, entries and lookups, or the units that a store charges for
// them.
func Path(e plan.Estimate) float64 {
	if e.Units > 0 {
		return e.Price + RangeRows*e.Spans + unitRows*e.Units
	}
	return Rows(e) + RangeRows*e.Spans
}

// AllRows is what a path reads, in rows. Keys of other scans count as rows.
func AllRows(a *plan.Access) float64 {
	e := a.Estimate
	if _, ok := a.Keys(); ok {
		e.Price = e.Rows
	}
	return Rows(e)
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
	if _, keys := a.Keys(); !ok || keys || passing >= e.Matches {
		return a
	}
	share := passing / e.Matches
	spans, rows := e.Ranges, math.Ceil(e.Rows*share)
	if a.Merge == nil {
		spans = math.Max(1, math.Ceil(spans*share))
	} else { // each stream is asked for its first rows
		rows = math.Min(rows+spans-1, e.Rows)
	}
	e.Price *= rows / math.Max(e.Rows, 1)
	e.Rows, e.Matches, e.Guessed, e.Lookups = rows, want, false, math.Ceil(e.Lookups*share)
	e.Seeks *= share
	if e.Points {
		ChargeKeys(e, spans)
	} else {
		ChargeRanges(e, spans)
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

// Wanted is how many rows a limit makes the nodes below it read, if that is known by some values.
func Wanted(limit *plan.Limit, known *expr.Context) (int64, bool) {
	n, ok := rowsWanted(knownLimit(limit, known))
	return int64(math.Min(n, math.MaxInt64/2)), ok
}
