package cardinality

import (
	"math"

	"zproxy/catalog"
	"zproxy/optimizer/cost"
	"zproxy/types"
)

// common is the share of pairs of rows with equal values of two columns, where common values of both are known: those
// match each other, and the others lie evenly, as in PostgreSQL's eqjoinsel.
func common(l, r *column) (float64, bool) {
	a, b := l.stats(), r.stats()
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
	return math.Min(from(one, other, r.domain, float64(len(b.Common))),
		from(other, one, l.domain, float64(len(a.Common)))), true
}

// share are the rows of one side: with a common value that the other side has among its own, with one that it has not,
// and with others.
type share struct{ matched, alone, rest float64 }

func indexOf(list []catalog.Common, v types.Value) int {
	for i := range list {
		if types.Compare(list[i].Value, v) == 0 {
			return i
		}
	}
	return -1
}

// narrowed says whether conditions on the column itself have left some of its values.
func (c *column) narrowed() bool { return c.domain < 0.99*cost.Distinct(c.of.table, c.id) }
