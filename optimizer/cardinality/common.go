package cardinality

import (
	"math"

	"zproxy/catalog"
	"zproxy/types"
)

// common is the share of pairs of rows with equal values of two columns, where common values of both are known: those
// match each other, and the others lie evenly, as in PostgreSQL's eqjoinsel.
func common(l, r *column) (float64, bool) {
	a, b := l.values(), r.values()
	if a == nil || b == nil || len(a.Common) == 0 || len(b.Common) == 0 || l.narrowed() || r.narrowed() {
		return 0, false
	}
	matches, product, one, other := 0.0, 0.0, share{}, share{}
	found := map[int]bool{}
	for _, x := range a.Common {
		at := indexOf(b.Common, x.Value)
		if at < 0 {
			one.alone += x.Share
			continue
		}
		found[at] = true
		matches++
		product += x.Share * b.Common[at].Share
		one.matched += x.Share
		other.matched += b.Common[at].Share
	}
	for at, y := range b.Common {
		if !found[at] {
			other.alone += y.Share
		}
	}
	one.rest = math.Max(0, 1-a.Nulls-one.matched-one.alone)
	other.rest = math.Max(0, 1-b.Nulls-other.matched-other.alone)
	from := func(x, y share, distinct, listed float64) float64 {
		sum := product
		if n := distinct - listed; n > 0 {
			sum += x.alone * y.rest / n
		}
		if n := distinct - matches; n > 0 {
			sum += x.rest * (y.rest + y.alone) / n
		}
		return sum
	}
	// The side with more values says more.
	least := math.Min(from(one, other, r.domain, float64(len(b.Common))),
		from(other, one, l.domain, float64(len(a.Common))))
	return least * l.kept(a) * r.kept(b), true
}

// kept is the share of the values of a column that an outer join has not made NULL.
func (c *column) kept(known *catalog.ColumnStats) float64 {
	if known.Nulls >= 1 {
		return 1
	}
	return (1 - c.nulls) / (1 - known.Nulls)
}

// values is what is known of the values of a column, in its table or as joins have left them; nil: nothing.
func (c *column) values() *catalog.ColumnStats {
	if c.equal != nil {
		return c.equal.known()
	}
	return c.stats()
}

// share are the rows of one side: with a common value that the other side has among its own, with one that it has not,
// and with others.
type share struct{ matched, alone, rest float64 }

// equated is what becomes of the values of two columns that a join makes equal: a value that is common on either side
// is common in its rows. So the keys of a table that many rows of one side refer to are common ones for another side.
type equated struct {
	sides [2]column
	stats *catalog.ColumnStats // made when it is asked for
}

// equatedOf is nil where nothing is known of the values of either column but their number.
func equatedOf(l, r column) *equated {
	if l.of == nil || r.of == nil || !l.anyCommon() && !r.anyCommon() || l.narrowed() || r.narrowed() {
		return nil
	}
	return &equated{sides: [2]column{l, r}}
}

// anyCommon says whether there may be common values of a column.
func (c *column) anyCommon() bool {
	if c.equal != nil {
		return true
	}
	stats := c.stats()
	return stats != nil && len(stats.Common) > 0
}

// known are the statistics of the values; nil: nothing is known of them.
func (q *equated) known() *catalog.ColumnStats {
	if q.stats == nil {
		q.stats = &catalog.ColumnStats{}
		l, r := spreadOf(&q.sides[0]), spreadOf(&q.sides[1])
		all := 0.0
		add := func(v types.Value, share float64) {
			if share <= 0 {
				return // the other side has no such row
			}
			q.stats.Common = append(q.stats.Common, catalog.Common{Value: v, Share: share})
			all += share
		}
		for _, c := range l.common {
			add(c.Value, c.Share*r.of(c.Value))
		}
		for _, c := range r.common {
			if indexOf(l.common, c.Value) < 0 {
				add(c.Value, c.Share*l.others)
			}
		}
		rest := math.Min(l.values, r.values)
		all += rest * l.others * r.others
		for i := range q.stats.Common {
			q.stats.Common[i].Share /= all
		}
	}
	if len(q.stats.Common) == 0 {
		return nil
	}
	return q.stats
}

// spread is how the rows of a column lie over its values.
type spread struct {
	common []catalog.Common
	values float64 // those that are not common
	others float64 // the share of rows of each of them
}

func spreadOf(c *column) spread {
	out, rest := spread{}, 1.0
	if stats := c.values(); stats != nil {
		out.common, rest = stats.Common, 1-stats.Nulls
	}
	for _, x := range out.common {
		rest -= x.Share
	}
	out.values = math.Max(0, c.all()-float64(len(out.common)))
	if out.values > 0 {
		out.others = math.Max(0, rest) / out.values
	}
	return out
}

// of is the share of rows with a value.
func (s spread) of(v types.Value) float64 {
	if at := indexOf(s.common, v); at >= 0 {
		return s.common[at].Share
	}
	return s.others
}

func indexOf(list []catalog.Common, v types.Value) int {
	for i := range list {
		if types.Compare(list[i].Value, v) == 0 {
			return i
		}
	}
	return -1
}

// narrowed says whether conditions on the column itself have left some of its values.
func (c *column) narrowed() bool { return c.domain < 0.99*c.all() }

// all is how many values a column has before any condition.
func (c *column) all() float64 {
	if c.equal != nil {
		return math.Min(c.equal.sides[0].all(), c.equal.sides[1].all())
	}
	return c.whole.distinct
}
