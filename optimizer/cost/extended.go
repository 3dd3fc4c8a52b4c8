package cost

import (
	"maps"
	"math"
	"slices"

	"zproxy/catalog/extended"
	"zproxy/encoding/span"
)

// following is the correction for columns of which some follow from others, to the degrees that statistics objects have
// found. As in PostgreSQL the dependency on the most columns comes first, and of these the one to the highest degree.
func (g *Together) following(bounds []keeping, columns []uint32) float64 {
	shares, product := map[uint32]float64{}, 1.0
	for _, b := range bounds {
		if b.points {
			shares[b.Column] = b.keeps
			product *= b.keeps
		}
	}
	var applied []extended.Dependency
	left := slices.Clone(columns)
	for {
		d := g.strongest(left)
		if d == nil {
			break
		}
		applied = append(applied, *d)
		left = slices.DeleteFunc(left, func(id uint32) bool { return id == d.To })
	}
	if applied == nil {
		return 1
	}
	for _, d := range slices.Backward(applied) {
		from, to := 1.0, shares[d.To]
		for _, id := range d.From {
			from *= shares[id]
		}
		// So the share of both together is that of the smaller one as far as it follows, and else their product.
		follows := 1.0
		if from > to {
			follows = to / from
		}
		shares[d.To] = d.Degree*follows + (1-d.Degree)*to
	}
	all := 1.0
	for _, id := range columns {
		all *= shares[id]
	}
	return all / product
}

// strongest is the strongest dependency between some columns, nil when there is none.
func (g *Together) strongest(columns []uint32) *extended.Dependency {
	var out *extended.Dependency
	for _, id := range slices.Sorted(maps.Keys(g.Table.Stats.Extended)) {
		data := g.Table.Stats.Extended[id]
		for i := range data.Dependencies {
			d := &data.Dependencies[i]
			if !slices.Contains(columns, d.To) || !containsAll(columns, d.From) {
				continue
			}
			if out == nil || len(d.From) > len(out.From) || len(d.From) == len(out.From) && d.Degree > out.Degree {
				out = d
			}
		}
	}
	return out
}

func containsAll(list, of []uint32) bool {
	return !slices.ContainsFunc(of, func(id uint32) bool { return !slices.Contains(list, id) })
}

// combinations are those bounds of which a statistics object knows common combinations of values, with the values that
// each leaves.
type combinations struct {
	*extended.Data
	bounds []keeping
	sets   map[uint32]span.Set
}

func (c *combinations) covers(column uint32) bool {
	_, is := c.sets[column]
	return is
}

// commonOf finds the statistics object with common combinations that has the most of the columns of bounds, two at the
// least, and of these the one over the fewest columns; nil when there is none.
func (g *Together) commonOf(bounds []keeping) *combinations {
	var out *combinations
	for _, id := range slices.Sorted(maps.Keys(g.Table.Stats.Extended)) {
		data := g.Table.Stats.Extended[id]
		if len(data.Common) == 0 {
			continue
		}
		c := &combinations{Data: &data, sets: map[uint32]span.Set{}}
		for _, b := range bounds {
			if set, ok := g.known(b); ok && slices.Contains(data.Columns, b.Column) {
				c.bounds, c.sets[b.Column] = append(c.bounds, b), set
			}
		}
		if len(c.sets) > 1 && (out == nil || len(c.sets) > len(out.sets) ||
			len(c.sets) == len(out.sets) && len(data.Columns) < len(out.Columns)) {
			out = c
		}
	}
	return out
}

// known is what values a bound leaves, if that is known.
func (g *Together) known(b keeping) (span.Set, bool) {
	for _, term := range b.Terms {
		if term.Image != nil || len(term.Args) > mostPoints || isLife(g.Table, b.Column, term) {
			return span.Set{}, false
		}
	}
	set, err := b.Set(g.Values)
	return set, err == nil
}

// correction is by what the product of the shares of the bounds is to be multiplied. The common combinations that the
// bounds leave have the shares that were counted. Others are thought to have what is left of the product of all shares,
// as often as the columns depend on each other; but no more than all other rows, and where single combinations are left
// none more than the last one that is common. Of so many rows one is thought to be left.
func (c *combinations) correction(dependent, rows float64) float64 {
	product, points := 1.0, 1.0
	for _, b := range c.bounds {
		product *= b.keeps
		points *= pointsOf(c.sets[b.Column])
	}
	if product == 0 {
		return 1
	}
	if len(c.sets) < len(c.Columns) {
		points = math.Inf(1)
	}
	matched, base, all := 0.0, 0.0, 0.0
	for _, one := range c.Common {
		all += one.Share
		if c.leave(one) {
			matched, base, points = matched+one.Share, base+one.Base, points-1
		}
	}
	least := c.Common[len(c.Common)-1].Share
	others := math.Max(0, product-base) * dependent
	others = math.Min(others, math.Min(math.Max(0, 1-all), math.Max(0, points)*least))
	return math.Max(matched+others, 1/math.Max(1, rows)) / product
}

// leave says whether the bounds leave a combination of values.
func (c *combinations) leave(one extended.Combination) bool {
	for i, id := range c.Columns {
		if set, bound := c.sets[id]; bound && !set.Contains(one.Values[i]) {
			return false
		}
	}
	return true
}

// pointsOf is how many single values a set is, infinite for one with others.
func pointsOf(set span.Set) float64 {
	if !set.Discrete() {
		return math.Inf(1)
	}
	n := len(set.Intervals)
	if set.Null {
		n++
	}
	return float64(n)
}
