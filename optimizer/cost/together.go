package cost

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/planner/plan"
)

// Together is what bounds on columns of a table keep that leave single values: if the columns depend on each other,
// more than the product of what each keeps.
type Together struct {
	Table   *catalog.Table
	Of      any // the use of the table in a statement, where there are several
	columns []uint32
	least   float64 // what the one keeps that keeps the fewest
	product float64
}

// Add adds a bound, which alone keeps a share of the rows. One that does not leave single values is not looked at.
func (g *Together) Add(b plan.Bound, keeps float64) {
	points := func(t plan.Term) bool {
		return t.Image == nil && (t.Op == plan.TermEQ || t.Op == plan.TermIn || t.Op == plan.TermAny)
	}
	if !slices.ContainsFunc(b.Terms, points) || slices.Contains(g.columns, b.Column) {
		return
	}
	if g.columns == nil {
		g.least, g.product = 1, 1
	}
	g.columns = append(g.columns, b.Column)
	g.least, g.product = math.Min(g.least, keeps), g.product*keeps
}

// Correction is by what the product of all shares is to be multiplied: as many times as the values of the columns have
// more combinations, were they independent, than there are, but for no more rows than one of the bounds keeps.
func (g *Together) Correction() float64 {
	if len(g.columns) < 2 || g.product == 0 {
		return 1
	}
	each := func(id uint32) float64 { return Distinct(g.Table, id) }
	independent := 1.0
	for _, id := range g.columns {
		independent *= each(id)
	}
	times := independent / math.Max(1, g.Table.Stats.Combinations(g.columns, each))
	return math.Max(1, math.Min(times, g.least/g.product))
}
