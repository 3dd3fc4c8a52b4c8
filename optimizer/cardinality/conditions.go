package cardinality

import (
	"math"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// What conditions are thought to keep of which nothing is known.
const (
	// opaque is the share of a condition that is a function, or a bound on one side.
	opaque = 1. / 3
	// likely is the share of one that asks whether something is in another thing: a pattern in a text, an element in an
	// array.
	contained = 1. / 50
	// answered is the share of a subquery that is run for each row.
	answered = 1. / 2
)

// share is the share of rows for which conditions are all true. What is said of one column is put together; columns
// are taken to be independent of each other.
func (e *estimate) share(conds []expr.Expr, in profile) float64 {
	share := 1.0
	bounds := map[int][]plan.Term{}
	for _, cond := range conds {
		for _, c := range expr.Conjuncts(cond) {
			if at, term, ok := e.term(c, in); ok {
				bounds[at] = append(bounds[at], term)
				continue
			}
			share *= e.one(c, in)
		}
	}
	for at, terms := range bounds {
		share *= e.bound(&in.columns[at], terms)
	}
	return math.Min(1, math.Max(0, share))
}

// term is what a condition says of a column of a table, where a term says all of it, or values of the column are not
// known from which more could be told.
func (e *estimate) term(cond expr.Expr, in profile) (int, plan.Term, bool) {
	at, term, exact, ok := plan.TermOf(cond)
	if !ok || at >= len(in.columns) || in.columns[at].of == nil {
		return 0, term, false
	}
	if !exact {
		if _, tried := e.shareOf(cond, in); tried {
			return 0, term, false
		}
	}
	return at, term, true
}

// bound is the share of the values of a column that terms keep.
func (e *estimate) bound(c *column, terms []plan.Term) float64 {
	return cost.Fraction(c.of.table, plan.Bound{Column: c.id, Terms: terms}, e.Values)
}

// points is the share of the values of a column, each counted once, that conditions on the column keep.
func (e *estimate) points(conds []expr.Expr, in profile, at int) float64 {
	c := &in.columns[at]
	share, points := 1.0, math.Inf(1)
	var bounds []plan.Term
	for _, cond := range conds {
		on, term, ok := e.term(cond, in)
		if !ok || on != at {
			continue
		}
		switch term.Op {
		case plan.TermEQ, plan.TermIn, plan.TermAny:
			if term.Image == nil {
				points = math.Min(points, float64(cost.PointsOf(term)))
				continue
			}
			bounds = append(bounds, term)
		case plan.TermNull, plan.TermNotNull:
		default:
			bounds = append(bounds, term)
		}
	}
	if len(bounds) > 0 {
		share = e.bound(c, bounds)
	}
	return math.Min(share, points/c.distinct)
}

// one is the share of rows for which a condition is true.
func (e *estimate) one(cond expr.Expr, in profile) float64 {
	switch c := cond.(type) {
	case expr.Const:
		if c.Value.IsTrue() {
			return 1
		}
		return 0
	case expr.Logic:
		if !c.Or {
			return e.share(c.Args, in)
		}
		return e.either(c.Args, in)
	case expr.Not:
		return e.not(c.Arg, in)
	}
	if share, ok := e.shareOf(cond, in); ok {
		return share
	}
	switch c := cond.(type) {
	case expr.Compare:
		return e.compared(c, in)
	case expr.Distinct:
		equal := e.compared(expr.Compare{Op: expr.EQ, Left: c.Left, Right: c.Right}, in)
		if c.Not {
			return equal
		}
		return 1 - equal
	case expr.IsNull:
		nulls := e.nulls(c.Arg, in)
		if c.Not {
			return 1 - nulls
		}
		return nulls
	case expr.In:
		one := e.compared(expr.Compare{Op: expr.EQ, Left: c.Arg, Right: c.List[0]}, in)
		among := math.Min(1, float64(len(c.List))*one)
		if c.Not {
			return math.Max(0, 1-among-e.nulls(c.Arg, in))
		}
		return among
	case expr.Quantified:
		if c.All {
			return opaque
		}
		one := e.compared(expr.Compare{Op: expr.EQ, Left: c.Arg, Right: c.Array}, in)
		return math.Min(1, cost.UnknownPoints*one)
	case expr.RowCompare:
		if c.Op != expr.EQ {
			return opaque
		}
		share := 1.0
		for i := range c.Left {
			share *= e.compared(expr.Compare{Op: expr.EQ, Left: c.Left[i], Right: c.Right[i]}, in)
		}
		return share
	case expr.Call:
		if isPattern(c) {
			return contained
		}
	}
	if expr.Any(cond, func(x expr.Expr) bool { _, is := x.(expr.Subquery); return is }) {
		return answered
	}
	return opaque
}

// isPattern says whether an operator asks whether something is in another thing.
func isPattern(c expr.Call) bool {
	switch c.Fn.Operator {
	case "~~", "~~*", "~", "~*", "@>", "<@", "&&", "?", "?|", "?&", "@@":
		return true
	}
	return false
}

// not is the share of rows for which a condition is false.
func (e *estimate) not(cond expr.Expr, in profile) float64 {
	read := map[int]bool{}
	expr.Columns(cond, read)
	known := 1.0
	for at := range read {
		known *= 1 - in.columns[at].nulls
	}
	return math.Max(0, known-e.share([]expr.Expr{cond}, in))
}

// either is the share of rows for which one of several conditions is true. Those on one column alone are taken to
// exclude each other, as values of a list do.
func (e *estimate) either(conds []expr.Expr, in profile) float64 {
	sum, none := 0.0, 1.0
	read := map[int]bool{}
	for _, c := range conds {
		s := e.share([]expr.Expr{c}, in)
		sum, none = sum+s, none*(1-s)
		expr.Columns(c, read)
	}
	if len(read) == 1 {
		return math.Min(1, sum)
	}
	return 1 - none
}

// compared is the share of rows for which a comparison is true.
func (e *estimate) compared(c expr.Compare, in profile) float64 {
	l, r := e.side(c.Left, in), e.side(c.Right, in)
	known := (1 - l.nulls) * (1 - r.nulls)
	equal := known / math.Max(l.domain, r.domain)
	switch c.Op {
	case expr.EQ:
		return equal
	case expr.NE:
		return known - equal
	}
	return known * opaque
}

// side is what is known of one side of a comparison.
func (e *estimate) side(x expr.Expr, in profile) column {
	if c, ok := plan.ColumnOf(x); ok {
		return in.columns[c.Index]
	}
	if expr.Fixed(x) {
		return computed(1)
	}
	n := e.valuesOf(x, in)
	if sampleOf(x, in) == nil {
		n = math.Min(n, unknownDistinct) // a function may make the same of many values
	}
	return computed(n)
}

// nulls is the share of rows for which an expression is NULL.
func (e *estimate) nulls(x expr.Expr, in profile) float64 {
	read := map[int]bool{}
	expr.Columns(x, read)
	known := 1.0
	for at := range read {
		known *= 1 - in.columns[at].nulls
	}
	return 1 - known
}
