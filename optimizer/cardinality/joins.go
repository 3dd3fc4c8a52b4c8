package cardinality

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// join is the pairs of rows for which a condition is true, and what the kind of the join makes of rows without a
// partner.
func (e *estimate) join(n plan.Join) profile {
	keys, rest := keysOf(n)
	l, r := e.of(n.Left), e.of(n.Right)
	out := e.joinOf(n.Kind, l, r, keys, rest)
	pairs := n.Kind != plan.SemiJoin && n.Kind != plan.AntiJoin
	// Sides that are merged end at the same key: the rows that are read of one have their partners in the other.
	if n.Share > 0 && pairs && n.Method != nil && n.Method.Strategy == plan.Merged && out.rows > 0 {
		return out.times(math.Max(1, math.Max(l.rows, r.rows)/out.rows))
	}
	return out
}

// joinOf is a join by equalities, and by other conditions over the columns of both sides.
func (e *estimate) joinOf(kind plan.JoinKind, l, r profile, keys []plan.JoinKey, rest []expr.Expr) profile {
	if l.guessed || r.guessed {
		return guessedJoin(kind, len(keys)+len(rest), l, r)
	}
	found, others := e.pair(keys, l, r), 1.0
	if len(rest) > 0 {
		others = e.share(rest, paired(l, r, l.rows*r.rows))
	}
	inner := l.rows * r.rows * found.share * others
	if l.rows > 0 && r.rows > 0 {
		inner = math.Max(1, inner)
	}
	// How many partners a row has of those that have any decides whether one of them meets the other conditions.
	partners := math.Max(1, r.rows*found.share/math.Max(found.left, 1e-9))
	matched := found.left * (1 - math.Pow(1-others, partners))
	switch kind {
	case plan.SemiJoin:
		return l.kept(matched)
	case plan.AntiJoin:
		return l.kept(1 - matched)
	}
	out := e.joined(keys, l, r, inner)
	back := math.Max(1, l.rows*found.share/math.Max(found.right, 1e-9))
	matchedRight := found.right * (1 - math.Pow(1-others, back))
	if kind == plan.LeftJoin || kind == plan.FullJoin {
		out = out.padded(l.rows*(1-matched), len(l.columns), len(out.columns))
	}
	if kind == plan.RightJoin || kind == plan.FullJoin {
		out = out.padded(r.rows*(1-matchedRight), 0, len(l.columns))
	}
	return out
}

// guessedJoin takes it that a row of the larger side has one partner, and half of the rows have any.
func guessedJoin(kind plan.JoinKind, conds int, l, r profile) profile {
	switch {
	case kind == plan.SemiJoin || kind == plan.AntiJoin:
		return l.kept(1. / 2)
	case conds == 0:
		return paired(l, r, l.rows*r.rows)
	}
	return paired(l, r, math.Max(l.rows, r.rows))
}

// padded has more rows, with NULL in some columns.
func (p profile) padded(rows float64, from, to int) profile {
	if rows <= 0 {
		return p
	}
	there := p.rows
	p.rows, p.columns = there+rows, slices.Clone(p.columns)
	for i := from; i < to; i++ {
		c := &p.columns[i]
		c.nulls = 1 - (1-c.nulls)*there/p.rows
	}
	return p
}

// joined is the rows of an inner join. Columns that are equal have the values that both had.
func (e *estimate) joined(keys []plan.JoinKey, l, r profile, rows float64) profile {
	out := paired(l, r, rows)
	for i := range out.columns {
		c := &out.columns[i]
		of := l.rows
		if i >= len(l.columns) {
			of = r.rows
		}
		if rows < of {
			c.distinct = drawn(c.distinct, of, rows)
		}
	}
	for _, k := range keys {
		a, isColumn := plan.ColumnOf(k.Left)
		b, areColumns := plan.ColumnOf(k.Right)
		if !isColumn || !areColumns {
			continue
		}
		one, other := &out.columns[a.Index], &out.columns[len(l.columns)+b.Index]
		equal := equatedOf(*one, *other)
		domain, distinct := math.Min(one.domain, other.domain), math.Min(one.distinct, other.distinct)
		one.domain, one.distinct, one.nulls = domain, distinct, 0
		other.domain, other.distinct, other.nulls = domain, distinct, 0
		one.equal, other.equal = equal, equal
	}
	return out
}

// keysOf are the equalities of a join between values of its sides, and its other conditions over the columns of both.
func keysOf(n plan.Join) (keys []plan.JoinKey, rest []expr.Expr) {
	if n.Method != nil {
		return n.Method.Keys, expr.Conjuncts(n.Method.Residual)
	}
	m := n.Equalities()
	return m.Keys, expr.Conjuncts(m.Residual)
}

// matching is what equalities between rows of two sides find.
type matching struct {
	share       float64 // of all pairs
	left, right float64 // the shares of the rows of a side that have a partner
}

// pair estimates equalities. Those that have a table in common are taken together: of a key of several columns a table
// has at most as many values as rows.
func (e *estimate) pair(keys []plan.JoinKey, l, r profile) matching {
	out := matching{1, 1, 1}
	var groups [][][2]column
	for _, k := range keys {
		one := [2]column{e.side(k.Left, l), e.side(k.Right, r)}
		related := func(other [2]column) bool { return other[0].of == one[0].of || other[1].of == one[1].of }
		i := slices.IndexFunc(groups, func(group [][2]column) bool { return slices.ContainsFunc(group, related) })
		if i >= 0 {
			groups[i] = append(groups[i], one)
		} else {
			groups = append(groups, [][2]column{one})
		}
	}
	for _, group := range groups {
		for len(group) > 0 {
			key, parent, others := refers(group)
			if key == nil {
				out = out.and(matched(group, l, r))
				break
			}
			out, group = out.and(referring(key, parent, [2]profile{l, r})), others
		}
	}
	return out
}

// and is what is found where others hold, too.
func (m matching) and(o matching) matching {
	return matching{m.share * o.share, m.left * o.left, m.right * o.right}
}

// referring estimates the equalities of a foreign key: each value of the columns that refer is one of the others.
func referring(key [][2]column, parent int, sides [2]profile) matching {
	var to []column
	for _, p := range key {
		to = append(to, p[parent])
	}
	return matchedIn(domainOf(to, sides[parent]), key, sides[0], sides[1])
}

// matched estimates equalities between columns of two tables, or between computed columns.
func matched(pairs [][2]column, l, r profile) matching {
	var left, right []column
	for _, p := range pairs {
		left, right = append(left, p[0]), append(right, p[1])
	}
	return matchedIn(math.Max(domainOf(left, l), domainOf(right, r)), pairs, l, r)
}

// matchedIn estimates equalities between columns that have so many values.
func matchedIn(domain float64, pairs [][2]column, l, r profile) matching {
	var left, right []column
	known := [2]float64{1, 1}
	for _, p := range pairs {
		left, right = append(left, p[0]), append(right, p[1])
		known[0], known[1] = known[0]*(1-p[0].nulls), known[1]*(1-p[1].nulls)
	}
	out := matching{share: known[0] * known[1] / domain}
	if len(pairs) == 1 {
		if share, ok := common(&left[0], &right[0]); ok {
			out.share = share
		}
	}
	// Each value of the smaller domain is one of the other.
	out.left = known[0] * math.Min(1, distinctOf(right, r)/domain)
	out.right = known[1] * math.Min(1, distinctOf(left, l)/domain)
	return out
}

// domainOf is how many combinations of values columns have before other conditions: those of one table at most as many
// as that has rows, and those of several as there are rows with them together.
func domainOf(of []column, in profile) float64 {
	first, product := of[0].of, 1.0
	var ids []uint32
	domains := map[uint32]float64{}
	for _, c := range of {
		product *= c.domain
		ids, domains[c.id] = append(ids, c.id), c.domain
	}
	switch {
	case slices.ContainsFunc(of, func(c column) bool { return c.of != first }):
		product = math.Min(product, in.rows)
	case first != nil:
		together := first.table.Stats.Combinations(ids, func(id uint32) float64 { return domains[id] })
		product = math.Min(math.Min(product, together), first.table.RowCount())
	}
	return math.Max(1, product)
}

// distinctOf is how many of them there are in the rows.
func distinctOf(of []column, in profile) float64 {
	product := 1.0
	for _, c := range of {
		product *= c.distinct
	}
	return math.Max(1, math.Min(product, in.rows))
}
