package session

import (
	"sync"

	"zproxy/catalog/learned"
	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// Of the runs of a statement the first ones are judged by their estimates, and then one of many: that takes about as
// long as a point read.
const (
	judgedFirst = 4
	judgedRuns  = 128
)

// expect notes what a run of a statement is expected to return and to be charged, for zproxy.statements. It gives what
// is to be called for each scan that was read to its end, nil for nothing.
func (s runner) expect(st *Statement, n plan.Node, known *expr.Context) func(plan.Scan, int64) {
	if !s.running.Judges(&st.subject) {
		return nil
	}
	if st.runs++; st.runs > judgedFirst && st.runs%judgedRuns != 1 {
		return nil
	}
	rows := cardinality.Estimator{Values: known}.Rows
	units := 0.0
	if c := s.db.Store.Capabilities(); c.Units {
		k := cost.Known{Values: known, Store: c, Eventual: s.txn.Reads(st.writes())}
		units = k.Reads(st.chooser.Priced(n, known), rows).Units
	}
	s.running.Expect(rows(n), units)
	return judgedScans(n, known)
}

// judged is how many rows the statistics make expect of a scan, until it was judged by those that came.
type judged struct {
	cell    *learned.Cell
	thought float64
}

// judgedScans judges the scans of a plan by the rows that they deliver, each once in a run. A scan whose rows are
// counted by a limit, also of each prefix, or that has the key of one row, tells nothing of its conditions.
func judgedScans(n plan.Node, known *expr.Context) func(plan.Scan, int64) {
	rows := cardinality.Estimator{Values: known, ByStatistics: true}.Rows
	scans := map[*plan.Access]judged{}
	for _, scan := range plan.Scans(n) {
		_, point := scan.Access.Path.(plan.Point)
		if !point && len(scan.Filter) > 0 && scan.Access.Most == nil && scan.Access.Each.Count == 0 {
			scans[scan.Access] = judged{scan.Table.Stats.Learned, rows(scan)}
		}
	}
	if len(scans) == 0 {
		return nil
	}
	var mu sync.Mutex
	return func(s plan.Scan, came int64) {
		mu.Lock()
		of, ok := scans[s.Access]
		delete(scans, s.Access)
		mu.Unlock()
		if ok {
			of.cell.Judge(func() string { return cardinality.Conditions(s) }, of.thought, float64(came))
		}
	}
}
