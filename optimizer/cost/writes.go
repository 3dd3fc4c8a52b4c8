package cost

import (
	"math"

	"zproxy/planner/plan"
)

// Writes are how many write units the writes of a plan are thought to cost, and which node is the dearest, for so many.
// A statement is charged for all that it writes when its transaction is committed.
func (k Known) Writes(n plan.Node, rows func(plan.Node) float64) (units float64, dearest plan.Node, most float64) {
	add := func(of plan.Node) {
		if u := k.write(of, rows); u > 0 {
			if units += u; u > most {
				dearest, most = of, u
			}
		}
	}
	var walk func(plan.Node)
	walk = func(n plan.Node) {
		add(n)
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	walk(n)
	return units, dearest, most
}

// write is what a node costs that writes for each row of its input.
func (k Known) write(n plan.Node, rows func(plan.Node) float64) float64 {
	var worst Charge
	for _, w := range WorkOf(n, false, k.Store.Loose) {
		worst = worst.Worse(ChargeOf(w, plan.Target(n), math.Round(rows(n.Inputs()[0])), k.Store))
	}
	return worst.WriteUnits
}
