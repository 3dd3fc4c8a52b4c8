package explain

import "zproxy/planner/plan"

// gatherDetails are as PostgreSQL says them.
func gatherDetails(n plan.Gather, p *plan.NodeProfile) []property {
	out := []property{counted("Workers Planned", int64(n.Workers))}
	if p != nil {
		out = append(out, counted("Workers Launched", p.AtOnce))
		if p.Unjoined > 0 { // the scan below says so in the text
			out = append(out, unsaid("Rows Removed by Hash Join", counted("", p.Unjoined).value))
		}
	}
	return append(out, unsaid("Single Copy", false))
}
