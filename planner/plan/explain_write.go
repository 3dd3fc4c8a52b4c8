package plan

import "math"

// written shows what a node that writes does to the store, what that is thought to take, and
// what it took.
func (x *Explainer) written(n Node, p *NodeProfile) []property {
	var out []property
	var work []string
	most, rows := 0, 1.0
	if x.Rows != nil {
		rows = math.Round(x.Rows(n.Inputs()[0]))
	}
	var charge Charge
	for _, w := range WorkOf(n, x.AtCommit, x.Store.Loose) {
		line := w.String()
		if x.Store.Units {
			c := ChargeOf(w, Target(n), rows)
			line += ", ~" + units(c.WriteUnits/math.Max(rows, 1), "write")
			charge = charge.worse(c)
		}
		work = append(work, line)
		most = max(most, w.Count())
	}
	if work != nil {
		out = append(out, repeated("Write", work))
	}
	if x.Rows != nil {
		line := "~" + count(rows, "row") + ", ~" + count(rows*float64(most), "step")
		if x.Store.Units {
			line += ", " + charge.String()
		}
		out = append(out, said("Estimate", line))
	}
	if p == nil || p.Loops == 0 {
		return out
	}
	line := count(float64(p.Writes-p.Deletes-p.Spared), "put") + ", " + count(float64(p.Deletes), "delete")
	if p.Spared > 0 {
		line += ", " + count(float64(p.Spared), "key") + " kept free"
	}
	if _, inserts := n.(Insert); inserts || p.Stats.Requests > 0 {
		out = append(out, said("Read", count(float64(p.Stats.Requests), "request")+", "+count(float64(p.Stats.Examined), "key")+" examined"))
	}
	return append(out, said("Written", line+", "+count(float64(p.Written), "byte")))
}
