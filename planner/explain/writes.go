package explain

import (
	"math"
	"strings"

	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// keyOf shows the key at which a row is deleted without a look.
func (x *explainer) keyOf(n plan.Delete) []property {
	if !x.unread(n) {
		return nil
	}
	terms := make([]string, len(n.Key))
	for i, at := range n.Table.KeyOrdinals() {
		terms[i] = n.Table.Columns[at].Name + " = " + n.Key[i].String()
	}
	return []property{textProperty("Key", "("+strings.Join(terms, " AND ")+")")}
}

// written shows what a node that writes does to the store, what that is thought to take, and
// what it took.
func (x *explainer) written(n plan.Node, number int) []property {
	p := x.Profile.Node(number)
	var out []property
	var work []string
	most, rows := 0, 1.0
	if x.prices != nil {
		rows = math.Round(x.prices[number+1].Rows)
	}
	var charge cost.Charge
	for _, w := range cost.WorkOf(n, x.AtCommit, x.Store.Loose) {
		line := w.String()
		if x.Store.Units {
			c := cost.ChargeOf(w, plan.Target(n), rows, x.Store)
			line += ", ~" + units(c.WriteUnits/math.Max(rows, 1), "write")
			charge = charge.Worse(c)
		}
		work = append(work, line)
		most = max(most, w.Count())
	}
	if work != nil {
		out = append(out, repeated("Write", work))
	}
	if x.prices != nil {
		line := "~" + count(rows, "row") + ", ~" + count(rows*float64(most), "step")
		if x.Store.Units {
			line += ", " + chargeText(charge)
		}
		out = append(out, textProperty("Estimate", line))
	}
	if p == nil || p.Loops == 0 {
		return out
	}
	line := count(float64(p.Writes-p.Deletes-p.Spared), "put") + ", " + count(float64(p.Deletes), "delete")
	if p.Spared > 0 {
		line += ", " + count(float64(p.Spared), "key") + " kept free"
	}
	if _, inserts := n.(plan.Insert); inserts || p.Stats.Requests > 0 {
		out = append(out, textProperty("Read",
			count(float64(p.Stats.Requests), "request")+", "+count(float64(p.Stats.Examined), "key")+" examined"))
	}
	return append(out, textProperty("Written", line+", "+count(float64(p.Written), "byte")))
}

// conflicts says of how many rows to be inserted others were in the way. If the commit finds that, it is not known.
func (x *explainer) conflicts(n plan.Insert, number int) []property {
	p, in := x.Profile.Node(number), x.Profile.Node(number+1)
	if p == nil || p.Loops == 0 || n.Conflict == plan.ConflictError || x.AtCommit {
		return nil
	}
	return []property{counted("Tuples Inserted", in.Rows-p.Met), counted("Conflicting Tuples", p.Met)}
}
