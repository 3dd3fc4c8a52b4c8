package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

// joinedTables are how many tables random joins are of. Each has more rows than the one before, and one index.
const joinedTables = 7

// joins makes random queries that join tables: columns a, b and c hold few values and NULLs, u many. The values of p
// are different where b is 0 or 1. One table has partitions.
type joins struct{ dice }

func (d joins) tables() (out []string) {
	for i := range joinedTables {
		rows := 1 + 3*i*i
		if i == 4 {
			out = append(out, dividedTable(i, rows)...)
		} else {
			out = append(out, fmt.Sprintf("CREATE TABLE j%d (id int PRIMARY KEY, a int, b int, c int, u int UNIQUE, p int)",
				i), fmt.Sprintf("CREATE UNIQUE INDEX ON j%d (p) WHERE b < 2", i))
		}
		if i%2 == 1 {
			out = append(out, fmt.Sprintf("CREATE INDEX ON j%d (%c)", i, 'a'+rune(i/2)))
		} else {
			out = append(out, fmt.Sprintf("CREATE INDEX ON j%d (b, id) INCLUDE (a, c, u)", i))
		}
		var values []string
		for id := range rows {
			unique := fmt.Sprint(rows - id)
			if d.chance(3) {
				unique = "NULL"
			}
			b, partly := d.value(4), d.value(3)
			if (b == "0" || b == "1") && partly != "NULL" {
				partly = fmt.Sprint(id)
			}
			few := strings.Join([]string{d.value(2 + i), b, d.value(8)}, ", ")
			values = append(values, fmt.Sprintf("(%d, %s, %s, %s)", id, few, unique, partly))
		}
		insert := fmt.Sprintf("INSERT INTO j%d VALUES %s", i, strings.Join(values, ", "))
		out = append(out, insert, fmt.Sprintf("ANALYZE j%d", i))
	}
	return append(out, d.longTable()...)
}

// dividedTable has partitions by id. No other column is unique by itself.
func dividedTable(table, rows int) []string {
	parts := func(id int) string {
		return fmt.Sprintf("CREATE TABLE j%d_%d PARTITION OF j%d FOR VALUES FROM (%d) TO (%d)", table, id, table, id,
			id+rows/3+1)
	}
	return []string{
		fmt.Sprintf("CREATE TABLE j%d (id int PRIMARY KEY, a int, b int, c int, u int, p int) PARTITION BY RANGE (id)", table),
		parts(0), parts(rows/3 + 1), parts(2 * (rows/3 + 1))}
}

func (d joins) value(most int) string {
	if d.chance(6) {
		return "NULL"
	}
	return fmt.Sprint(d.IntN(most))
}

// query joins tables, and reads the columns of those that can be seen above.
func (d joins) query() string {
	if d.chance(4) { // of tables with many rows
		order := []int{joinedTables - 1, joinedTables - 2 - d.IntN(2), joinedTables - 4}
		from, visible := d.from(order[:2+d.IntN(2)], nil)
		return d.grouped(visible, from)
	}
	order := d.Perm(joinedTables)[:3+d.IntN(joinedTables-3)]
	from, visible := d.from(order, nil)
	var list []string
	for _, t := range visible {
		list = append(list, fmt.Sprintf("count(j%d.id), sum(j%d.id * %d)", t, t, 1+d.IntN(5)))
	}
	where := ""
	if d.chance(2) {
		where = fmt.Sprintf(" WHERE j%d.%s < %d", pick(d.dice, visible), d.column(), 1+d.IntN(5))
	}
	if d.chance(3) {
		where = cmp.Or(where, " WHERE true") + fmt.Sprintf(" AND %sEXISTS (SELECT 1 FROM j%d AS s WHERE s.%s = j%d.%s)",
			pick(d.dice, []string{"", "NOT "}), d.IntN(joinedTables), d.column(), pick(d.dice, visible), d.column())
	}
	if d.chance(4) {
		where = cmp.Or(where, " WHERE true") + fmt.Sprintf(" AND (%s OR j%d.%s = %d)", d.exists(visible),
			pick(d.dice, visible), d.column(), d.IntN(4))
	}
	if d.chance(4) {
		from += ", " + d.lateral(visible)
		list = append(list, "count(l.x), sum(l.y)")
	}
	if d.chance(3) {
		where = cmp.Or(where, " WHERE true") + fmt.Sprintf(" AND %s %s %d", d.aggregate(visible),
			pick(d.dice, []string{"<", "=", ">", "IS DISTINCT FROM"}), d.IntN(6))
	}
	if d.chance(5) {
		return d.firstOf(visible, from+where)
	}
	if d.chance(3) {
		return d.grouped(visible, from+where)
	}
	if d.chance(4) {
		return fmt.Sprintf("SELECT count(n), sum(n) FROM (SELECT %s AS n FROM %s%s) AS q", d.aggregate(visible), from,
			where)
	}
	return fmt.Sprintf("SELECT count(*), %s FROM %s%s", strings.Join(list, ", "), from, where)
}

// firstOf is the first rows of joins in an order of columns. Nothing else is read: it may differ in equal rows.
func (d joins) firstOf(visible []int, from string) string {
	list, order := "", ""
	for i := range 1 + d.IntN(2) {
		column := fmt.Sprintf("j%d.%s", pick(d.dice, visible), d.column())
		list += fmt.Sprintf(", %s AS k%d", column, i)
		way := pick(d.dice, []string{"", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"})
		order += fmt.Sprintf(", %s%s", column, way)
	}
	limit := ""
	if d.chance(2) {
		limit = fmt.Sprintf(" LIMIT %d", 1+d.IntN(20))
	}
	return fmt.Sprintf("SELECT count(*), string_agg(format('%%s', q), ' ') FROM (SELECT %s FROM %s ORDER BY %s%s) AS q",
		list[2:], from, order[2:], limit)
}

// grouped computes aggregates of joins: most of one table, some that do not depend on how often a row comes.
func (d joins) grouped(visible []int, from string) string {
	list, groups := "", ""
	of := pick(d.dice, visible)
	for range 1 + d.IntN(3) {
		c := fmt.Sprintf("j%d.%s", of, d.column())
		any := fmt.Sprintf("j%d.%s", pick(d.dice, visible), d.column())
		list += ", " + pick(d.dice, []string{"count(*)", "count(" + c + ")", "sum(" + c + ")", "avg(" + c + ")",
			"bit_xor(" + c + ")", "min(" + any + ")", "max(" + any + ")", "count(DISTINCT " + any + ")"})
	}
	if d.chance(8) {
		list += fmt.Sprintf(", sum(j%d.%s)", pick(d.dice, visible), d.column())
	}
	var order []string
	for range d.IntN(3) {
		column := fmt.Sprintf("j%d.%s", pick(d.dice, visible), d.column())
		groups += ", " + column
		order = append(order, column+pick(d.dice, []string{"", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"}))
	}
	if groups == "" {
		return fmt.Sprintf("SELECT %s FROM %s", list[2:], from)
	}
	groups = groups[2:]
	if d.chance(2) {
		slices.Reverse(order)
	}
	limit := ""
	if d.chance(3) {
		limit = fmt.Sprintf(" LIMIT %d", 1+d.IntN(8))
	}
	return fmt.Sprintf("SELECT %s%s FROM %s GROUP BY %s ORDER BY %s%s", groups, list, from, groups,
		strings.Join(order, ", "), limit)
}

// exists is whether a table, perhaps joined with another, has a row that equals one that is visible in some columns.
func (d joins) exists(visible []int) string {
	from := fmt.Sprintf("j%d AS s", d.IntN(joinedTables))
	if d.chance(3) {
		from += fmt.Sprintf(" LEFT JOIN j%d AS r ON r.%s = s.%s", d.IntN(joinedTables), d.column(), d.column())
	}
	where := fmt.Sprintf("s.%s = j%d.%s", d.column(), pick(d.dice, visible), d.column())
	for d.chance(3) {
		where += fmt.Sprintf(" AND s.%s = j%d.%s", d.column(), pick(d.dice, visible), d.column())
	}
	if d.chance(3) {
		where += fmt.Sprintf(" AND s.%s < %d", d.column(), 1+d.IntN(5))
	}
	return fmt.Sprintf("%sEXISTS (SELECT FROM %s WHERE %s)", pick(d.dice, []string{"", "NOT "}), from, where)
}

// lateral is one row, or rows of a table joined with one, of values of a row that is visible.
func (d joins) lateral(visible []int) string {
	row := fmt.Sprintf("(VALUES (j%d.%s, j%d.%s + 1))", pick(d.dice, visible), d.column(), pick(d.dice, visible),
		d.column())
	switch d.IntN(3) {
	case 0:
		return fmt.Sprintf("LATERAL %s AS l (x, y)", row)
	case 1:
		return fmt.Sprintf("LATERAL (SELECT v.x, w.id AS y FROM j%d AS w JOIN %s AS v (x, n) ON w.%s = v.n) AS l",
			d.IntN(joinedTables), row, d.column())
	}
	return fmt.Sprintf("LATERAL (SELECT v.x + w.%s AS x, v.n AS y FROM %s AS v (x, n) LEFT JOIN j%d AS w ON w.%s = v.x) AS l",
		d.column(), row, d.IntN(joinedTables), d.column())
}

// aggregate is a subquery over the rows of a table, or of two, that equal one that is visible.
func (d joins) aggregate(visible []int) string {
	what := pick(d.dice, []string{"count(*)", "max(s.id)", "sum(s.b)", "count(s.c) + coalesce(min(s.id), 3)",
		"avg(s.c)::int"})
	outer := fmt.Sprintf("j%d.%s", pick(d.dice, visible), d.column())
	from := fmt.Sprintf("j%d AS s", d.IntN(joinedTables))
	if d.chance(3) {
		from += fmt.Sprintf(" JOIN j%d AS r ON r.%s = s.%s", d.IntN(joinedTables), d.column(), d.column())
	}
	where := fmt.Sprintf("s.%s = %s", d.column(), outer)
	for d.chance(3) {
		where += fmt.Sprintf(" AND s.%s = j%d.%s", d.column(), pick(d.dice, visible), d.column())
	}
	return fmt.Sprintf("(SELECT %s FROM %s WHERE %s)", what, from, where)
}

// from is a join of tables in an order, and which of them can be read above. Others can be read in lateral rows of it.
func (d joins) from(order, outside []int) (string, []int) {
	if len(order) == 1 {
		return fmt.Sprintf("j%d", order[0]), order
	}
	middle := 1 + d.IntN(len(order)-1)
	if d.chance(2) {
		middle = len(order) - 1
	}
	kind := pick(d.dice, []string{"JOIN", "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"})
	l, left := d.from(order[:middle], outside)
	if kind == "JOIN" || kind == "LEFT JOIN" {
		outside = slices.Concat(outside, left)
	}
	r, right := d.from(order[middle:], outside)
	if strings.Contains(r, "JOIN") {
		r = "(" + r + ")"
	}
	on := d.condition(left, right)
	for kind != "FULL JOIN" && d.chance(3) {
		on += " AND " + d.condition(left, right)
	}
	from, visible := fmt.Sprintf("%s %s %s ON %s", l, kind, r, on), slices.Concat(left, right)
	if !d.chance(4) {
		return from, visible
	}
	number := joinedTables*len(order) + order[0] // which no other part of the query has
	on = pick(d.dice, []string{"true", d.condition(visible, []int{number})})
	from += fmt.Sprintf(" %s LATERAL (%s) AS j%d ON %s", pick(d.dice, []string{"JOIN", "JOIN", "LEFT JOIN"}),
		d.perRow(slices.Concat(outside, visible)), number, on)
	return from, append(slices.Clip(visible), number)
}

// perRow are rows for one that is visible.
func (d joins) perRow(visible []int) string {
	outer := fmt.Sprintf("j%d.%s", pick(d.dice, visible), d.column())
	from := fmt.Sprintf("FROM j%d AS s WHERE s.%s = %s", d.IntN(joinedTables), d.column(), outer)
	if d.chance(3) {
		from += fmt.Sprintf(" AND s.%s < j%d.%s", d.column(), pick(d.dice, visible), d.column())
	}
	switch d.IntN(4) {
	case 0:
		return fmt.Sprintf("SELECT n AS id, %s AS a, n + 1 AS b, 3 - n AS c FROM generate_series(1, %s %% 3) AS n", outer,
			outer)
	case 1:
		return "SELECT count(*)::int AS id, max(s.a) AS a, min(s.b) AS b, max(s.c) AS c " + from
	}
	return fmt.Sprintf("SELECT s.id, s.a, s.b, s.c %s ORDER BY s.%s%s, s.id LIMIT %d", from, d.column(),
		pick(d.dice, []string{"", " DESC"}), 1+d.IntN(2))
}

func (d joins) column() string { return pick(d.dice, []string{"id", "a", "b", "c"}) }

func (d joins) condition(left, right []int) string {
	if d.chance(3) { // of the keys of both
		l, r := pick(d.dice, left), pick(d.dice, right)
		more := pick(d.dice, []string{"", fmt.Sprintf(" AND j%d.b = j%d.b", l, r)})
		return fmt.Sprintf("j%d.id = j%d.id%s", l, r, more)
	}
	l := fmt.Sprintf("j%d.%s", pick(d.dice, left), d.column())
	return fmt.Sprintf("%s = j%d.%s", l, pick(d.dice, right), d.column())
}

// hints ask for a random order of some of the tables, and for methods.
func (d joins) hints() string {
	order := d.Perm(joinedTables)[:2+d.IntN(joinedTables-2)]
	out := fmt.Sprintf("Leading(%s) ", d.pairs(order))
	for range d.IntN(4) {
		name := pick(d.dice, []string{"HashJoin", "NestLoop", "MergeJoin", "NoHashJoin", "NoNestLoop", "NoMergeJoin"})
		var tables []string
		for _, t := range order[:2+d.IntN(len(order)-1)] {
			tables = append(tables, fmt.Sprintf("j%d", t))
		}
		out += fmt.Sprintf("%s(%s) ", name, strings.Join(tables, " "))
	}
	return "/*+ " + out + "*/ "
}

func (d joins) pairs(order []int) string {
	if len(order) == 1 {
		return fmt.Sprintf("j%d", order[0])
	}
	middle := 1 + d.IntN(len(order)-1)
	return fmt.Sprintf("(%s %s)", d.pairs(order[:middle]), d.pairs(order[middle:]))
}

// TestJoinOrders asks PostgreSQL the same joins of three to seven tables, some with subqueries, and wants its answers,
// also where hints ask for other orders and methods.
func TestJoinOrders(t *testing.T) {
	seed := testseed.Of(t)
	d := joins{newDice(seed)}
	theirs := &asker{"PostgreSQL", "its own", connectPostgres(t)}
	ours := &asker{inMemory.name, "all on", openDB(t, inMemory).connect(t).PgConn()}
	setup := append([]string{"SET statement_timeout = '20s'"}, d.tables()...)
	for _, sql := range setup {
		for _, a := range []*asker{ours, theirs} {
			if _, err := a.conn.Exec(t.Context(), sql).ReadAll(); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, merged, early := 0, 0, 0
	for range 300 * *roundsFlag {
		sql, hints := d.query(), ""
		if d.chance(2) {
			sql = d.withKeys()
		}
		if d.chance(2) {
			hints = d.hints()
		}
		got, err := ours.rows(hints+sql, parameters{}, directly)
		if err != nil {
			t.Fatalf("%s: %v", hints+sql, err)
		}
		want, err := theirs.rows(sql, parameters{}, directly)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("-seed %d: %s\n%s\nPostgreSQL:\n%s", seed, hints+sql, got, want)
		}
		if len(got) > 0 && !strings.HasPrefix(got[0], "0") {
			found++
		}
		plan, err := ours.rows("EXPLAIN "+hints+sql, parameters{}, directly)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(plan, "\n"), "Merge") {
			merged++
		}
		_, below, _ := strings.Cut(strings.Join(plan, "\n"), "Join")
		if strings.Contains(below, "Aggregate") && !strings.Contains(sql, "(SELECT") {
			early++
		}
	}
	t.Logf("%d queries found rows, %d merge, %d form groups before they join", found, merged, early)
	if found == 0 || merged == 0 || early == 0 {
		t.Error("no query found a row, none merged two tables, or none formed groups before a join")
	}
}
