package plan

import (
	"fmt"
	"math"

	"zproxy/store"
)

// Charge says by how many requests the Rows are read in so many ranges, and the Lookups made, and what
// all of that costs. Rows are taken to be spread evenly over the ranges.
func (e *Estimate) Charge(ranges float64) {
	e.Ranges, e.Requests, e.Units = ranges, ranges, 0
	if e.Width > 0 && ranges > 0 {
		each := e.Rows * e.Width / ranges
		requests, units := store.RangeUnits(each)
		if ranges > 1 && units > 1 && requests == 1 {
			units = math.Max(1, each/store.ReadUnitBytes+0.5) // some hold more rows than others
		}
		e.Requests, e.Units = ranges*requests, math.Round(ranges*units)
	}
	e.ChargeLookups()
}

// ChargeKeys is Charge where the Rows are read each by its whole key, as lookups are.
func (e *Estimate) ChargeKeys(keys float64) {
	e.Ranges, e.Points, e.Requests, e.Units = keys, true, math.Ceil(keys/LookupBatch), 0
	if e.Width > 0 {
		e.Units = keys * store.ReadUnits(e.Width)
	}
	e.ChargeLookups()
}

// ChargeLookups adds what the Lookups cost, which are rounded up row by row.
func (e *Estimate) ChargeLookups() {
	e.Requests += math.Ceil(e.Lookups / LookupBatch)
	e.Units += e.Lookups * e.Each
}

// readUnits are the units that an access is thought to cost, of which reads that may miss the last
// commits cost a share.
func (x *Explainer) readUnits(e Estimate, a *Access) float64 {
	switch {
	case x.Eventual:
		return store.EventualShare * e.Units
	case a.Index.Eventual():
		lookups := e.Lookups * e.Each
		return store.EventualShare*(e.Units-lookups) + lookups
	}
	return e.Units
}

// units shows a number of units: 1 read unit, 2.5 read units.
func units(n float64, of string) string {
	n = math.Round(2*n) / 2
	if n == 1 {
		return "1 " + of + " unit"
	}
	return fmt.Sprintf("%.15g %s units", n, of)
}
