package cardinality

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// profile is what is thought of the rows of a node.
type profile struct {
	rows    float64 // at least 1, unless it is known that there are none
	columns []column
	// guessed says that nothing is known of the values of a part of the rows, which are of system relations.
	guessed bool
}

// column is what is thought of the values of one column. Only base and computed make one: of and whole go together.
type column struct {
	of       *relation    // where the values come from; nil: they were computed
	id       uint32       // of the column there
	whole    *wholeColumn // all of its values there
	distinct float64      // values other than NULL in the rows, at least 1
	// domain is how many values there were before conditions on other columns left some out. That of one side of a join
	// holds the values of the other one.
	domain float64
	nulls  float64  // the share of rows that are NULL
	equal  *equated // what a join has made of its values; nil: none has
}

// relation is one use of a table in a statement.
type relation struct {
	table *catalog.Table
	whole *catalog.Table // of which it is a partition, where that was asked for; nil: it is not
	rows  float64        // that conditions on it alone keep
	// computed are expressions over the columns of the table of which statistics know the values.
	computed []plan.Predicate
	room     []wholeColumn // for its columns, next to each other
}

// wholeColumn is the values of a column of a table before any condition.
type wholeColumn struct {
	distinct float64
	stats    *catalog.ColumnStats // nil: nothing is known of them, or not asked for yet
	asked    bool
}

// stats is what is known of the values of a column in its table; nil: nothing.
func (c *column) stats() *catalog.ColumnStats {
	if c.of == nil {
		return nil
	}
	if w := c.whole; !w.asked {
		w.asked = true
		if s, ok := c.of.table.Stats.Columns[c.id]; ok {
			w.stats = &s
		}
	}
	return c.whole.stats
}

// computed is a column with so many values that come from no table.
func computed(distinct float64) column { return column{distinct: distinct, domain: distinct} }

// unknown is rows of which only the number is known.
func unknown(rows float64, width int) profile {
	out := profile{rows: rows, columns: make([]column, width)}
	for i := range out.columns {
		out.columns[i] = computed(math.Max(1, math.Min(rows, cost.UnknownDistinct)))
	}
	return out
}

// extended has more columns behind its own.
func (p profile) extended(by int) profile {
	if by <= 0 {
		return p
	}
	return paired(p, unknown(p.rows, by), p.rows)
}

// paired is rows that have the columns of both.
func paired(l, r profile, rows float64) profile {
	out := profile{rows: rows, columns: make([]column, 0, len(l.columns)+len(r.columns)),
		guessed: l.guessed || r.guessed}
	out.columns = append(append(out.columns, l.columns...), r.columns...)
	return out
}

// times is so many times as many rows with the same values.
func (p profile) times(n float64) profile {
	p.rows *= n
	return p
}

// atMost is so many of the rows, if there are more.
func (p profile) atMost(rows float64) profile {
	if rows >= p.rows {
		return p
	}
	return p.kept(rows / p.rows)
}

// kept is a share of the rows, which does not depend on their values.
func (p profile) kept(share float64) profile {
	all := p.rows
	p.rows, p.columns = math.Max(math.Min(1, all), all*share), slices.Clone(p.columns)
	for i := range p.columns {
		c := &p.columns[i]
		c.distinct = drawn(c.distinct, all, p.rows)
	}
	return p
}

// drawn is how many of some values are left when some of the rows are, each value having equally many (Yao,
// "Approximating block accesses in database organizations", 1977, in the form for many rows).
func drawn(distinct, of, rows float64) float64 {
	if rows >= of || distinct <= 1 || of <= 0 {
		return math.Max(1, distinct)
	}
	return math.Max(1, distinct*(1-math.Pow(1-rows/of, of/distinct)))
}

// combinations is how many different rows there are of some columns, of all for nil. Columns of one table are not
// taken to be independent: where they do not hold its key there are at most a tenth as many as rows, as in PostgreSQL,
// unless one of them has more values.
func (p profile) combinations(of []column) float64 {
	if of == nil {
		of = p.columns
	}
	product := 1.0
	for i, c := range of {
		if c.of == nil {
			product *= c.distinct
			continue
		}
		if !slices.ContainsFunc(of[:i], func(before column) bool { return before.of == c.of }) {
			product *= p.ofRelation(of, c.of)
		}
	}
	return math.Max(math.Min(1, p.rows), math.Min(p.rows, product))
}

// ofRelation is how many combinations there are of those columns that are of one relation.
func (p profile) ofRelation(of []column, r *relation) float64 {
	var ids []uint32
	values, most := map[uint32]float64{}, 1.0
	for _, c := range of {
		if _, twice := values[c.id]; c.of == r && !twice {
			ids = append(ids, c.id)
			values[c.id] = c.domain + math.Ceil(c.nulls)
			most = math.Max(most, c.domain)
		}
	}
	all := math.Max(1, r.table.RowCount())
	product := r.table.Stats.Combinations(ids, func(id uint32) float64 { return values[id] })
	switch {
	case r.holdsKey(values):
		product = all
	case len(ids) > 1 && !r.isGroup(ids):
		product = math.Min(product, math.Max(most, all/10))
	}
	return drawn(math.Min(product, all), all, math.Min(r.rows, p.rows))
}

// isGroup says whether it is known how many values columns have together.
func (r *relation) isGroup(ids []uint32) bool {
	sorted := slices.Sorted(slices.Values(ids))
	return r.table.Stats.Together(func(g extended.Group) bool { return slices.Equal(g.Columns, sorted) })
}

// holdsKey says whether columns hold a key of the table.
func (r *relation) holdsKey(have map[uint32]float64) bool {
	lacks := func(id uint32) bool { return have[id] == 0 }
	return r.table.KeyName() != "" && !slices.ContainsFunc(r.table.Primary.Columns(), lacks)
}

// base is a column of a table before any condition.
func base(r *relation, ordinal int) column { return r.base(r.table.Columns[ordinal].ID) }

// base is a column, or an expression that statistics know, before any condition.
func (r *relation) base(id uint32) column {
	if len(r.room) == cap(r.room) {
		r.room = make([]wholeColumn, 0, len(r.table.Columns))
	}
	n := cost.Distinct(r.table, id)
	r.room = append(r.room, wholeColumn{distinct: n})
	return column{of: r, id: id, whole: &r.room[len(r.room)-1], distinct: n, domain: n,
		nulls: r.table.Stats.Column(id).Nulls}
}
