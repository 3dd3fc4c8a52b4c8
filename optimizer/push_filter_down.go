package optimizer

import (
	"zproxy/expr"
	"zproxy/planner/leakproof"
	"zproxy/planner/plan"
)

// pushFilterDown checks a condition before rows are sorted, made different, shared,
// grouped or put behind others, where fewer come out of it.
//
//	Filter (a > 5)            Append
//	└─ Append             →   ├─ Filter (a > 5)
//	   ├─ Scan t              │  └─ Scan t
//	   └─ Scan u              └─ Filter (a > 5)
//	                             └─ Scan u
//
// It must not fire on a volatile condition; below a Limit, which counts rows; below an
// Aggregate or a Window on anything but what rows are grouped or partitioned by, whose
// values every row of a group shares, unless they are volatile; below a ProjectSet on what its functions return; below
// DISTINCT ON on anything else: the rows that it would drop decide which one comes first; nor below a Barrier on
// anything that may show what a row holds.
var pushFilterDown = Rule{"PushFilterDown", func(_ *Options, n plan.Node) (plan.Node, bool) {
	f, ok := n.(plan.Filter)
	if !ok {
		return n, false
	}
	pass := passable(f.Input)
	if pass == nil {
		return n, false
	}
	var down, stay []expr.Expr
	for _, c := range expr.Conjuncts(f.Cond) {
		if pass(c) && !volatile(c) && !holdsSubquery(c) {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	if len(down) == 0 {
		return n, false
	}
	return filtered(pushedBelow(f.Input, down), stay), true
}}

// holdsSubquery keeps a subquery in one place: it has one number.
func holdsSubquery(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		_, ok := x.(expr.Subquery)
		return ok
	})
}

// passable says which conditions may be checked below a node; nil: none.
func passable(n plan.Node) func(expr.Expr) bool {
	every := func(expr.Expr) bool { return true }
	switch n := n.(type) {
	case plan.Sort:
		if n.Most == nil {
			return every
		}
	case plan.Distinct:
		if n.On == nil {
			return every
		}
		return over(columnOrdinals(n.On))
	case plan.With, plan.Append, plan.LockRows:
		return every
	case plan.Barrier:
		return leakproof.Is
	case plan.SetOp:
		return every
	case plan.Aggregate:
		groups := map[int]bool{}
		for i, g := range n.Groups {
			groups[i] = !volatile(g) && !holdsSubquery(g)
		}
		return over(groups)
	case plan.Window:
		return over(columnOrdinals(n.Partition))
	case plan.ProjectSet:
		return func(e expr.Expr) bool { return readsInput(n, e) }
	}
	return nil
}

// columnOrdinals are the ordinals of the expressions that are plain columns.
func columnOrdinals(list []expr.Expr) map[int]bool {
	out := map[int]bool{}
	for _, e := range list {
		if c, ok := e.(expr.Column); ok {
			out[c.Index] = true
		}
	}
	return out
}

// over says which conditions read some of these columns and no other.
func over(ordinals map[int]bool) func(expr.Expr) bool {
	return func(e expr.Expr) bool {
		used := map[int]bool{}
		expr.Columns(e, used)
		for i := range used {
			if !ordinals[i] {
				return false
			}
		}
		return len(used) > 0
	}
}

// readsInput says whether an expression reads columns of the input of a ProjectSet, and none of its functions.
func readsInput(n plan.ProjectSet, e expr.Expr) bool {
	used := map[int]bool{}
	expr.Columns(e, used)
	for i := range used {
		if i >= plan.Width(n.Input) {
			return false
		}
	}
	return len(used) > 0
}

func pushedBelow(n plan.Node, conds []expr.Expr) plan.Node {
	switch n := n.(type) {
	case plan.With:
		n.Input = filtered(n.Input, conds)
		return n
	case plan.LockRows: // which may find other values
		n.Recheck = expr.Conjoin(append(expr.Conjuncts(n.Recheck), conds...))
		n.Input = filtered(n.Input, conds)
		return n
	case plan.Aggregate:
		below := make([]expr.Expr, len(conds))
		for i, c := range conds {
			below[i] = substitute(c, n.Groups)
		}
		n.Input = filtered(n.Input, below)
		return n
	}
	in := n.Inputs()
	out := make([]plan.Node, len(in))
	for i, x := range in {
		out[i] = filtered(x, conds)
	}
	return n.WithInputs(out)
}
