package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// randomQuery is a query, and what can be said of its rows.
type randomQuery struct {
	sql    string // with hintPosition where a hint goes
	params parameters
	order  bool // the rows have one order
	count  bool // which rows they are is not said, only how many
}

// hintPosition is behind the SELECT that reads the table.
const hintPosition = "/*hint*/"

func (q *randomQuery) with(hint string) string { return strings.Replace(q.sql, hintPosition, hint, 1) }

// query is of any form that the dialect has. Parameters are asked for half of the time.
func (d dice) query(t *randomTable) randomQuery {
	q := randomQuery{}
	params := &q.params
	if d.chance(2) {
		params = nil
	}
	from := t.name
	source := t
	if d.chance(5) {
		from, source = d.subquery(t, params)
	}
	where := ""
	if !d.chance(8) {
		where = " WHERE " + d.predicate(source, 2, params)
	}
	hint := hintPosition + " "
	if source != t {
		hint = "" // it stands in the subquery
	}
	switch d.IntN(6) {
	case 0:
		q.sql = "SELECT " + hint + d.aggregates(source) + " FROM " + from + where
	case 1:
		d.grouped(&q, source, "SELECT "+hint, " FROM "+from+where)
	case 2:
		d.distinct(&q, source, "SELECT "+hint, " FROM "+from+where)
	default:
		list := strings.Join(names(some(d, source.columns, len(source.columns))), ", ")
		if d.chance(3) {
			list = "*"
		}
		q.sql = "SELECT " + hint + list + " FROM " + from + where
		d.ordered(&q, source)
	}
	return q
}

// subquery stands for the table: some of its columns, with the key, and some rows.
func (d dice) subquery(t *randomTable, params *parameters) (string, *randomTable) {
	columns := slices.Clone(t.key)
	for _, c := range t.columns {
		if d.chance(2) && !slices.ContainsFunc(t.key, func(k randomColumn) bool { return k.name == c.name }) {
			columns = append(columns, c)
		}
	}
	sql := "(SELECT " + hintPosition + " " + strings.Join(names(columns), ", ") + " FROM " + t.name + " WHERE " +
		d.predicate(t, 1, params)
	if d.chance(3) {
		sql += " ORDER BY " + d.sortKeys(t, true) + d.limit()
	}
	return sql + ") AS s", &randomTable{name: "s", columns: columns, key: t.key}
}

func (d dice) limit() string {
	out := ""
	if d.chance(2) {
		out += fmt.Sprintf(" OFFSET %d", d.IntN(6))
	}
	return fmt.Sprintf(" LIMIT %d", d.IntN(12)) + out
}

// ordered may add an order, total or not, and a limit.
func (d dice) ordered(q *randomQuery, t *randomTable) {
	switch d.IntN(4) {
	case 0:
		q.sql += " ORDER BY " + d.sortKeys(t, true)
		q.order = true
		if d.chance(2) {
			q.sql += d.limit()
		}
	case 1:
		q.sql += " ORDER BY " + d.sortKeys(t, false)
	case 2:
		q.sql += d.limit()
		q.count = true
	}
}

// sortKeys are some columns, and for a total order those of the key.
func (d dice) sortKeys(t *randomTable, total bool) string {
	columns := some(d, t.columns, 2)
	if total {
		columns = append(columns, t.key...)
	}
	var keys []string
	for _, c := range columns {
		keys = append(keys, c.name+pick(d, []string{"", "", " DESC", " DESC", " NULLS FIRST", " DESC NULLS LAST"}))
	}
	return strings.Join(keys, ", ")
}

func (d dice) distinct(q *randomQuery, t *randomTable, head, tail string) {
	columns := strings.Join(names(some(d, t.columns, 2)), ", ")
	q.sql = head + "DISTINCT " + columns + tail
	if d.chance(2) {
		q.sql += " ORDER BY " + columns
		q.order = true
		if d.chance(2) {
			q.sql += d.limit()
		}
	}
}

func (d dice) grouped(q *randomQuery, t *randomTable, head, tail string) {
	columns := strings.Join(names(some(d, t.columns, 2)), ", ")
	q.sql = head + columns + ", " + d.aggregates(t) + tail + " GROUP BY " + columns
	if d.chance(3) {
		q.sql += fmt.Sprintf(" HAVING count(*) > %d", d.IntN(4))
	}
	if d.chance(2) {
		q.sql += " ORDER BY " + columns
		q.order = true
	}
}

func (d dice) aggregates(t *randomTable) string {
	var out []string
	for range 1 + d.IntN(3) {
		c := pick(d, t.columns)
		choice := []string{"count(*)", "count(" + c.name + ")", "count(DISTINCT " + c.name + ")"}
		if !slices.Contains([]string{"bool", "bytea", "uuid"}, c.sql) {
			choice = append(choice, "min("+c.name+")", "max("+c.name+")")
		}
		if c.number {
			choice = append(choice, "sum("+c.name+")", "avg("+c.name+")")
		}
		out = append(out, pick(d, choice))
	}
	return strings.Join(out, ", ")
}

// predicate is a condition over the columns of a table, with parameters if a list for
// them is given.
func (d dice) predicate(t *randomTable, depth int, params *parameters) string {
	switch {
	case len(t.held) > 0 && d.chance(6):
		return "(" + pick(d, t.held) + ")"
	case d.chance(4):
		return d.boxes(t, params)
	}
	if depth == 0 || d.chance(4) {
		return d.leaf(pick(d, t.columns), t, params)
	}
	a := d.predicate(t, depth-1, params)
	switch d.IntN(7) {
	case 0:
		return "NOT (" + a + ")"
	case 1, 2:
		return "(" + a + " OR " + d.predicate(t, depth-1, params) + ")"
	}
	return a + " AND " + d.predicate(t, depth-1, params)
}

var comparisonSigns = []string{"=", "=", "=", "<>", "<", "<=", ">", ">="}

// leaf is a condition on one column.
func (d dice) leaf(c randomColumn, t *randomTable, params *parameters) string {
	switch d.IntN(12) {
	case 0:
		return c.name + pick(d, []string{" IS NULL", " IS NOT NULL"})
	case 1:
		return c.name + pick(d, []string{" ", " NOT "}) + "BETWEEN " + d.operand(c, params) + " AND " +
			d.operand(c, params)
	case 2:
		return c.name + pick(d, []string{" ", " ", " NOT "}) + "IN (" + d.operands(c, params) + ")"
	case 3:
		return c.name + pick(d, []string{" IS DISTINCT FROM ", " IS NOT DISTINCT FROM "}) + d.operand(c, params)
	case 4:
		return d.operand(c, params) + " " + pick(d, comparisonSigns) + " " + c.name
	case 5:
		for _, o := range some(d, t.columns, 4) {
			if slices.Contains(c.comparesWith, o.sql) || o.sql == c.sql {
				return c.name + " " + pick(d, comparisonSigns) + " " + o.name
			}
		}
	case 6, 7:
		switch {
		case c.text:
			return c.name + pick(d, []string{" ", " ", " NOT "}) + "LIKE '" +
				pick(d, []string{"a%", "ab%", "%b", "a_c", "a", "", "é%", `a\%`, "%"}) + "'"
		case c.sql == "bool":
			return c.name + pick(d, []string{"", " IS TRUE", " IS NOT FALSE", " IS UNKNOWN"})
		case c.number:
			return c.name + "::numeric + 1 " + pick(d, comparisonSigns) + " " + d.operand(c, nil)
		}
	case 8:
		if d.chance(4) {
			return pick(d, []string{"true", "false", "NULL::bool", "1 = 2"})
		}
	}
	return c.name + " " + pick(d, comparisonSigns) + " " + d.operand(c, params)
}

// operand is a value to compare a column with: of its type or another.
func (d dice) operand(c randomColumn, params *parameters) string {
	if params != nil && d.chance(2) {
		one := func() string {
			if d.chance(25) {
				return nullParameter
			}
			return d.valueOf(c.kindOfValue)
		}
		params.values, params.others = append(params.values, one()), append(params.others, one())
		return fmt.Sprintf("$%d::%s", len(params.values), c.sql)
	}
	switch {
	case d.chance(25):
		return "NULL"
	case len(c.comparesWith) > 0 && d.chance(3):
		k := kindNamed(pick(d, c.comparesWith))
		k.edges = nil // which may be none of the column's type
		return d.literal(k)
	case d.chance(2) && !strings.Contains(c.sql, "("):
		return "'" + d.valueOf(c.kindOfValue) + "'"
	}
	return d.literal(c.kindOfValue)
}

func (d dice) operands(c randomColumn, params *parameters) string {
	var out []string
	for range 1 + d.IntN(4) {
		out = append(out, d.operand(c, params))
	}
	return strings.Join(out, ", ")
}
