package plan

import (
	"math"

	"zproxy/encoding/keys"
	"zproxy/store"
)

// cover shows by how many ranges boxes are read where each is a request, and how many rows are
// thought to be read for one that is in a box. A scan that does not end before takes them all.
func (x *Explainer) cover(s Scan, b *keys.Boxes, out *boxShown) {
	if !x.Store.RangeRequests {
		return
	}
	z, e := s.Access.Estimate.ZOrder, out.estimate
	o := keys.CoverOptions(s.Table, s.Access.Index, x.Store, z.N, z.V)
	cover := b.Cover(o)
	var wanted, units float64
	e.Rows, e.Requests = 0, 0
	for _, r := range cover {
		e.Rows, wanted = e.Rows+r.Rows, wanted+r.Wanted
		requests, charged := store.RangeUnits(r.Rows * e.Width)
		e.Requests, units = e.Requests+requests, units+charged
	}
	shards, ranges := float64(b.Shards()), float64(len(b.Covered(cover)))
	e.Rows, wanted, e.Ranges = e.Rows*shards, wanted*shards, ranges
	e.Seeks, e.Waste = 0, e.Rows/math.Max(wanted, 1)
	if e.Requests, e.Units = math.Max(e.Requests*shards, ranges), 0; x.Store.Units {
		e.Units = math.Max(units*shards, ranges)
	}
	e.ChargeLookups()
	out.add("Cover", count(ranges, "range")+", "+waste(e.Rows, wanted))
	if s.Access.Most == nil {
		out.estimate = e
	}
}
