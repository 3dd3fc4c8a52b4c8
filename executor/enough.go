package executor

import (
	"math"

	"zproxy/planner/plan"
	"zproxy/types"
)

// more is how many entries will probably do when some were read: what is left of enough,
// or as many again.
func more(enough, got int) int {
	switch {
	case enough == 0:
		return 0
	case got < enough:
		return enough - got
	}
	return got
}

// enough is how many entries will probably do, 0 when that cannot be said, or where to read a batch
// of them costs less than to read it in parts.
func (r *reader) enough() int {
	switch {
	case !r.few():
		return 0
	case r.env.Store.RangeRequests:
		return int(min(math.Ceil(float64(r.need)*r.drops()), math.MaxInt32))
	case r.looksUp() && r.need > plan.LookupBatch:
		return 0
	}
	entries := math.Ceil(float64(r.need) * r.perRow())
	if r.filters() && entries >= types.BatchRows {
		return 0
	}
	return int(entries)
}

// filters says whether conditions drop entries, or rows that are looked up.
func (r *reader) filters() bool { return len(r.filter)+len(r.scan.Access.RowFilter()) > 0 }

// drops is how many entries probably come for each row that passes the filters, at least as many as a
// request is worth for all rows together. Those that the store drops do not come.
func (r *reader) drops() float64 {
	if len(r.tests) > 0 {
		return 1
	}
	return r.perRow()
}

// perRow is how many entries are probably read for each row that passes the filters, at least as many as a
// request is worth for all rows together. It is the planner's guess, but for the entries outside of a box, which
// the store is not asked for.
func (r *reader) perRow() float64 {
	if !r.filters() {
		return 1
	}
	e := r.scan.Access.Estimate
	read := e.Rows / math.Max(e.Waste, 1)
	return max(1, read/math.Max(e.Matches, 1), r.env.Store.RangePrice/math.Max(float64(r.need), 1))
}

// few says whether not all rows are wanted.
func (r *reader) few() bool { return r.need <= math.MaxInt32 }
