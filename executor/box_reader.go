package executor

import (
	"slices"

	"zproxy/encoding/keys"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/store"
)

// boxReader reads what is in a box, or in any of several.
type boxReader struct{ *reader }

// entries reads the boxes. Where no cell at a boundary holds a value outside of the bounds, nothing about
// these is left to be checked.
func (r boxReader) entries(p plan.Box) (Rows, error) {
	boxes, ok, err := spans.Boxes(p, r.from.codec, r.env.Expr)
	if err != nil || !ok {
		return nothing, err
	}
	if !boxes.Exact {
		r.filter = slices.Concat(p.Filter, p.Edges)
	}
	r.skip = func(bool) store.Skipper { return boxes.Skip }
	r.testEntries()
	return r.ranges(r.marks.rest(r.rangesOf(&boxes), r.env.Store.OrderedPartitions)), nil
}

// rangesOf are the ranges to read of boxes. Where each jump to a wanted key would be a request
// that is waited for, they leave few keys to jump over.
func (r boxReader) rangesOf(b *keys.Boxes) []store.Range {
	if !r.env.Store.RangeRequests {
		return b.Ranges
	}
	entries, wanted := r.table.RowCount(), 0.0
	if z := r.scan.Access.Estimate.ZOrder; z != nil {
		entries, wanted = z.N, z.V
	}
	return b.Covered(b.Cover(keys.CoverOptions(r.table.Table, r.from.index, r.env.Store, entries, wanted)))
}
