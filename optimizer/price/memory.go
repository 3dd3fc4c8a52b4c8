package price

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// Memory is how many bytes a hash table or a sort holds before its rows go to files; 0: there is no bound.
type Memory float64

// What rows take in memory, as the executor counts it.
const (
	valueBytes = 32 // besides what a value of varying length has
	keptBytes  = 96 // of a row: what a table knows of it, and its key
	wideBytes  = 4096
)

// What it costs to let rows go through files, measured with 600,000 rows on each side: a hash join writes both sides in
// parts, reads them, and sorts what comes out.
const (
	spilledJoinRow = 4
	spilledSortRow = 0.7
)

// Held is how many bytes the values of each column of a node take in memory.
func Held(n plan.Node) []float64 { return held(n, columnWidths(n)) }

// held are those of columns of some widths.
func held(n plan.Node, widths []float64) []float64 {
	out := make([]float64, len(widths))
	for i, c := range n.Columns() {
		if out[i] = valueBytes; types.InfoOf(c.Type.OID).Size < 0 {
			out[i] += widths[i]
		}
	}
	return out
}

// columnWidths are how many bytes the columns of a node have.
func columnWidths(n plan.Node) []float64 {
	inputs := n.Inputs()
	in := make([]priced, len(inputs))
	for i, input := range inputs {
		in[i].columns = columnWidths(input)
	}
	return widths(n, in)
}

// Fits says whether so many rows, each with columns of so many bytes, stay in memory.
func (m Memory) Fits(rows, bytes float64) bool { return m <= 0 || rows*(keptBytes+bytes) <= float64(m) }

// FitsAnyway says whether so many rows stay in memory whatever columns they have.
func (m Memory) FitsAnyway(rows float64) bool { return m.Fits(rows, wideBytes) }

// Holds says whether so many rows of a node stay in memory.
func (m Memory) Holds(n plan.Node, rows float64) bool {
	return m.FitsAnyway(rows) || m.Fits(rows, sum(Held(n)))
}

// SpilledJoin is what a hash join costs in addition if its table does not fit, with rows of both sides and of the join.
func SpilledJoin(l, r, out float64) float64 { return spilledJoinRow * (l + r + out) }

// spilled is what a node costs in addition because its rows do not fit into memory.
func (p *pricing) spilled(n plan.Node, in []priced, rows float64) float64 {
	fits := func(i int) bool { return p.memory.Fits(in[i].Rows, sum(held(n.Inputs()[i], in[i].columns))) }
	switch n := n.(type) {
	case plan.Sort:
		if n.Most == nil && n.Each == 0 && !fits(0) {
			return spilledSortRow * rows
		}
	case plan.Join:
		if n.Method == nil || n.Method.Strategy != plan.Hash {
			return 0
		}
		build := 1
		if n.Method.BuildLeft {
			build = 0
		}
		if !fits(build) {
			return SpilledJoin(in[0].Rows, in[1].Rows, rows)
		}
	}
	return 0
}

func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}
