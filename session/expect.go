package session

import (
	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// judgedRuns is of how many runs of a statement one is judged by its estimate, which takes about as long as a point
// read.
const judgedRuns = 128

// expect notes what a run of a statement is expected to return and to be charged, for zproxy.statements.
func (s runner) expect(st *Statement, n plan.Node, known *expr.Context) {
	if !s.running.Judges(&st.subject) {
		return
	}
	if st.runs++; st.runs%judgedRuns != 1 {
		return
	}
	rows := cardinality.Estimator{Values: known}.Rows
	units := 0.0
	if c := s.db.Store.Capabilities(); c.Units {
		k := cost.Known{Values: known, Store: c, Eventual: s.txn.Reads(st.writes())}
		units = k.Reads(st.chooser.Priced(n, known), rows).Units
	}
	s.running.Expect(rows(n), units)
}
