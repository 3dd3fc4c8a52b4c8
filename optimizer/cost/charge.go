package cost

import (
	"math"

	"zproxy/planner/plan"
	"zproxy/store"
)

// ChargeRanges says by how many requests the Rows are read in so many ranges, and the Lookups made, and what
// all of that costs. Rows are taken to be spread evenly over the ranges.
func ChargeRanges(e *plan.Estimate, ranges float64) {
	e.Ranges, e.Requests, e.Units = ranges, ranges, 0
	if e.Width > 0 && ranges > 0 {
		each := e.Rows * e.Width / ranges
		requests, units := store.RangeUnits(each)
		if ranges > 1 && units > 1 && requests == 1 {
			units = math.Max(1, each/store.ReadUnitBytes+0.5) // some hold more rows than others
		}
		e.Requests, e.Units = ranges*requests, math.Round(ranges*units)
	}
	ChargeLookups(e)
}

// ChargeKeys is ChargeRanges where the Rows are read each by its whole key, as lookups are.
func ChargeKeys(e *plan.Estimate, keys float64) {
	e.Ranges, e.Points, e.Requests, e.Units = keys, true, math.Ceil(keys/plan.LookupBatch), 0
	if e.Width > 0 {
		e.Units = keys * store.ReadUnits(e.Width)
	}
	ChargeLookups(e)
}

// ChargeLookups adds what the Lookups cost, which are rounded up row by row.
func ChargeLookups(e *plan.Estimate) {
	e.Requests += math.Ceil(e.Lookups / plan.LookupBatch)
	e.Units += e.Lookups * e.Each
}

// WithBehind is what a scan of ranges costs that reads the rows of a child, too, which come behind those of their
// parent.
func WithBehind(e, child plan.Estimate) plan.Estimate {
	if e.Width > 0 && e.Rows+child.Rows > 0 {
		e.Width = (e.Rows*e.Width + child.Rows*child.Width) / (e.Rows + child.Rows)
	}
	e.Rows += child.Rows
	e.Price += child.Rows
	e.Points = false
	ChargeRanges(&e, e.Ranges)
	return e
}
