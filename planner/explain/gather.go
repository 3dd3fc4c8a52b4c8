package explain

import "zproxy/planner/plan"

// gatherDetails are as PostgreSQL says them.
func gatherDetails(n plan.Gather, p *plan.NodeProfile) []property {
	out := []property{counted("Workers Planned", int64(n.Workers))}
	if p != nil {
		out = append(out, counted("Workers Launched", p.AtOnce))
		for _, x := range leftOut(p) { // the scan below says so in the text
			out = append(out, unsaid(x.label, x.value))
		}
	}
	return append(out, unsaid("Single Copy", false))
}

// leftOut are the rows that a node left out since others above do not need them.
func leftOut(p *plan.NodeProfile) (out []property) {
	if p.Unjoined > 0 {
		out = append(out, counted("Rows Removed by Hash Join", p.Unjoined))
	}
	if p.Unsorted > 0 {
		out = append(out, counted("Rows Removed by Sort", p.Unsorted))
	}
	return out
}
