package session

import (
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// thought is what a run of a plan was thought to take, worked out when an error asks.
type thought struct {
	plan    plan.Node
	chooser *optimizer.PlanChooser
	known   cost.Known
}

// Keys implements executor.Thought.
func (t thought) Keys(s plan.Scan) float64 {
	keys, _, _ := t.scans()(s)
	return keys
}

// scans says how many keys all runs of a scan were thought to examine, and what they were thought to cost in read
// units. It is not ok for a scan that another one reads for.
func (t thought) scans() func(plan.Scan) (keys, units float64, ok bool) {
	ran := cost.Readings(t.plan, t.Rows)
	priced := cost.Readings(t.chooser.Priced(t.plan, t.known.Values), t.Rows)
	return func(s plan.Scan) (keys, units float64, ok bool) {
		for i := range ran {
			if ran[i].Scan.Access == s.Access && i < len(priced) {
				r := priced[i]
				return r.Runs * t.known.Keys(r.Scan), r.Runs * t.known.Scan(r.Scan), true
			}
		}
		return 0, 0, false
	}
}

// Rows implements executor.Thought.
func (t thought) Rows(n plan.Node) float64 {
	return cardinality.Estimator{Values: t.known.Values}.Rows(n)
}

// thought is what a run of a plan for some values is thought to take; nil: nothing bounds what it takes.
func (s runner) thought(st *Statement, n plan.Node, known *expr.Context) executor.Thought {
	if s.settings.MaxRead == 0 && s.settings.MaxUnits == 0 && s.settings.MaxWrites == 0 {
		return nil
	}
	return thought{n, st.chooser, cost.Known{Values: known, Store: s.db.Store.Capabilities(),
		Eventual: s.txn.Reads(st.writes())}}
}
