package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// deriveCondition says of a column what a condition says of another one that equals it, so that each scan knows of it.
//
//	Join on (t.a = u.b)           Join on (t.a = u.b)
//	├─ Filter (a = 5)         →   ├─ Filter (a = 5)
//	│  └─ Scan t                  │  └─ Scan t
//	└─ Scan u                     └─ Filter (b = 5)
//	                                 └─ Scan u
//
// It must not fire on a side whose rows an outer or anti join keeps without a partner: they need not equal anything;
// nor on what the side is known to meet, so that it comes to an end. The equal columns are the equivalence classes
// of Selinger et al., Access Path Selection in a Relational Database Management System (1979), section 5.
var deriveCondition = Rule{"DeriveCondition", func(o *Options, n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Scan:
		return derivedInScan(n)
	case plan.Join:
		if plainInner(n) {
			return n, false // the topmost of the joins does it for all of them
		}
	}
	changed := false
	for i, x := range n.Inputs() {
		j, ok := x.(plan.Join)
		if !ok || !plainInner(j) {
			continue
		}
		if better, ok := derivedBelowJoin(o, j); ok {
			out := slices.Clone(n.Inputs())
			out[i] = better
			n, changed = n.WithInputs(out), true
		}
	}
	if j, ok := n.(plan.Join); ok && j.Method == nil && len(j.Slots) == 0 {
		better, ok := derivedBelowJoin(o, j)
		return better, changed || ok
	}
	return n, changed
}}

func derivedInScan(s plan.Scan) (plan.Node, bool) {
	if s.Access != nil {
		return s, false
	}
	derived := derive(s.Filter)
	if len(derived) == 0 {
		return s, false
	}
	s.Filter = append(slices.Clone(s.Filter), derived...)
	return s, true
}

func derivedBelowJoin(o *Options, j plan.Join) (plan.Node, bool) {
	return checkedBefore(o, j, derive(knownBelow(j)))
}

// checkedBefore checks on the sides of a join conditions over one side each that are true of all rows that have a
// partner: not where rows come out without one, nor what a side is known to meet.
func checkedBefore(o *Options, j plan.Join, conds []expr.Expr) (plan.Node, bool) {
	width := plan.Width(j.Left)
	var toLeft, toRight []expr.Expr
	for _, c := range conds {
		switch sideOf(c, width) {
		case left:
			if dropsLeft(j.Kind) && !meets(o, j.Left, c) {
				toLeft = append(toLeft, c)
			}
		case right:
			if c = expr.Shift(c, -width); dropsRight(j.Kind) && !meets(o, j.Right, c) {
				toRight = append(toRight, c)
			}
		}
	}
	if len(toLeft)+len(toRight) == 0 {
		return j, false
	}
	j.Left, j.Right = filtered(j.Left, toLeft), filtered(j.Right, toRight)
	return j, true
}

// derive is what conditions say of columns by way of others that they equal, without what they have already.
func derive(conds []expr.Expr) []expr.Expr {
	terms := map[int][]plan.Term{} // of a column
	for _, c := range conds {
		if column, term, ok := transferable(c); ok {
			terms[column] = append(terms[column], term)
		}
	}
	if len(terms) == 0 {
		return nil
	}
	equal := rowkey.Equivalences(conds)
	var derived []expr.Expr
	passed := map[int][]plan.Term{} // on to all of a class, by its first column
	for _, c := range conds {
		from, term, ok := transferable(c)
		if !ok || len(equal[from]) == 0 {
			continue
		}
		first := equal[from][0].Index
		if slices.ContainsFunc(passed[first], term.Same) {
			continue
		}
		passed[first] = append(passed[first], term)
		for _, to := range equal[from] {
			if slices.ContainsFunc(terms[to.Index], term.Same) {
				continue
			}
			terms[to.Index] = append(terms[to.Index], term)
			derived = append(derived, expr.Rewrite(c, func(x expr.Expr) expr.Expr {
				if _, ok := x.(expr.Column); ok {
					return to
				}
				return x
			}))
		}
	}
	return derived
}

// mostValues is how long a list may be that is derived for other columns: each round compares it with what is known.
// The rows of a longer one find their partners by the join.
const mostValues = 100

// transferable says of which column a condition is, and what it says, if it is true of every value that equals one of
// which it is true: a comparison with values of the run. Two values that are equal may still be written in different
// ways, such as 1.0 and 1.00, so that a function of them may differ.
func transferable(cond expr.Expr) (column int, term plan.Term, ok bool) {
	column, term, exact, ok := plan.TermOf(cond)
	if !ok || !exact || term.Area != nil || len(term.Args) > mostValues || holdsSubquery(cond) {
		return 0, term, false
	}
	switch term.Op {
	case plan.TermEQ, plan.TermLT, plan.TermLE, plan.TermGT, plan.TermGE, plan.TermIn, plan.TermAny:
		return column, term, true
	}
	return 0, term, false
}
