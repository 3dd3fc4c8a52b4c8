package cost

import (
	"math"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/celltime"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
)

// UnknownDistinct is how many values a column is thought to have of which nothing is known, as in PostgreSQL.
const UnknownDistinct = 200

// What else is assumed then, as there: a bound on one side keeps a third, bounds on both sides one row in 200, all
// other conditions together one in 3.
const (
	oneSided = 1.0 / 3
	twoSided = 1.0 / 200
	opaque   = 3 // for one that is kept
)

// mostPoints is how many values of a list are looked at one by one. Of longer ones only their
// number counts.
const mostPoints = 1000

// Fraction is the share of the rows of a table that a bound keeps. Terms whose values are known, which
// those by parameters are not yet, leave a set of values; others are reckoned with by their kind.
func Fraction(t *catalog.Table, b plan.Bound, values *expr.Context) float64 {
	var known, unknown []plan.Term
	s, set := spreadOf(t, b.Column), span.Everything
	for _, term := range b.Terms {
		if isLife(t, b.Column, term) {
			continue
		}
		if len(term.Args) <= mostPoints {
			if more, err := (plan.Bound{Column: b.Column, Terms: []plan.Term{term}}).Set(values); err == nil {
				known, set = append(known, term), set.Intersect(more)
				continue
			}
		}
		unknown = append(unknown, term)
	}
	f := 1.0
	if known != nil {
		f = s.share(set)
	}
	return math.Max(f*s.guess(known, unknown), s.least())
}

// Most is the greatest share of the rows of a table that a bound keeps, whatever the values are that are not known yet.
func Most(t *catalog.Table, b plan.Bound, values *expr.Context) float64 {
	s, most := spreadOf(t, b.Column), 1.0
	greatest := s.point()
	if len(s.Common) > 0 {
		greatest = math.Max(greatest, s.Common[0].Share)
	}
	for _, term := range b.Terms {
		one := plan.Bound{Column: b.Column, Terms: []plan.Term{term}}
		if _, err := one.Set(values); err == nil {
			most = math.Min(most, Fraction(t, one, values))
		} else if term.Image == nil && (term.Op == plan.TermEQ || term.Op == plan.TermIn) {
			most = math.Min(most, float64(PointsOf(term))*greatest)
		}
	}
	return most
}

// isLife says whether a term on a column is the one for rows to be there, which nearly all meet.
func isLife(t *catalog.Table, column uint32, term plan.Term) bool {
	if t.TTL == nil && celltime.Has(t) {
		return t.Columns[celltime.DeletedAt(t)].ID == column && term.Op == plan.TermNull
	}
	return t.TTL != nil && t.TTL.Column == column && term.Op == plan.TermGT && term.Image == nil &&
		expr.Equal(term.Args[0], lifetime.Cutoff(t))
}

// Distinct is how many different values a column is thought to have.
func Distinct(t *catalog.Table, column uint32) float64 { return spreadOf(t, column).distinct }

// spreadOf is what is known of the values of a column.
func spreadOf(t *catalog.Table, column uint32) *spread {
	column = axis.Unformed(column) // texts in a normal form are thought to lie as the texts do
	stats := t.Stats.Column(column)
	s := &spread{ColumnStats: &stats, rows: math.Max(t.RowCount(), 1), distinct: stats.Distinct}
	if s.distinct <= 0 {
		s.distinct = math.Min(UnknownDistinct, s.rows)
		if l := t.Primary.Columns(); len(l) == 1 && l[0] == column {
			s.distinct = s.rows
		}
	}
	for _, common := range stats.Common {
		s.common += common.Share
	}
	return s
}

// UnknownPoints is how many elements an array is thought to have that is not known yet.
const UnknownPoints = 32

// PointsOf is how many points a term is thought to leave.
func PointsOf(t plan.Term) int {
	if t.Op == plan.TermAny {
		return UnknownPoints
	}
	return max(len(t.Args), 1)
}

// guess is the share that terms keep of which only the kind is known, after others whose values are.
func (s *spread) guess(known, unknown []plan.Term) float64 {
	f := 1.0
	for _, t := range unknown {
		switch t.Op {
		case plan.TermEQ:
			return s.anyPoint()
		case plan.TermIn, plan.TermAny:
			f = math.Min(f, float64(PointsOf(t))*s.anyPoint())
		}
	}
	low, high := sides(unknown)
	if f < 1 || !low && !high {
		return f
	}
	if l, h := sides(known); (low || l) && (high || h) {
		return twoSided
	}
	return oneSided
}

// sides says whether terms bound values from below and from above.
func sides(terms []plan.Term) (low, high bool) {
	for _, t := range terms {
		switch t.Op {
		case plan.TermPrefix, plan.TermWithin:
			low, high = true, true
		case plan.TermLT, plan.TermLE:
			high = true
		case plan.TermGT, plan.TermGE:
			low = true
		}
	}
	return low, high
}
