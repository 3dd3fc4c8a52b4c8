package e2e

import (
	"fmt"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

// longTable is a table with many rows of each value of its columns a and b, of which n may be NULL.
func (d joins) longTable() []string {
	var values []string
	for id := range 3000 {
		n := fmt.Sprint(d.IntN(500))
		if d.chance(20) {
			n = "NULL"
		}
		values = append(values, fmt.Sprintf("(%d, %d, %d, %s)", d.IntN(6), d.IntN(5), id, n))
	}
	return []string{
		"CREATE TABLE long (a int, b int, id int, n int, PRIMARY KEY (a, b, id))",
		"CREATE INDEX ON long (b, n)", "CREATE INDEX ON long (a, n DESC)", "CREATE UNIQUE INDEX ON long (b DESC, a, id)",
		"INSERT INTO long VALUES " + strings.Join(values, ", "),
		"DELETE FROM long WHERE id % 7 = 3", "ANALYZE long",
	}
}

// firstOfEach asks for the first rows of groups, which may be prefixes of a key, in an order that leaves no choice.
func (d joins) firstOfEach() string {
	groups := pick(d.dice, []string{"a", "b", "a, b", "b, a"})
	where := pick(d.dice, []string{"", "", "", " WHERE a = 2", " WHERE b IN (1, 3)", " WHERE a > 3", " WHERE n < 300",
		" WHERE a = 3 AND b > 1", " WHERE n IS NOT NULL", " WHERE id % 5 = 2", " WHERE n % 3 = 1 AND a < 4"})
	order := pick(d.dice, []string{"id", "id DESC", "n, id", "n DESC, id", "n DESC NULLS LAST, id DESC"})
	ends := pick(d.dice, []string{"min(n)", "max(n)", "min(id)", "max(id)", "min(n), min(n)", "max(id), max(n)",
		"count(*)"})
	switch d.IntN(5) {
	case 0:
		return fmt.Sprintf("SELECT count(*), sum(id), sum(n), sum(k) FROM (SELECT *, row_number() OVER "+
			"(PARTITION BY %s ORDER BY %s) AS k FROM long%s) AS q WHERE k <= %d", groups, order, where, 1+d.IntN(4))
	case 1:
		return fmt.Sprintf("SELECT DISTINCT ON (%s) a, b, id, n FROM long%s ORDER BY %s, %s", groups, where, groups, order)
	case 2:
		down := strings.ReplaceAll(groups, ",", " DESC,") + " DESC"
		return fmt.Sprintf("SELECT DISTINCT ON (%s) a, b, id, n FROM long%s ORDER BY %s, %s", groups, where, down, order)
	case 3:
		return fmt.Sprintf("SELECT DISTINCT %s FROM long%s ORDER BY %s", groups, where, groups)
	}
	return fmt.Sprintf("SELECT %s, %s FROM long%s GROUP BY %s ORDER BY %s", groups, ends, where, groups, groups)
}

// TestFirstOfEach asks PostgreSQL for the first rows of groups, some of which are prefixes of a key, and wants its
// answers, also in a transaction that has changed such rows. Many of the plans must leave the prefixes early.
func TestFirstOfEach(t *testing.T) {
	seed := testseed.Of(t)
	d := joins{newDice(seed)}
	theirs := &asker{"PostgreSQL", "its own", connectPostgres(t)}
	ours := &asker{inMemory.name, "all on", openDB(t, inMemory).connect(t).PgConn()}
	both := func(sql string) {
		for _, a := range []*asker{ours, theirs} {
			if _, err := a.conn.Exec(t.Context(), sql).ReadAll(); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
	}
	for _, sql := range d.longTable() {
		both(sql)
	}
	early := 0
	for i := range 200 * *roundsFlag {
		switch i % 40 {
		case 10:
			both("BEGIN")
			both(fmt.Sprintf("DELETE FROM long WHERE id %% 11 = %d OR n < 20", d.IntN(11)))
			both(fmt.Sprintf("INSERT INTO long SELECT %d, b, 5000 + b, -3 FROM generate_series(0, 9) AS b", d.IntN(9)))
		case 30:
			both("ROLLBACK")
		}
		sql := d.firstOfEach()
		got, err := ours.rows(sql, parameters{}, directly)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		want, err := theirs.rows(sql, parameters{}, directly)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("-seed %d: %s\n%s\nPostgreSQL:\n%s", seed, sql, got, want)
		}
		plan, err := ours.rows("EXPLAIN "+sql, parameters{}, directly)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(plan, "\n"), "First of Each") {
			early++
		}
	}
	t.Logf("%d queries left prefixes early", early)
	if early < 20 {
		t.Errorf("only %d queries left prefixes early", early)
	}
}
