package cost

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// Together is what bounds on columns of a table keep together: if the columns depend on each other, more or less than
// the product of what each keeps.
type Together struct {
	Table  *catalog.Table
	Of     any           // the use of the table in a statement, where there are several
	Values *expr.Context // for the values of bounds
	bounds []keeping
}

// keeping is a bound, and the share of the rows that it keeps alone.
type keeping struct {
	plan.Bound
	keeps  float64
	points bool // it leaves single values
}

// Add adds a bound, which alone keeps a share of the rows.
func (g *Together) Add(b plan.Bound, keeps float64) {
	points := func(t plan.Term) bool {
		return t.Image == nil && (t.Op == plan.TermEQ || t.Op == plan.TermIn || t.Op == plan.TermAny)
	}
	if !slices.ContainsFunc(g.bounds, func(k keeping) bool { return k.Column == b.Column }) {
		g.bounds = append(g.bounds, keeping{b, keeps, slices.ContainsFunc(b.Terms, points)})
	}
}

// Correction is by what the product of all shares is to be multiplied. What statistics objects know of common
// combinations of values comes first.
func (g *Together) Correction() float64 {
	times, left := 1.0, g.bounds
	for len(left) > 1 {
		c := g.commonOf(left)
		if c == nil {
			break
		}
		times *= c.correction(g.dependent(c.bounds), g.Table.RowCount())
		left = slices.DeleteFunc(slices.Clone(left), func(k keeping) bool { return c.covers(k.Column) })
	}
	return times * g.dependent(left)
}

// dependent is the correction for columns that depend on each other: as many times as their values have more
// combinations, were they independent, than there are, or as one follows from others, but for no more rows than one of
// the bounds keeps. Bounds that do not leave single values are not looked at.
func (g *Together) dependent(bounds []keeping) float64 {
	var columns []uint32
	least, product, independent := 1.0, 1.0, 1.0
	each := func(id uint32) float64 { return Distinct(g.Table, id) }
	for _, b := range bounds {
		if b.points {
			columns = append(columns, b.Column)
			least, product = math.Min(least, b.keeps), product*b.keeps
			independent *= each(b.Column)
		}
	}
	if len(columns) < 2 || product == 0 {
		return 1
	}
	times := independent / math.Max(1, g.Table.Stats.Combinations(columns, each))
	times = math.Max(times, g.following(bounds, columns))
	return math.Max(1, math.Min(times, least/product))
}
