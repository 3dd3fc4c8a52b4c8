package access

import (
	"math"

	"zproxy/planner/plan"
)

// AllRows is what a path reads, in rows.
func AllRows(a *plan.Access) float64 {
	p := path{access: *a}
	if a.Keys != nil {
		p.price = a.Estimate.Rows
	}
	return p.cost()
}

// FirstRow is what a path reads, in rows, until one has passed its conditions.
func FirstRow(a *plan.Access) float64 {
	return a.Estimate.Spans + AllRows(a)/math.Max(a.Estimate.Matches, 1)
}
