package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestPredicatesPartitionRows checks that of any condition p, the rows for which p holds,
// those for which NOT p does and those for which p is NULL are together all rows, each
// once (Rigger and Su, Finding Bugs in Database Systems via Query Partitioning, 2020).
func TestPredicatesPartitionRows(t *testing.T) {
	for _, seed := range seeds(t, 6) {
		d := newDice(seed)
		table := d.table()
		statements := []string{table.create(), d.insert(&table, 200)}
		for _, x := range table.indexes {
			statements = append(statements, x.sql)
		}
		var asked []*asker
		for _, k := range kinds {
			c := openDB(t, k).connect(t)
			must(t, c, statements...)
			asked = append(asked, &asker{k.name, "all on", c.PgConn()})
		}
		for range 40 {
			p := d.predicate(&table, 3, nil)
			for _, a := range asked {
				if got, want := a.parts(t, p), a.parts(t, "true"); got != want {
					t.Fatalf("-seed %d, %s\n%s;\n%s\ngot:\n%s\nwant:\n%s", seed, a, strings.Join(statements, ";\n"), p, got, want)
				}
			}
		}
	}
}

// parts are the rows for which p holds, does not hold, and is NULL.
func (a *asker) parts(t *testing.T, p string) string {
	t.Helper()
	var all []string
	for _, where := range []string{p, "NOT (" + p + ")", "(" + p + ") IS NULL"} {
		rows, err := a.rows("SELECT * FROM t WHERE "+where, nil, false)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		all = append(all, rows...)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
