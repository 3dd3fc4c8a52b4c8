package plan

import (
	"math"

	"zproxy/encoding/keys"
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
	var wanted float64
	e.Rows, e.Units = 0, 0
	for _, r := range cover {
		e.Rows, wanted = e.Rows+r.Rows, wanted+r.Wanted
		e.Units += math.Max(1, math.Ceil(r.Rows/o.Price)) // which is how many rows a unit reads
	}
	shards, ranges := float64(b.Shards()), float64(len(b.Covered(cover)))
	e.Rows, e.Units, wanted = e.Rows*shards, e.Units*shards+e.Lookups, wanted*shards
	e.Requests, e.Seeks, e.Waste = ranges+math.Ceil(e.Lookups/LookupBatch), 0, e.Rows/math.Max(wanted, 1)
	out.add("Cover: %s, %s", count(ranges, "range"), waste(e.Rows, wanted))
	if s.Access.Most == nil {
		out.estimate = e
	}
}
