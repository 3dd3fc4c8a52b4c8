package rowkey

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// Equivalences are the columns that conditions make equal to each other, under the ordinal of each of them. Two columns
// that are compared without a cast hold their values in the same way, so what compares with one does with the other.
func Equivalences(conds []expr.Expr) map[int][]expr.Column {
	var classes map[int][]expr.Column
	for _, c := range conds {
		l, r, ok := EqualColumns(c)
		if !ok || l.Index == r.Index {
			continue
		}
		if classes == nil {
			classes = map[int][]expr.Column{}
		}
		unite(classes, l, r)
	}
	return classes
}

// EqualColumns are those that a condition makes equal.
func EqualColumns(cond expr.Expr) (l, r expr.Column, ok bool) {
	e, ok := cond.(expr.Compare)
	if !ok || e.Op != expr.EQ {
		return l, r, false
	}
	l, isLeft := plan.ColumnOf(e.Left)
	r, isRight := plan.ColumnOf(e.Right)
	return l, r, isLeft && isRight
}

// unite makes one class of those of two columns.
func unite(classes map[int][]expr.Column, a, b expr.Column) {
	for _, c := range []expr.Column{a, b} {
		if classes[c.Index] == nil {
			classes[c.Index] = []expr.Column{c}
		}
	}
	if slices.ContainsFunc(classes[a.Index], func(c expr.Column) bool { return c.Index == b.Index }) {
		return
	}
	class := slices.Concat(classes[a.Index], classes[b.Index])
	for _, member := range class {
		classes[member.Index] = class
	}
}
