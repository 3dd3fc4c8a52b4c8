package cost

import (
	"math"

	"zproxy/planner/plan"
)

// Writes are what the writes of a plan are thought to cost, with what they read by keys, and which node is the dearest,
// for so many write units. A statement is charged for all that it writes when its transaction is committed.
func (k Known) Writes(n plan.Node, rows func(plan.Node) float64) (sum Charge, dearest plan.Node, most float64) {
	var walk func(plan.Node)
	walk = func(n plan.Node) {
		c := k.write(n, rows)
		sum = Charge{sum.Requests + c.Requests, sum.ReadUnits + c.ReadUnits, sum.WriteUnits + c.WriteUnits}
		if c.WriteUnits > most {
			dearest, most = n, c.WriteUnits
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	walk(n)
	return sum, dearest, most
}

// write is what a node costs that writes for each row of its input.
func (k Known) write(n plan.Node, rows func(plan.Node) float64) (worst Charge) {
	for _, w := range WorkOf(n, k.AtCommit, k.Store.Loose) {
		worst = worst.Worse(ChargeOf(w, plan.Target(n), math.Round(rows(n.Inputs()[0])), k.Store))
	}
	return worst
}
