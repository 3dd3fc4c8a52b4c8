package cost

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// unknownWant is how many rows a LIMIT is thought to want that is not known yet.
const unknownWant = 10

// Nearby is a Nearest in the making, whose rows are to be found by a box. It has Rows to choose from, those of the
// table that pass the other conditions.
type Nearby struct {
	*plan.Nearest
	Table *catalog.Table
	Rows  float64
}

// Rounds is what the rounds are thought to read by a path, in rows: the cells of a box with more rows than are wanted
// and those that its sides cut, by the formula for boxes, once more for rounds that were too small, and the rows that
// are looked up.
func (n Nearby) Rounds(a *plan.Access) float64 {
	box := n.square() * math.Max(1, n.Table.RowCount()/math.Max(n.Rows, 1))
	price := 2 * (box + 4*(2*math.Sqrt(box)+1))
	if a.Lookup != nil {
		price += LookupRows * n.square()
	}
	return price
}

// first is the radius of the first round.
func (n Nearby) first() float64 {
	want, ok := rowsWanted(n.Most)
	if !ok {
		want = unknownWant
	}
	return n.First(want)
}

// square is how many of the rows are thought to be in the square around the circle of the first round.
func (n Nearby) square() float64 {
	side := 2 * n.first() / n.One
	return side * side / math.Pi
}

// lastShare is the share of all rows that are read in the last round.
const lastShare = 1. / 4

// SpreadEvenly says that the rows lie evenly among those of the table, by the statistics of a column of points. It says
// false where nothing is known, or all points are one.
func (n Nearby) SpreadEvenly(column uint32, of types.T) bool {
	var size [2]float64
	for i, id := range axis.Of(column, of) {
		low, high, ok := most(n.Table.Stats.Columns[id])
		if !ok {
			return false
		}
		n.Low[i], n.High[i], size[i] = low, high, high-low
	}
	rows := math.Max(n.Rows, 1)
	wide, high := math.Max(size[0], size[1]/rows), math.Max(size[1], size[0]/rows)
	n.One = math.Sqrt(wide / rows * high / math.Pi)
	n.Widest = n.One * math.Sqrt(lastShare*rows)
	return n.Table.Stats.Known && n.One > 0 && !math.IsInf(n.One, 0)
}

// SpreadAround says how the rows lie around the center, by what bounds that depend on the radius leave of the table. It
// adds the first radius to the values that are known, and says false where they do not tell where the center is.
func (n Nearby) SpreadAround(bounds []plan.Bound, values *expr.Context) bool {
	gap, ok, err := n.Gap(values)
	if err != nil || !ok {
		return false
	}
	radius := func() { values.SetOuter(n.Slot, types.NewFloat(gap+n.first())) }
	for range 4 { // each time by a box that is more of the right size
		radius()
		rows := n.Rows
		for _, b := range bounds {
			rows *= Fraction(n.Table, b, values)
		}
		n.One /= math.Sqrt(math.Min(math.Max(rows/n.square(), 1./16), 16))
	}
	radius()
	return true
}

// tail is the share of the values at each end that may lie far from the others.
const tail = 0.05

// most is the interval in which most values of an axis lie.
func most(s catalog.ColumnStats) (low, high float64, ok bool) {
	values, sum := slices.Clone(s.Common), 0.
	for _, c := range s.Common {
		sum += c.Share
	}
	for _, v := range s.Histogram {
		share := math.Max(0, 1-s.Nulls-sum) / float64(len(s.Histogram))
		values = append(values, catalog.Common{Value: v, Share: share})
	}
	if len(values) == 0 && !s.Min.IsNull() {
		half := (1 - s.Nulls) / 2
		values = []catalog.Common{{Value: s.Min, Share: half}, {Value: s.Max, Share: half}}
	}
	slices.SortFunc(values, func(a, b catalog.Common) int { return types.Compare(a.Value, b.Value) })
	low, high = math.Inf(1), math.Inf(-1)
	before := 0.
	for _, v := range values {
		below, above := before, 1-s.Nulls-before-v.Share
		if before += v.Share; below+v.Share >= tail && above+v.Share >= tail {
			low, high = math.Min(low, v.Value.Float()), math.Max(high, v.Value.Float())
		}
	}
	return low, high, !math.IsInf(low, 0) && !math.IsInf(high, 0) && !math.IsNaN(high-low)
}
