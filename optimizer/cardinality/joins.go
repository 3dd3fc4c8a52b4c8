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
	return e.joinOf(n.Kind, e.of(n.Left), e.of(n.Right), keys, rest)
}

// joinOf is a join by equalities, and by other conditions over the columns of both sides.
func (e *estimate) joinOf(kind plan.JoinKind, l, r profile, keys []plan.JoinKey, rest []expr.Expr) profile {
	if l.guessed || r.guessed {
		return guessedJoin(kind, len(keys)+len(rest), l, r)
	}
	both := paired(l, r, l.rows*r.rows)
	found := e.pair(keys, l, r)
	others := e.share(rest, both)
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
		domain, distinct := math.Min(one.domain, other.domain), math.Min(one.distinct, other.distinct)
		one.domain, one.distinct, one.nulls = domain, distinct, 0
		other.domain, other.distinct, other.nulls = domain, distinct, 0
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

// pair estimates equalities. Those between the same two tables are taken together: of a key of several columns one side
// has at most as many values as rows.
func (e *estimate) pair(keys []plan.JoinKey, l, r profile) matching {
	out := matching{1, 1, 1}
	type sides struct{ l, r *relation }
	groups := map[sides][][2]column{}
	var order []sides
	for _, k := range keys {
		a, b := e.side(k.Left, l), e.side(k.Right, r)
		s := sides{a.of, b.of}
		if groups[s] == nil {
			order = append(order, s)
		}
		groups[s] = append(groups[s], [2]column{a, b})
	}
	for _, s := range order {
		m := matched(groups[s], l, r)
		out.share *= m.share
		out.left, out.right = out.left*m.left, out.right*m.right
	}
	return out
}

// matched estimates equalities between columns of two tables, or between computed columns.
func matched(pairs [][2]column, l, r profile) matching {
	var left, right []column
	known := [2]float64{1, 1}
	for _, p := range pairs {
		left, right = append(left, p[0]), append(right, p[1])
		known[0], known[1] = known[0]*(1-p[0].nulls), known[1]*(1-p[1].nulls)
	}
	domain := math.Max(domainOf(left), domainOf(right))
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

// domainOf is how many combinations of values columns of one table have before other conditions.
func domainOf(of []column) float64 {
	product, most := 1.0, math.Inf(1)
	for _, c := range of {
		product *= c.domain
		if c.of != nil {
			most = math.Max(1, c.of.table.RowCount())
		}
	}
	return math.Max(1, math.Min(product, most))
}

// distinctOf is how many of them there are in the rows.
func distinctOf(of []column, in profile) float64 {
	product := 1.0
	for _, c := range of {
		product *= c.distinct
	}
	return math.Max(1, math.Min(product, in.rows))
}
