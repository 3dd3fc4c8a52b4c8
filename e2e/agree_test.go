package e2e

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/pglocal"
)

// TestAgreesWithPostgres asks PostgreSQL the random queries, too, in and out of transactions. Its
// tables have the same rows, and no indexes; ours are made anew now and then.
func TestAgreesWithPostgres(t *testing.T) {
	theirs := &asker{"PostgreSQL", "its own", connect(t, "postgres://postgres@"+pglocal.Start(t)+"/postgres?sslmode=disable").PgConn()}
	for i, seed := range seeds(t, 15) {
		if _, err := theirs.conn.Exec(t.Context(), "ROLLBACK").ReadAll(); err != nil {
			t.Fatal(err)
		}
		d := newDice(seed)
		table := d.table()
		k := append(slices.Clip(kinds), priced)[i%4]
		c := openDB(t, k).connect(t)
		ours := &asker{k.name, "all on", c.PgConn()}
		statements := []string{"DROP TABLE IF EXISTS t", table.create(), d.insert(&table, 200)}
		for _, sql := range statements {
			layout := ""
			if sql == table.create() {
				layout = table.layout
			}
			agree(t, seed, sql+layout, ours.outcome(sql+layout), theirs.outcome(sql))
		}
		for _, x := range table.indexes {
			if _, err := ours.conn.Exec(t.Context(), x.sql).ReadAll(); err != nil {
				t.Fatal(err)
			}
		}
		for range 40 {
			switch d.IntN(10) {
			case 0, 1:
				sql := d.change(&table)
				for movesKeys(&table, sql) {
					sql = d.change(&table)
				}
				statements = append(statements, sql)
				agree(t, seed, sql, ours.outcome(sql), theirs.outcome(sql))
			case 2:
				if ours.conn.TxStatus() != 'I' {
					continue // it may meet a build in the background, and end the block
				}
				sql := d.upkeep(&table)
				statements = append(statements, sql)
				if got := ours.outcome(sql); strings.HasPrefix(got, "ERROR") {
					agree(t, seed, sql, got, "")
				}
			case 3:
				sql := pick(d, []string{"COMMIT", "ROLLBACK"})
				if ours.conn.TxStatus() == 'I' {
					awaitRow(t, c, "SELECT 'none' WHERE NOT EXISTS (SELECT FROM zproxy.index_builds)") // which may conflict with a block
					sql = "BEGIN"
				}
				statements = append(statements, sql)
				agree(t, seed, sql, ours.outcome(sql), theirs.outcome(sql))
			}
			q := d.query(&table)
			as := directly
			if ours.conn.TxStatus() == 'I' {
				as = d.way()
			}
			got, want := answer(ours, q, q.sql, as), answer(theirs, q, q.sql, directly)
			if got != want {
				t.Errorf("%s;\n%q", strings.Join(statements, ";\n"), q.params.values)
			}
			if agree(t, seed, q.sql, got, want); t.Failed() {
				return
			}
		}
	}
}

// movesKeys says whether an UPDATE sets columns of the key. PostgreSQL checks keys row by
// row, in an order of its own, and we at the end of the statement.
func movesKeys(t *randomTable, sql string) bool {
	set, _, _ := strings.Cut(sql, " WHERE ")
	return strings.HasPrefix(sql, "UPDATE") && slices.ContainsFunc(t.key, func(c randomColumn) bool {
		return strings.Contains(set, " "+c.name+" = ")
	})
}

func agree(t *testing.T, seed uint64, sql, ours, theirs string) {
	t.Helper()
	if ours != theirs {
		t.Errorf("-seed %d\n%s\ngot:\n%s\nPostgreSQL:\n%s", seed, sql, ours, theirs)
	}
}

// outcome is the tag of a statement or its error.
func (a *asker) outcome(sql string) string {
	tag, err := a.write(sql)
	if err != nil {
		return err.Error()
	}
	rows, err := a.rows("SELECT * FROM t", parameters{}, directly)
	var e *pgconn.PgError
	if err != nil && !errors.As(err, &e) {
		return err.Error()
	}
	slices.Sort(rows)
	return tag + "\n" + strings.Join(rows, "\n")
}
