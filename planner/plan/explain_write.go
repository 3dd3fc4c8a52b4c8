package plan

import "math"

// written shows what a node that writes does to the store, what that is thought to take, and
// what it took.
func (x *Explainer) written(n Node, p *NodeProfile) []string {
	var out []string
	most := 0
	for _, w := range WorkOf(n, x.AtCommit, x.Store.Loose) {
		out = append(out, "Write: "+w.String())
		most = max(most, w.Count())
	}
	if x.Rows != nil {
		rows := math.Round(x.Rows(n.Inputs()[0]))
		out = append(out, "Estimate: ~"+count(rows, "row")+", ~"+count(rows*float64(most), "step"))
	}
	if p == nil || p.Loops == 0 {
		return out
	}
	line := "Written: " + count(float64(p.Writes-p.Deletes-p.Spared), "put") + ", " + count(float64(p.Deletes), "delete")
	if p.Spared > 0 {
		line += ", " + count(float64(p.Spared), "key") + " kept free"
	}
	if _, inserts := n.(Insert); inserts || p.Stats.Requests > 0 {
		out = append(out, "Read: "+count(float64(p.Stats.Requests), "request")+", "+count(float64(p.Stats.Examined), "key")+" examined")
	}
	return append(out, line+", "+count(float64(p.Written), "byte"))
}
