package cardinality

import (
	"maps"
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// What conditions are thought to keep of which nothing is known.
const (
	// opaque is the share of a condition that is a function, or a bound on one side.
	opaque = 1. / 3
	// contained is the share of one that asks whether something is in another thing: a pattern in a text, an element in
	// an array.
	contained = 1. / 50
	// answered is the share of a subquery that is run for each row.
	answered = 1. / 2
)

// conditions are taken apart: what they say of columns of tables by terms, and the rest.
type conditions struct {
	terms map[int][]plan.Term // by the place of the column
	rest  float64             // the share of rows for which all others are true
	in    profile             // with columns for expressions of which statistics know the values
}

// share is the share of rows for which conditions are all true.
func (e *estimate) share(conds []expr.Expr, in profile) float64 {
	return e.shareOf(e.split(conds, in))
}

// shareOf is the share of rows for which conditions are all true. Terms on one column are put together; columns are
// taken to be independent of each other, unless statistics say that they are not.
func (e *estimate) shareOf(s conditions) float64 {
	share, in := s.rest, s.in
	var together []*cost.Together // of each relation
	for _, at := range slices.Sorted(maps.Keys(s.terms)) {
		c := &in.columns[at]
		one := e.bound(c, s.terms[at])
		share *= one
		i := slices.IndexFunc(together, func(t *cost.Together) bool { return t.Of == c.of })
		if i < 0 {
			i, together = len(together), append(together, &cost.Together{Of: c.of, Table: c.of.table, Values: e.Values})
		}
		together[i].Add(plan.Bound{Column: c.id, Terms: s.terms[at]}, one)
	}
	for _, t := range together {
		share *= t.Correction()
	}
	return math.Min(1, math.Max(0, share))
}

// split takes conditions apart. A term that says less than its condition counts only where values of the column are not
// known, from which more can be told; one on what a rising function makes of the column says nearly as much, and with
// other bounds it makes an interval.
func (e *estimate) split(conds []expr.Expr, in profile) conditions {
	conds, in = e.withComputed(conds, in)
	out := conditions{map[int][]plan.Term{}, 1, in}
	for _, cond := range conds {
		for _, c := range expr.Conjuncts(cond) {
			at, term, exact, ok := plan.TermOf(c)
			if !ok || at >= len(in.columns) || in.columns[at].of == nil {
				out.rest *= e.one(c, in)
				continue
			}
			if !exact && term.Image == nil {
				if share, tried := e.tried(c, in); tried {
					out.rest *= share
					continue
				}
			}
			out.terms[at] = append(out.terms[at], term)
		}
	}
	return out
}

// bound is the share of the values of a column that terms keep. What other conditions have left of them is thought to
// hold those.
func (e *estimate) bound(c *column, terms []plan.Term) float64 {
	share := cost.Fraction(c.of.table, plan.Bound{Column: c.id, Terms: terms}, e.Values)
	return math.Min(1, share*math.Max(1, cost.Distinct(c.of.table, c.id)/c.domain))
}

// points is the share of the values of a column, each counted once, that terms on the column keep.
func (e *estimate) points(c *column, terms []plan.Term) float64 {
	share, points := 1.0, math.Inf(1)
	var bounds []plan.Term
	for _, term := range terms {
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
	for _, known := range []func(expr.Expr, profile) (float64, bool){e.searched, e.member, e.tried} {
		if share, ok := known(cond, in); ok {
			return share
		}
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
		nulls := in.nulls(c.Arg)
		if c.Not {
			return 1 - nulls
		}
		return nulls
	case expr.In:
		one := e.compared(expr.Compare{Op: expr.EQ, Left: c.Arg, Right: c.List[0]}, in)
		among := math.Min(1, float64(len(c.List))*one)
		if c.Not {
			return math.Max(0, 1-among-in.nulls(c.Arg))
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
		if share, ok := called(e, c); ok {
			return share
		}
	}
	if expr.Any(cond, func(x expr.Expr) bool { _, is := x.(expr.Subquery); return is }) {
		return answered
	}
	return opaque
}

// called is the share of rows for which a call is true, if something is known of it.
func called(e *estimate, c expr.Call) (share float64, ok bool) {
	if c.Fn.Count != nil && c.Fn.Rows == nil {
		if args, ok := e.arguments(expr.Call{Args: c.Args[:1]}); ok {
			return c.Fn.Count(args), true
		}
	}
	return contained, isPattern(c)
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
	return math.Max(0, 1-in.nulls(cond)-e.share([]expr.Expr{cond}, in))
}

// either is the share of rows for which one of several conditions is true. Those on one column alone are taken to
// exclude each other, as values of a list do, but for those on elements of the column, which has several.
func (e *estimate) either(conds []expr.Expr, in profile) float64 {
	sum, none := 0.0, 1.0
	read, disjoint := map[int]bool{}, true
	for _, c := range conds {
		s := e.share([]expr.Expr{c}, in)
		_, ofElements := e.searched(c, in)
		disjoint = disjoint && !ofElements
		sum, none = sum+s, none*(1-s)
		expr.Columns(c, read)
	}
	if len(read) == 1 && disjoint {
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
	if c, ok := e.computedColumn(x, in); ok {
		return c
	}
	n := e.valuesOf(x, in)
	if sampleOf(x, in) == nil {
		n = math.Min(n, cost.UnknownDistinct) // a function may make the same of many values
	}
	return computed(n)
}

// nulls is the share of rows for which an expression is NULL.
func (p profile) nulls(x expr.Expr) float64 {
	known := 1.0
	for _, at := range readBy(x) {
		known *= 1 - p.columns[at].nulls
	}
	return 1 - known
}

// readBy are the places of the columns that an expression reads.
func readBy(x expr.Expr) []int {
	read := map[int]bool{}
	expr.Columns(x, read)
	return slices.Sorted(maps.Keys(read))
}
