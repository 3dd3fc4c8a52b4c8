package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
	"zproxy/types"
)

// leaveOutScan does without a scan whose conditions contradict what its table declares of all rows, or, in an input of
// an Append, each other.
//
//	Scan january filter=(at > '2024-03-01')   →   no rows
//	declared: (at < '2024-02-01')
//
// It must not fire when only a value of the run would contradict.
var leaveOutScan = Rule{"LeaveOutScan", func(o *Options, n plan.Node) (plan.Node, bool) {
	s, ok := n.(plan.Scan)
	if !ok || s.Access != nil || !leavable(s) && !(appended(o.above) && twiceBound(s.Filter)) || !contradicted(s, nil) {
		return n, false
	}
	return plan.Values{Cols: s.Cols}, true
}}

// leavable says whether the conditions of a scan may leave it out.
func leavable(s plan.Scan) bool {
	return len(s.Declared) > 0 && len(s.Filter) > 0
}

// appended says whether there is an Append among the nodes above a scan: what it is asked is put together of the
// conditions of the query and of those of one input.
func appended(above []plan.Node) bool {
	return slices.ContainsFunc(above, func(n plan.Node) bool {
		_, ok := n.(plan.Append)
		return ok
	})
}

// twiceBound says whether several conditions bound the same column.
func twiceBound(conds []expr.Expr) bool {
	for i, c := range conds {
		column, _, _, ok := plan.TermOf(c)
		if ok && slices.ContainsFunc(conds[:i], func(x expr.Expr) bool {
			other, _, _, ok := plan.TermOf(x)
			return ok && column == other
		}) {
			return true
		}
	}
	return false
}

// contradicted says whether the conditions of a scan contradict what its table declares. With value, which
// rewrites expressions, they do so for some values.
func contradicted(s plan.Scan, value func(expr.Expr) expr.Expr) bool {
	var conds []expr.Expr
	for _, cond := range s.Declared {
		conds = append(conds, expr.IsBool{Arg: cond, Not: true})
	}
	for _, cond := range s.Filter {
		if value != nil {
			if cond = expr.Rewrite(cond, value); never([]expr.Expr{cond}) {
				return true
			}
		}
		conds = append(conds, expr.Renumber(cond, func(i int) int { return s.Reads[i] }))
	}
	if falseFor(s.Declared, conds[len(s.Declared):]) {
		return true
	}
	filled := func(column int) bool { return s.Table.Columns[column].NotNull || s.Table.Columns[column].Declared }
	return proof.Contradict(conds, filled)
}

// falseFor says whether one of some conditions is false for the values that others set columns equal to, as that of a
// partition by hashes is.
func falseFor(declared, conds []expr.Expr) bool {
	known := map[int]expr.Expr{}
	for _, cond := range conds {
		c, ok := cond.(expr.Compare)
		if !ok || c.Op != expr.EQ {
			continue
		}
		column, isColumn := c.Left.(expr.Column)
		value, isConst := c.Right.(expr.Const)
		if isColumn && isConst {
			known[column.Index] = value
		}
	}
	if len(known) == 0 {
		return false
	}
	return slices.ContainsFunc(declared, func(cond expr.Expr) bool {
		of := map[int]bool{}
		expr.Columns(cond, of)
		for column := range of {
			if known[column] == nil {
				return false
			}
		}
		value, ok := expr.Rewrite(cond, func(e expr.Expr) expr.Expr {
			if c, ok := e.(expr.Column); ok {
				return known[c.Index]
			}
			folded, _ := expr.Fold(e, &types.Env{})
			return folded
		}).(expr.Const)
		return ok && !value.Value.IsNull() && !value.Value.IsTrue()
	})
}
