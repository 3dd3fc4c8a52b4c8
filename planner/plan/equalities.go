package plan

import "zproxy/expr"

// Equalities splits the condition of a join into equalities between the sides and a rest.
func (n Join) Equalities() JoinMethod {
	width := Width(n.Left)
	var m JoinMethod
	var rest []expr.Expr
	for _, c := range expr.Conjuncts(n.On) {
		if k, ok := joinKey(c, width); ok {
			m.Keys = append(m.Keys, k)
		} else {
			rest = append(rest, c)
		}
	}
	m.Residual = expr.Conjoin(rest)
	return m
}

// joinKey reads an equality between values of the two sides, of which the left one has a number of columns.
func joinKey(cond expr.Expr, width int) (JoinKey, bool) {
	var l, r expr.Expr
	k := JoinKey{}
	switch e := cond.(type) {
	case expr.Compare:
		if e.Op != expr.EQ {
			return k, false
		}
		l, r = e.Left, e.Right
	case expr.Distinct:
		if !e.Not {
			return k, false
		}
		l, r, k.NullsEqual = e.Left, e.Right, true
	default:
		return k, false
	}
	if !within(l, 0, width) {
		l, r = r, l
	}
	if !within(l, 0, width) || !within(r, width, -1) || expr.Any(cond, differs) {
		return k, false
	}
	k.Left, k.Right = l, expr.Shift(r, -width)
	return k, true
}

// within says whether an expression reads columns, and none but those from one place up to another; -1: to the end.
func within(e expr.Expr, from, to int) bool {
	read := map[int]bool{}
	expr.Columns(e, read)
	for i := range read {
		if i < from || to >= 0 && i >= to {
			return false
		}
	}
	return len(read) > 0
}

// differs says whether an expression may have another value each time, or runs a query.
func differs(e expr.Expr) bool {
	if c, ok := e.(expr.Call); ok {
		return c.Fn.Volatility == expr.Volatile
	}
	_, ok := e.(expr.Subquery)
	return ok
}
