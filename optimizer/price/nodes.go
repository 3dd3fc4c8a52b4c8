package price

import (
	"math"

	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// costs are what a node costs until its first row and until its last, over inputs with prices.
func costs(n plan.Node, in []priced, rows float64) (startup, total float64) {
	switch n := n.(type) {
	case plan.Scan:
		return scanned(n, in, rows)
	case plan.Join:
		return joined(n, in[0], in[1], rows)
	case plan.Append:
		return appended(n, in, rows)
	case plan.WriteEach:
		return appended(plan.Append{}, in, rows)
	case plan.Keys:
		return merged(in)
	case plan.SetOp:
		startup = in[0].Total + in[1].Total + buildRow*in[0].Rows + probeRow*in[1].Rows
		return startup, startup + passedRow*rows
	case plan.With, plan.Recursion:
		return twice(n, in, rows)
	case plan.Nearest:
		return in[0].Total, in[0].Total + passedRow*rows
	case plan.Limit:
		return limited(in[0].Price, rows)
	case plan.Insert, plan.Update, plan.Delete, plan.MergeInto:
		return 0, in[0].Total + written(n, in[0].Rows)
	}
	if len(in) == 0 { // rows that are there, or that functions make
		return 0, passedRow * rows
	}
	return over(n, in[0].Price, rows)
}

// over are those of a node with one input.
func over(n plan.Node, in Price, rows float64) (startup, total float64) {
	switch n := n.(type) {
	case plan.Filter:
		return in.Startup, in.Total + CheckedRow*in.Rows
	case plan.Project:
		return in.Startup, in.Total + computed(n.Exprs, rows)
	case plan.Aggregate:
		startup = in.Total + computed(n.Groups, in.Rows)
		switch {
		case n.Sorted:
			return in.Startup, startup + Streamed(in.Rows, rows, len(n.Calls))
		case len(n.Groups) > 0:
			total = startup + Grouped(in.Rows, rows, len(n.Calls))
			return total - passedRow*rows, total
		}
		startup += (passedRow + computedRow*float64(len(n.Calls))) * in.Rows
		return startup, startup + passedRow*rows
	case plan.GroupingSets:
		startup = in.Total + float64(len(n.Sets))*Grouped(in.Rows, rows/float64(len(n.Sets)), len(n.Calls))
		return startup, startup + passedRow*rows
	case plan.Distinct:
		if n.On != nil {
			return in.Startup, in.Total + CheckedRow*in.Rows
		}
		return in.Startup, in.Total + probeRow*in.Rows + buildRow*rows
	case plan.Sort:
		kept := in.Rows
		if n.Most != nil {
			kept = rows
		}
		startup = in.Total + Sorted(in.Rows, kept)
		return startup, startup + passedRow*rows
	case plan.Window:
		return in.Startup, in.Total + probeRow*rows*float64(len(n.Calls))
	case plan.LockRows:
		return in.Startup, in.Total + writtenItem*rows
	}
	return in.Startup, in.Total + passedRow*rows
}

// scanned are those of a scan, which includes what the keys read that it looks up.
func scanned(s plan.Scan, in []priced, rows float64) (startup, total float64) {
	if s.Access == nil {
		return 0, rows
	}
	if _, behind := s.Access.Path.(plan.Behind); behind {
		return 0, CheckedRow * rows // the scan that it is read with has read them
	}
	e := s.Access.Estimate
	checks := e.Rows*float64(len(s.Access.Entries().Filter)) + e.Lookups*float64(len(s.Access.RowFilter()))
	total = cost.Path(e) + CheckedRow*checks
	for _, keys := range in {
		startup += keys.Total
	}
	if s.Access.Merge != nil { // each stream is asked for its first rows
		startup += cost.RangeRows * e.Spans
	} else if len(in) == 0 {
		startup = math.Min(cost.RangeRows, total)
	}
	return startup, math.Max(startup, total)
}

// joined are those of a join.
func joined(j plan.Join, l, r priced, rows float64) (startup, total float64) {
	switch {
	case looksUp(j):
		batches := math.Ceil(math.Max(1, l.Rows) / plan.LookupBatch)
		return l.Startup + r.Startup, l.Total + batches*r.Total + probeRow*l.Rows + joinedRow*rows
	case j.Method != nil && j.Method.Strategy == plan.Hash:
		build, probe := r, l
		if j.Method.BuildLeft {
			build, probe = l, r
		}
		startup = build.Total + Built(build.Rows) + probe.Startup
		return startup, l.Total + r.Total + Probed(probe.Rows, build.Rows, rows)
	case j.Method != nil && j.Method.Strategy == plan.Merged:
		return l.Startup + r.Startup, l.Total + r.Total + Merged(l.Rows, r.Rows, rows)
	case j.Method != nil: // both sides are in one scan
		return l.Startup, l.Total + r.Total + joinedRow*rows
	case len(j.Slots) > 0:
		return l.Startup + r.Startup, l.Total + Repeated(l.Rows, r.Total, rows)
	}
	return l.Startup + r.Total, l.Total + r.Total + Compared(l.Rows, r.Rows, rows)
}

// appended are those of rows one after the other, or merged.
func appended(n plan.Append, in []priced, rows float64) (startup, total float64) {
	for i := range in {
		if n.By != nil || i == 0 {
			startup += in[i].Startup
		}
		total += in[i].Total
	}
	if n.By != nil {
		total += sortedRow * rows * math.Log2(math.Max(2, float64(len(in))))
	}
	return startup, total + passedRow*rows
}

// merged are those of keys, which are all there before the first row is looked up.
func merged(in []priced) (startup, total float64) {
	for i := range in {
		total += in[i].Total + passedRow*in[i].Rows
	}
	return total, total
}

// twice are those of a query that is kept for another one, or whose rows are the input of another one again and again.
func twice(n plan.Node, in []priced, rows float64) (startup, total float64) {
	if _, ok := n.(plan.With); ok {
		return in[0].Total + in[1].Startup, in[0].Total + in[1].Total
	}
	const rounds = 10
	return in[0].Startup, in[0].Total + rounds*in[1].Total + passedRow*rows
}

// limited are those of some of the rows of an input.
func limited(in Price, rows float64) (startup, total float64) {
	share := 1.0
	if in.Rows > rows {
		share = rows / in.Rows
	}
	return in.Startup, in.Startup + share*(in.Total-in.Startup)
}

// written is what it costs to write so many rows: the most that a kind of row takes.
func written(n plan.Node, rows float64) float64 {
	most := 0
	for _, w := range cost.WorkOf(n, false, false) {
		most = max(most, w.Count())
	}
	return rows * float64(most) * writtenItem
}
