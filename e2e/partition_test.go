package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/session"
)

// TestPredicatesPartitionRows checks that of any condition p, the rows for which p holds,
// those for which NOT p does and those for which p is NULL are together all rows, each
// once (Rigger and Su, Finding Bugs in Database Systems via Query Partitioning, 2020),
// and that as many rows are found by p as p is true for (the same, Detecting Optimization
// Bugs in Database Engines via Non-Optimizing Reference Engine Construction, 2020). It
// does so for one table on every store, and for joins with every rule off. Of joins it also checks that a
// lock leaves the rows as they are.
func TestPredicatesPartitionRows(t *testing.T) {
	calls := trials(t, openDB(t, inMemory).connect(t).PgConn())
	for _, seed := range seeds(t, 3) {
		p := &partition{T: t, dice: newDice(seed), seed: seed}
		p.maker = &maker{dice: p.dice, calls: calls, features: map[string]int{}}
		p.table = p.dice.table()
		p.open()
		for range 25 {
			p.oneTable()
			if p.joined(); t.Failed() {
				return
			}
		}
	}
}

// partition is one round of the test.
type partition struct {
	*testing.T
	dice
	seed            uint64
	table           randomTable
	maker           *maker
	stores, planned []*asker // with all rules on each store; in each way on one
	log             []string
}

func (p *partition) open() {
	p.log = []string{p.table.create() + p.table.layout, p.dice.insert(&p.table, 200)}
	for _, x := range p.table.indexes {
		p.log = append(p.log, x.sql)
	}
	for _, k := range kinds {
		c := openDB(p.T, k).connect(p.T)
		must(p.T, c, p.log...)
		p.stores = append(p.stores, &asker{k.name, "all on", c.PgConn()})
	}
	base := openDB(p.T, onPebble)
	create, indexes := p.maker.schema()
	p.log = append(p.log, p.maker.prepare(base.connect(p.T).PgConn(), create, p.maker.fill(), indexes)...)
	for _, v := range variants() {
		s := serve(p.T, base.store, session.Options{Shared: true, Rules: v.rules})
		p.planned = append(p.planned, &asker{onPebble.name, v.name, s.connect(p.T).PgConn()})
	}
}

func (p *partition) oneTable() {
	condition := p.dice.predicate(&p.table, 3, nil)
	for _, a := range p.stores {
		p.same(a, a.parts(p.T, "SELECT * FROM t", condition), a.parts(p.T, "SELECT * FROM t", "true"), condition)
	}
}

// joined asks joins, subqueries and what else FROM may be.
func (p *partition) joined() {
	from := p.maker.from(nil, 2)
	condition := p.maker.expr(&scope{columns: from.columns}, boolType, 3).String()
	var names []string
	for _, c := range some(p.dice, from.columns, 3) {
		names = append(names, c.String()+"::text")
	}
	list, source := strings.Join(names, ", "), " FROM "+from.text.String()
	extreme := pick(p.dice, []string{"max", "min"}) + "(" + names[0] + ")"
	parts := "(SELECT %[1]s%[2]s WHERE %[3]s UNION ALL SELECT %[1]s%[2]s WHERE NOT (%[3]s) UNION ALL SELECT %[1]s%[2]s WHERE (%[3]s) IS NULL)"
	pairs := [][2]string{
		{fmt.Sprintf(parts, list, source, condition), "SELECT " + list + source},
		{"SELECT DISTINCT * FROM " + fmt.Sprintf(parts, "DISTINCT "+list, source, condition) + " AS q", "SELECT DISTINCT " + list + source},
		{"SELECT sum(n) FROM " + fmt.Sprintf(parts, "count(*) AS n", source, condition) + " AS q", "SELECT count(*)" + source},
		{"SELECT " + extreme[:4] + "x) FROM " + fmt.Sprintf(parts, extreme+" AS x", source, condition) + " AS q", "SELECT " + extreme + source},
		{"SELECT count(*)" + source + " WHERE " + condition, "SELECT count(*) FILTER (WHERE q.p)" + " FROM (SELECT " + condition + " AS p" + source + ") AS q"},
	}
	q := pick(p.dice, pairs)
	if p.chance(4) {
		rows := "SELECT " + list + source + " WHERE " + condition
		q = [2]string{rows + " FOR UPDATE", rows}
	}
	for _, a := range p.planned {
		got := a.sorted(p.T, q[0])
		if strings.HasPrefix(got, "ERROR 42") || strings.HasPrefix(got, "ERROR 0A000: FOR UPDATE") {
			return // no condition for WHERE, such as one with an aggregate of this very query, or no rows to lock
		}
		p.same(a, got, a.sorted(p.T, q[1]), q[0]+"\n"+q[1])
	}
}

func (p *partition) same(a *asker, got, want, asked string) {
	if got != want && !p.Failed() {
		p.Errorf("-seed %d, %s\n%s;\n%s\ngot:\n%s\nwant:\n%s", p.seed, a, strings.Join(p.log, ";\n"), asked, got, want)
	}
}

// parts are the rows of a query for which a condition holds, does not hold, and is NULL.
func (a *asker) parts(t *testing.T, query, condition string) string {
	var all []string
	for _, where := range []string{condition, "NOT (" + condition + ")", "(" + condition + ") IS NULL"} {
		all = append(all, a.sorted(t, query+" WHERE "+where))
	}
	rows := strings.Split(strings.Join(all, ""), "\n")
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// sorted are the rows of a query, each with an end of line.
func (a *asker) sorted(t *testing.T, sql string) string {
	t.Helper()
	rows, err := a.rows(sql, parameters{}, directly)
	if err != nil {
		return brief(err)
	}
	slices.Sort(rows)
	var out strings.Builder
	for _, r := range rows {
		out.WriteString(r + "\n")
	}
	return out.String()
}
