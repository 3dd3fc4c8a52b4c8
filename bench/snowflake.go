package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// snowRelation is a table of the snowflake. Its ids count from 0, and x is an attribute of 100 values.
type snowRelation struct {
	name    string
	columns []string // id, then keys of other tables, then x
	to      []string // for each column, the table whose ids it holds; empty: none
	indexed []string
	rows    [][]int32 // by column
}

// snowflake is its tables.
type snowflake []*snowRelation

// newSnowflake makes the rows: keys are skewed, and some columns depend on others.
func newSnowflake(random *rand.Rand) snowflake {
	world := snowflake{
		{name: "rr"}, {name: "sa"}, {name: "dd"}, {name: "de"}, {name: "dc"},
		{name: "tb", to: []string{"rr"}},
		{name: "da", to: []string{"sa"}},
		{name: "db", to: []string{"tb"}},
		{name: "h", to: []string{"dc"}, indexed: []string{"dc"}},
		{name: "f", to: []string{"da", "db", "dc", "dd"}, indexed: []string{"da", "dc"}},
		{name: "g", to: []string{"f", "de"}, indexed: []string{"f"}},
	}
	sizes := map[string]int{"rr": 5, "sa": 50, "dd": 100, "de": 1000, "dc": 5000, "tb": 20, "da": 2000, "db": 500,
		"h": 40_000, "f": 150_000, "g": 300_000}
	for _, r := range world {
		r.fill(random, sizes)
	}
	return world
}

func (r *snowRelation) fill(random *rand.Rand, sizes map[string]int) {
	n := sizes[r.name]
	r.columns = append(append([]string{"id"}, r.to...), "x")
	r.to = append(append([]string{""}, r.to...), "")
	r.rows = make([][]int32, len(r.columns))
	for c := range r.rows {
		r.rows[c] = make([]int32, n)
	}
	for i := range n {
		r.rows[0][i] = int32(i)
		before := 0
		for c, to := range r.to[1 : len(r.to)-1] {
			most := sizes[to]
			key := int(float64(most) * math.Pow(random.Float64(), 3)) // of 1,000 keys the first has a tenth of the rows
			switch {
			case to == "f" || random.IntN(8) == 0:
				key = random.IntN(most)
			case c > 0 && random.IntN(2) == 0:
				key = before % most // as the key before it
			}
			r.rows[c+1][i], before = int32(key), key
		}
		x := int32(100 * math.Pow(random.Float64(), 2))
		if len(r.to) > 2 && random.IntN(3) > 0 {
			x = int32(before % 100)
		}
		r.rows[len(r.rows)-1][i] = x
	}
}

func (r *snowRelation) loading() loading {
	l := loading{table: "snow_" + r.name, rows: len(r.rows[0]), columns: "(id int4 PRIMARY KEY"}
	for _, c := range r.columns[1:] {
		l.columns += ", " + c + " int4"
	}
	l.columns += ")"
	for _, c := range r.indexed {
		l.after = append(l.after, fmt.Sprintf("CREATE INDEX ON %s (%s)", l.table, c))
	}
	l.after = append(l.after, "ANALYZE "+l.table)
	l.appendRow = func(text []byte, i int) []byte {
		for _, column := range r.rows {
			text = append(strconv.AppendInt(text, int64(column[i]), 10), '\t')
		}
		text[len(text)-1] = '\n'
		return text
	}
	return l
}

func (r *snowRelation) column(name string) []int32 { return r.rows[slices.Index(r.columns, name)] }

// snowQuery joins tables by equalities that make a tree of them.
type snowQuery struct {
	of      []*snowRelation
	edges   []snowEdge
	filters []snowFilter // of each table
}

// snowEdge is an equality of a key of one table with the id of another.
type snowEdge struct{ from, to int }

// snowFilter bounds x: at least lo, below hi.
type snowFilter struct{ lo, hi int32 }

// query is a random one over n tables.
func (s snowflake) query(random *rand.Rand, n int) *snowQuery {
	q := &snowQuery{}
	for len(q.of) < n {
		r := s[random.IntN(len(s))]
		if slices.Contains(q.of, r) {
			continue
		}
		var links []snowEdge
		for i, other := range q.of {
			if slices.Contains(other.to, r.name) {
				links = append(links, snowEdge{i, len(q.of)})
			}
			if slices.Contains(r.to, other.name) {
				links = append(links, snowEdge{len(q.of), i})
			}
		}
		if len(q.of) > 0 && len(links) == 0 {
			continue
		}
		if len(links) > 0 {
			q.edges = append(q.edges, links[random.IntN(len(links))])
		}
		f := snowFilter{0, 100}
		if random.IntN(2) == 0 {
			f.lo = r.rows[len(r.rows)-1][random.IntN(len(r.rows[0]))]
			f.hi = f.lo + 1 + int32(random.IntN(2)*random.IntN(30))
		}
		q.of, q.filters = append(q.of, r), append(q.filters, f)
	}
	return q
}

// sql is the query, behind a hint.
func (q *snowQuery) sql(hint string) string {
	var from, where, sums []string
	for i, r := range q.of {
		from = append(from, "snow_"+r.name+" "+r.name)
		sums = append(sums, "sum("+r.name+".x)")
		if f := q.filters[i]; f != (snowFilter{0, 100}) {
			where = append(where, fmt.Sprintf("%s.x BETWEEN %d AND %d", r.name, f.lo, f.hi-1))
		}
	}
	for _, e := range q.edges {
		where = append(where, fmt.Sprintf("%s.%s = %[2]s.id", q.of[e.from].name, q.of[e.to].name))
	}
	return fmt.Sprintf("%sSELECT count(*), %s FROM %s WHERE %s", hint, strings.Join(sums, ", "),
		strings.Join(from, ", "), strings.Join(where, " AND "))
}

// rowsOf is how many rows the join of connected tables really has: from the leaves of their tree on, for each value
// of the column that leads to the next table, how many rows there are.
func (q *snowQuery) rowsOf(set uint) float64 {
	for i := range q.of {
		if set&(1<<i) != 0 {
			_, rows := q.weigh(set, i, -1)
			return rows
		}
	}
	return 0
}

// weigh counts the joined rows of the part of a tree that hangs on a table, away from the edge that leads to its
// root: by values of that edge's column, and in total.
func (q *snowQuery) weigh(set uint, at, above int) (by []float64, total float64) {
	r, f := q.of[at], q.filters[at]
	x := r.rows[len(r.rows)-1]
	type branch struct {
		column []int32
		weight []float64
	}
	var below []branch
	var out []int32
	for i, e := range q.edges {
		if e.from != at && e.to != at {
			continue
		}
		name, other := "id", e.from
		if e.from == at {
			name, other = q.of[e.to].name, e.to
		}
		switch {
		case i == above:
			out = r.column(name)
			by = make([]float64, len(q.of[e.to].rows[0]))
		case set&(1<<other) != 0:
			weight, _ := q.weigh(set, other, i)
			below = append(below, branch{r.column(name), weight})
		}
	}
	for i := range x {
		if x[i] < f.lo || x[i] >= f.hi {
			continue
		}
		w := 1.0
		for _, b := range below {
			w *= b.weight[b.column[i]]
		}
		if total += w; out != nil {
			by[out[i]] += w
		}
	}
	return by, total
}

// snowOrder is a join order. Without an outer side it is a table.
type snowOrder struct {
	table        int
	outer, inner *snowOrder
	rows, flown  float64 // out of it, and out of all of its joins
}

// orders are those of all tables out of whose joins the fewest rows come, the best one first.
func (q *snowQuery) orders(most int) []*snowOrder {
	known := map[uint][]*snowOrder{}
	return q.ordersOf(1<<len(q.of)-1, most, known)
}

func (q *snowQuery) ordersOf(set uint, most int, known map[uint][]*snowOrder) (out []*snowOrder) {
	if found, ok := known[set]; ok {
		return found
	}
	rows := q.rowsOf(set)
	for _, e := range q.edges {
		if set&(1<<e.from) == 0 || set&(1<<e.to) == 0 {
			continue
		}
		side := q.reach(set, e)
		for _, l := range q.ordersOf(side, most, known) {
			for _, r := range q.ordersOf(set&^side, most, known) {
				out = append(out, &snowOrder{outer: l, inner: r, rows: rows, flown: rows + l.flown + r.flown})
			}
		}
	}
	if out == nil {
		for i := range q.of {
			if set == 1<<i {
				out = []*snowOrder{{table: i, rows: rows}}
			}
		}
	}
	slices.SortFunc(out, func(a, b *snowOrder) int { return cmp.Compare(a.flown, b.flown) })
	known[set] = out[:min(most, len(out))]
	return known[set]
}

// reach are the tables of a set that hang together with the one side of an edge, without that edge.
func (q *snowQuery) reach(set uint, without snowEdge) uint {
	out := uint(1) << without.from
	for grown := true; grown; {
		grown = false
		for _, e := range q.edges {
			if e == without || set&(1<<e.from) == 0 || set&(1<<e.to) == 0 {
				continue
			}
			more := out
			if out&(1<<e.from) != 0 || out&(1<<e.to) != 0 {
				more |= 1<<e.from | 1<<e.to
			}
			out, grown = more, grown || more != out
		}
	}
	return out
}

// text is an order as a hint has it: the inner side is a single table if there is one, or else that of fewer rows.
func (o *snowOrder) text(q *snowQuery, single bool) string {
	if o.outer == nil {
		return q.of[o.table].name
	}
	outer, inner := o.outer, o.inner
	alone := outer.outer == nil && inner.outer != nil
	if single && alone || (!single || outer.outer == nil == (inner.outer == nil)) && outer.rows < inner.rows {
		outer, inner = inner, outer
	}
	return fmt.Sprintf("(%s %s)", outer.text(q, single), inner.text(q, single))
}
