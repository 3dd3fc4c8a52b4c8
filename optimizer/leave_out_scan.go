package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
)

// leaveOutScan does without a scan whose conditions contradict what its table declares of all rows.
//
//	Scan january filter=(at > '2024-03-01')   →   no rows
//	declared: (at < '2024-02-01')
//
// It must not fire when only a value of the run would contradict, nor on a scan that locks its rows, above which
// is who expects a scan.
var leaveOutScan = Rule{"LeaveOutScan", func(_ *Options, n plan.Node) (plan.Node, bool) {
	s, ok := n.(plan.Scan)
	if !ok || len(s.Declared) == 0 || len(s.Filter) == 0 || s.Access != nil || s.Write || s.Lock {
		return n, false
	}
	var conds []expr.Expr
	for _, cond := range s.Declared {
		conds = append(conds, expr.IsBool{Arg: cond, Not: true})
	}
	for _, cond := range s.Filter {
		conds = append(conds, expr.Renumber(cond, func(i int) int { return s.Reads[i] }))
	}
	filled := func(column int) bool { return s.Table.Columns[column].NotNull || s.Table.Columns[column].Declared }
	if !proof.Contradict(conds, filled) {
		return n, false
	}
	return plan.Values{Cols: s.Cols}, true
}}
