package cost

import (
	"math"

	"zproxy/encoding/keys"
	"zproxy/planner/plan"
	"zproxy/store"
)

// Cover is by how many ranges boxes are read where each is a request, and how many rows are thought to
// be read for those that are in a box.
type Cover struct {
	Ranges, Rows, Wanted float64
	Estimate             plan.Estimate // of a scan that takes them all
}

// CoverOf is the cover of the boxes of a scan. It says false for a store that jumps inside of a range.
func CoverOf(s plan.Scan, b *keys.Boxes, on store.Capabilities) (Cover, bool) {
	if !on.RangeRequests {
		return Cover{}, false
	}
	z, e := s.Access.Estimate.ZOrder, s.Access.Estimate
	o := keys.CoverOptions(s.Table, s.Access.Index(), on, z.N, z.V)
	cover := b.Cover(o)
	var wanted, units float64
	e.Rows, e.Requests = 0, 0
	for _, r := range cover {
		e.Rows, wanted = e.Rows+r.Rows, wanted+r.Wanted
		requests, charged := store.RangeUnits(r.Rows * e.Width)
		e.Requests, units = e.Requests+requests, units+charged
	}
	shards, ranges := float64(b.Shards()), float64(len(b.Covered(cover)))
	if z.V > 0 {
		wanted *= z.Wanted / z.V // others only have codes of the box
	}
	e.Rows, wanted, e.Ranges = e.Rows*shards, wanted*shards, ranges
	e.Seeks, e.Waste = 0, e.Rows/math.Max(wanted, 1)
	if e.Requests, e.Units = math.Max(e.Requests*shards, ranges), 0; on.Units {
		e.Units = math.Max(units*shards, ranges)
	}
	ChargeLookups(&e)
	return Cover{Ranges: ranges, Rows: e.Rows, Wanted: wanted, Estimate: e}, true
}
