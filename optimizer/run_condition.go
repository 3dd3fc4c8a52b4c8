package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// runCondition ends the rows of each partition of a window with the first one that a condition drops, where the numbers
// of all rows behind it are no lower.
//
//	Filter ((n <= 3) AND (b > 5))          Filter (b > 5)
//	└─ Window order a row_number()     →   └─ Window order a row_number() run=(row_number() <= 3)
//	   └─ Sort a                              └─ Limit 3
//	      └─ Scan t                              └─ Sort a
//	                                                └─ Scan t
//
// Without partitions no more rows are sorted than come out: with rank() those that equal the last one, too. It must not
// fire on a condition that asks for high numbers; nor leave out rows below a window with a function that looks at rows
// behind, such as lead() or a sum over all. The rule is PostgreSQL's, find_window_run_conditions.
var runCondition = Rule{"RunCondition", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	w, ok := f.Input.(plan.Window)
	if !ok {
		return n, false
	}
	var stay []expr.Expr
	run := slices.Clone(w.Run)
	for _, c := range expr.Conjuncts(f.Cond) {
		cond, exact, ok := runs(c, w)
		if !ok || !exact {
			stay = append(stay, c)
		}
		if ok && !slices.ContainsFunc(run, func(x expr.Compare) bool { return expr.Equal(x, cond) }) {
			run = append(run, cond)
		}
	}
	if len(run) == len(w.Run) {
		return n, false
	}
	for _, cond := range run[len(w.Run):] {
		w.Input = firstRows(w, cond)
	}
	w.Run = run
	return filtered(w, stay), true
}}

// runs is a condition as one on a call of a window that rises, and whether that says all that the condition does.
func runs(cond expr.Expr, w plan.Window) (run expr.Compare, exact, ok bool) {
	run, ok = cond.(expr.Compare)
	if !ok {
		return run, false, false
	}
	if _, isColumn := run.Left.(expr.Column); !isColumn {
		run.Left, run.Right, run.Op = run.Right, run.Left, run.Op.Flip()
	}
	c, isColumn := run.Left.(expr.Column)
	call := c.Index - plan.Width(w.Input)
	if !isColumn || call < 0 || !w.Calls[call].Rises() || !expr.Fixed(run.Right) || holdsSubquery(run.Right) {
		return run, false, false
	}
	c.Index, c.Name = call, calledOver(w.Calls[call])
	run.Left = c
	switch run.Op {
	case expr.LT, expr.LE:
		return run, true, true
	case expr.EQ:
		run.Op = expr.LE
		return run, false, true
	}
	return run, false, false
}

// calledOver is a call as EXPLAIN shows it, without its window.
func calledOver(c plan.WindowCall) string {
	name, args := "", ""
	if c.Fn != nil {
		name = c.Fn.Name
	} else if name = c.Aggregate.Name; len(c.Args) == 0 {
		args = "*"
	}
	for i, a := range c.Args {
		if i > 0 {
			args += ", "
		}
		args += a.String()
	}
	return name + "(" + args + ") OVER (?)"
}

// ranksOnly says whether no function of a window looks at rows behind the one it is computed for.
func ranksOnly(w plan.Window) bool {
	return !slices.ContainsFunc(w.Calls, func(c plan.WindowCall) bool { return !c.Ranks() })
}

// firstRows is the input of a window without partitions, of which only those rows are read that a condition on a number
// lets come out.
func firstRows(w plan.Window, cond expr.Compare) plan.Node {
	count, function, ok := mostRanked(w, cond)
	if !ok || len(w.Partition) > 0 {
		return w.Input
	}
	limit := plan.Limit{Input: w.Input, Count: expr.Const{Value: types.NewInt(count), T: types.Int8}}
	switch {
	case function == "row_number":
		return limit
	case function == "rank" && len(w.Order) > 0:
		limit.Ties = w.Order
		return limit
	}
	return w.Input
}

// mostRanked is the greatest number that a condition on a window lets come out, and the function whose number it is. It
// is not ok if that is unknown, or a function of the window looks at rows behind.
func mostRanked(w plan.Window, cond expr.Compare) (count int64, function string, ok bool) {
	most, ok := cond.Right.(expr.Const)
	if !ok || most.Value.IsNull() || most.Value.Kind() != types.KindInt || !ranksOnly(w) {
		return 0, "", false
	}
	if count = most.Value.Int(); cond.Op == expr.LT {
		count--
	}
	return max(count, 0), w.Calls[cond.Left.(expr.Column).Index].Fn.Name, true
}
