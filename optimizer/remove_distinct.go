package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// removeDistinct leaves out a DISTINCT whose rows differ anyway, since they have the columns of a key, or are one.
//
//	Distinct                             Project a, b
//	└─ Project a, b                  →   └─ Scan t, with the key a
//	   └─ Scan t, with the key a
//
// It does so with groups of which nothing is computed, with count(DISTINCT a), and on the right side of a semi or anti
// join, where equal rows make no difference, if they are few. It must not fire on a key of which a column may be NULL:
// there may be many rows with NULL.
var removeDistinct = Rule{"RemoveDistinct", func(o *Options, n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Distinct:
		by := n.On
		if by == nil {
			by = columnsAsExprs(n.Input)
		}
		if rowkey.Unique(n.Input, agreed(by)) {
			return n.Input, true
		}
	case plan.Aggregate:
		return withoutDistinct(n)
	case plan.Join:
		if n.Method == nil && (n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin) {
			right, ok := o.notDistinct(n.Right)
			n.Right = right
			return n, ok
		}
	}
	return n, false
}}

// agreed are the columns in which rows agree if they do in some expressions.
func agreed(list []expr.Expr) rowkey.Columns {
	out := rowkey.Columns{}
	for _, e := range list {
		if c, ok := plan.ColumnOf(e); ok {
			out[c.Index] = false
		}
	}
	return out
}

// withoutDistinct is an Aggregate that does not look for equal rows where there are none.
func withoutDistinct(n plan.Aggregate) (plan.Node, bool) {
	if len(n.Calls) == 0 {
		if len(n.Groups) > 0 && rowkey.Unique(n.Input, agreed(n.Groups)) {
			return plan.Project{Input: n.Input, Exprs: n.Groups, Cols: n.Cols}, true
		}
		return n, false
	}
	calls, changed := slices.Clone(n.Calls), false
	for i, c := range calls {
		if c.Distinct && anyOrder(c.Fn.Name) && rowkey.Unique(n.Input, agreed(slices.Concat(n.Groups, c.Args))) {
			calls[i].Distinct, changed = false, true
		}
	}
	n.Calls = calls
	return n, changed
}

// anyOrder says whether an aggregate does not depend on the order of rows, in which DISTINCT brings them.
func anyOrder(name string) bool { return name == "count" || name == "min" || name == "max" }

// mostEqual is how many equal rows there may be of each, on average, for a hash table of all of them to be no larger
// than the one of the DISTINCT and the one of its rows together.
const mostEqual = 2

// notDistinct is a plan without the DISTINCT at its top, which costs more than to have rows several times.
func (o *Options) notDistinct(n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Distinct:
		if n.On == nil && o.rows(n.Input) <= mostEqual*o.rows(n) {
			return n.Input, true
		}
	case plan.Aggregate:
		if len(n.Calls) == 0 && len(n.Groups) > 0 && o.rows(n.Input) <= mostEqual*o.rows(n) {
			return plan.Project{Input: n.Input, Exprs: n.Groups, Cols: n.Cols}, true
		}
	case plan.Project:
		if !slices.ContainsFunc(n.Exprs, volatile) {
			in, ok := o.notDistinct(n.Input)
			n.Input = in
			return n, ok
		}
	case plan.Filter:
		if !volatile(n.Cond) {
			in, ok := o.notDistinct(n.Input)
			n.Input = in
			return n, ok
		}
	}
	return n, false
}
