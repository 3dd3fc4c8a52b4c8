package e2e

import (
	"cmp"
	"fmt"
	"strings"
)

// withKeys is a query whose answer does not need all that it asks for.
func (d joins) withKeys() string {
	switch d.IntN(7) {
	case 0:
		of := d.numbered(2 + d.IntN(3))
		return fmt.Sprintf("SELECT count(*), sum(id), sum(id * c), min(a), max(b) FROM %s AS k", of)
	case 1:
		return d.unique()
	case 2:
		return fmt.Sprintf("SELECT count(*), sum(id), sum(c), count(a) FROM %s AS k", d.kinds(2+d.IntN(3)))
	case 3:
		return d.groupedByKeys()
	case 4:
		return d.partlyUnique()
	case 5:
		return d.firstOfEach()
	}
	return d.keyed()
}

// unique joins tables, one with itself in most cases, by a unique column that may be NULL.
func (d joins) unique() string {
	from := fmt.Sprintf("j%d AS k", 2+d.IntN(2))
	where := fmt.Sprintf("k.%s < %d", d.column(), 1+d.IntN(9))
	if d.chance(3) {
		where = fmt.Sprintf("k.u IN (SELECT s.u FROM j%d AS s WHERE s.%s > %d)", 2+d.IntN(2), d.column(), d.IntN(4))
	}
	if d.chance(4) {
		columns := pick(d.dice, []string{"u", "u, a", "a, u", "id", "a, b"})
		return fmt.Sprintf("SELECT count(*) FROM (SELECT DISTINCT %s FROM %s WHERE %s) AS q", columns, from, where)
	}
	kind := pick(d.dice, []string{"JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN"})
	on := "s.u = k.u"
	if d.chance(2) {
		on += fmt.Sprintf(" AND s.%s %s k.%s", d.column(), pick(d.dice, []string{"<", "=", ">="}), d.column())
	}
	list := pick(d.dice, []string{"sum(k.id)", "sum(s.id)", "sum(k.id * s.c), count(s.a)"})
	from = fmt.Sprintf("%s %s j%d AS s ON %s", from, kind, 2+d.IntN(2), on)
	return fmt.Sprintf("SELECT count(*), %s FROM %s WHERE %s", list, from, where)
}

// partlyUnique is a query that asks for rows of which a partial index holds all, or not quite.
func (d joins) partlyUnique() string {
	rows := func() string {
		cond := pick(d.dice, []string{"b < 2", "b = 1", "b IN (0, 1)", "b < 1 AND a > 0", "b <= 1 AND p IS NOT NULL",
			"b < 3", "b < 2 OR c = 1", "b IS NOT NULL", "p < 2"})
		return fmt.Sprintf("(SELECT * FROM j%d WHERE %s)", 2+d.IntN(3), cond)
	}
	switch k, s := rows(), rows(); d.IntN(4) {
	case 0:
		return fmt.Sprintf("SELECT count(*), sum(p) FROM (SELECT DISTINCT p, %s FROM %s AS k) AS q", d.column(), k)
	case 1:
		return fmt.Sprintf("SELECT k.p, k.c, count(*), sum(s.id) FROM %s AS k LEFT JOIN %s AS s ON s.%s = k.a %s", k, s,
			d.column(), "GROUP BY k.p, k.c ORDER BY k.p, k.c")
	case 2:
		return fmt.Sprintf("SELECT s.p, s.a, count(*) FROM %s AS k LEFT JOIN %s AS s ON s.p = k.%s %s", k, s,
			d.column(), "GROUP BY s.p, s.a ORDER BY s.p, s.a")
	default:
		return fmt.Sprintf("SELECT count(*), sum(k.id) FROM %s AS k %s JOIN %s AS s ON s.p = k.p", k,
			pick(d.dice, []string{"LEFT", "RIGHT", ""}), s)
	}
}

// keyed is a query over the tables of joins of which some are joined by keys, and few columns are asked: what can be
// left out of such a query is not to be missed.
func (d joins) keyed() string {
	from, aliases := d.keyedFrom()
	of := aliases[:1+d.IntN(len(aliases))]
	if d.chance(3) {
		of = aliases[len(aliases)-1:]
	}
	var list []string
	for i := range 1 + d.IntN(3) {
		list = append(list, fmt.Sprintf("%s.%s AS x%d", pick(d.dice, of), d.column(), i))
	}
	where := ""
	if d.chance(2) {
		where = fmt.Sprintf(" WHERE %s.%s < %d", pick(d.dice, of), d.column(), 1+d.IntN(9))
	}
	if d.chance(4) {
		where = cmp.Or(where, " WHERE true") + fmt.Sprintf(" AND %s.id IN (SELECT s.id FROM j%d AS s WHERE s.%s < %d)",
			pick(d.dice, aliases), 3, d.column(), 1+d.IntN(6))
	}
	different := pick(d.dice, []string{"", "", "DISTINCT "})
	what := "count(*), sum(x0), count(DISTINCT x0), max(DISTINCT x0)"
	return fmt.Sprintf("SELECT %s FROM (SELECT %s%s FROM %s%s) AS q", what, different,
		strings.Join(list, ", "), from, where)
}

// keyedFrom is a join of tables, mostly by keys, and their aliases.
func (d joins) keyedFrom() (from string, aliases []string) {
	from, aliases = d.keyedItem(0)
	for i := 1; i <= 1+d.IntN(3); i++ {
		item, more := d.keyedItem(i)
		kind := pick(d.dice, []string{"LEFT JOIN", "LEFT JOIN", "JOIN", "RIGHT JOIN"})
		column := d.column()
		if d.chance(3) {
			column = "id"
		}
		on := fmt.Sprintf("%s.id = %s.%s", more[0], pick(d.dice, aliases), column)
		for d.chance(4) {
			on += fmt.Sprintf(" AND %s.%s %s %d", more[0], d.column(), pick(d.dice, []string{"<", "=", ">"}), d.IntN(5))
		}
		from, aliases = fmt.Sprintf("%s %s %s ON %s", from, kind, item, on), append(aliases, more...)
	}
	return from, aliases
}

// groupedByKeys forms groups by several columns of joined tables, of which some decide others.
func (d joins) groupedByKeys() string {
	from, aliases := d.keyedFrom()
	var list []string
	for range 2 + d.IntN(4) {
		list = append(list, fmt.Sprintf("%s.%s", pick(d.dice, aliases), d.column()))
	}
	if d.chance(3) {
		from, aliases = d.uniqueFrom()
		list = append(strings.Split(pick(d.dice, []string{"k.u", "k.id", "k.a, k.u", "s.u", "s.b"}), ", "),
			"s."+d.column(), pick(d.dice, aliases)+"."+d.column())
	}
	where := ""
	if d.chance(2) {
		column := fmt.Sprintf("%s.%s", pick(d.dice, aliases), d.column())
		where = fmt.Sprintf(" WHERE %s %s %d", column, pick(d.dice, []string{"<", "=", ">="}), d.IntN(5))
		list = append(list, column)
	}
	by := strings.Join(list, ", ")
	return fmt.Sprintf("SELECT %s, count(*), sum(%s.id), count(%s.%s) FROM %s%s GROUP BY %s ORDER BY %s", by,
		pick(d.dice, aliases), pick(d.dice, aliases), d.column(), from, where, by, by)
}

// uniqueFrom joins two tables by a unique column that may be NULL.
func (d joins) uniqueFrom() (from string, aliases []string) {
	kind := pick(d.dice, []string{"JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"})
	on := pick(d.dice, []string{"s.u = k.u", "s.u = k.a", "s.u = k.id"})
	if kind != "FULL JOIN" && d.chance(3) {
		on += fmt.Sprintf(" AND %s.%s >= %d", pick(d.dice, []string{"s", "k"}), d.column(), d.IntN(4))
	}
	s := fmt.Sprintf("j%d", 2+d.IntN(2))
	if d.chance(3) {
		s = fmt.Sprintf("(SELECT * FROM %s WHERE %s = %d)", s, d.column(), d.IntN(4))
	}
	return fmt.Sprintf("j%d AS k %s %s AS s ON %s", 2+d.IntN(2), kind, s, on), []string{"k", "s"}
}

// keyedItem is a table, the same one as others in most cases, or a query with one row for each value of its id.
func (d joins) keyedItem(number int) (text string, alias []string) {
	table, name := pick(d.dice, []int{2, 3, 3, 3, 4}), fmt.Sprintf("k%d", number)
	column := pick(d.dice, []string{"a", "b"})
	switch d.IntN(10) {
	case 0:
		text = fmt.Sprintf("(SELECT %s AS id, count(*) AS a, min(b) AS b, max(c) AS c FROM j%d GROUP BY 1)", column,
			table)
	case 1:
		text = fmt.Sprintf("(SELECT DISTINCT %s AS id, 1 AS a, 2 AS b, %s AS c FROM j%d)", column, column, table)
	case 2:
		text = fmt.Sprintf("(SELECT s.id, s.a, s.b, r.c FROM j%d AS s JOIN j%d AS r ON r.id = s.%s)", table, table,
			column)
	case 3:
		text = fmt.Sprintf("(SELECT * FROM j%d WHERE %s IS NOT NULL LIMIT 1)", d.IntN(2), column)
	case 4:
		text = d.kinds(table)
	case 5:
		text = d.numbered(table)
	default:
		text = fmt.Sprintf("j%d", table)
	}
	return text + " AS " + name, []string{name}
}

// kinds is rows of two or three kinds, of which some are asked for.
func (d joins) kinds(table int) string {
	text := fmt.Sprintf("SELECT 'x' AS kind, * FROM j%d", table)
	for _, kind := range []string{"y", "z"}[:1+d.IntN(2)] {
		all := pick(d.dice, []string{"", " ALL", " ALL"})
		text += fmt.Sprintf(" UNION%s SELECT '%s', * FROM j%d WHERE %s < %d", all, kind,
			pick(d.dice, []int{2, 3, 4}), d.column(), d.IntN(20))
	}
	where := pick(d.dice, []string{"kind = 'x'", "kind IN ('x', 'z')", "kind > 'y'", "kind = 'none'",
		"b > 1 AND a > 2"})
	return fmt.Sprintf("(SELECT id, a, b, c FROM (%s) AS u WHERE %s)", text, where)
}

// numbered is the first rows of a table, or of each of its groups, by windows of which others may ask more.
func (d joins) numbered(table int) string {
	ends := []string{"ASC", "DESC", "ASC NULLS FIRST"}
	order := fmt.Sprintf("%s %s", pick(d.dice, []string{"a", "b", "c"}), pick(d.dice, ends))
	number := pick(d.dice, []string{"rank()", "dense_rank()", "count(*)", "count(a)", "row_number()"})
	if number == "row_number()" {
		order += ", id"
	}
	over := "ORDER BY " + order
	if d.chance(2) {
		over = fmt.Sprintf("PARTITION BY %s %s", pick(d.dice, []string{"a", "b"}), over)
	}
	more := pick(d.dice, []string{"a", "dense_rank() OVER w", "sum(a) OVER w", "max(a) OVER (PARTITION BY c)",
		"count(*) OVER (w ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)"})
	if strings.Contains(more, "ROWS") && number != "row_number()" {
		more = "b"
	}
	where := fmt.Sprintf("n %s %d", pick(d.dice, []string{"<", "<=", "=", "<=", ">"}), d.IntN(6))
	if d.chance(3) {
		where = fmt.Sprintf("%d > n AND m > 1", 1+d.IntN(6))
	}
	windows := fmt.Sprintf("SELECT *, %s OVER w AS n, %s AS m FROM j%d WINDOW w AS (%s)", number, more, table, over)
	return fmt.Sprintf("(SELECT id, m AS a, n AS b, c FROM (%s) AS w WHERE %s)", windows, where)
}
