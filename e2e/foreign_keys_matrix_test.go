package e2e

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// keyKind is a foreign key in one combination of all that it may be.
type keyKind struct {
	match, onDelete, onUpdate, deferrable string
	self                                  bool // it refers to its own table
	columns                               int
	child, parent                         bool // the table has partitions
}

// keyKinds are all combinations.
func keyKinds() (out []keyKind) {
	bools := []bool{false, true}
	for _, match := range []string{"", " MATCH FULL"} {
		for _, onDelete := range []string{"NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT", "SET NULL (a)",
			"SET DEFAULT (a)"} {
			for _, onUpdate := range []string{"NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT"} {
				for _, deferrable := range []string{"", " DEFERRABLE", " DEFERRABLE INITIALLY DEFERRED"} {
					for i := range 16 {
						k := keyKind{match, onDelete, onUpdate, deferrable, bools[i&1], 1 + i>>1&1, bools[i>>2&1],
							bools[i>>3&1]}
						if !k.self || k.child == k.parent {
							out = append(out, k)
						}
					}
				}
			}
		}
	}
	return out
}

// statements are what is asked of a key.
func (k keyKind) statements() (out []string) {
	parent, columns, refers := "p", "a", "id"
	if k.self {
		parent = "c"
	}
	if k.columns == 2 {
		columns, refers = "a, b", "id, n"
	}
	table := func(name string, partitions bool, key string) {
		create := "CREATE TABLE " + name + " (id int PRIMARY KEY, n int, a int DEFAULT 7, b int DEFAULT 7, UNIQUE (id, n)" +
			key + ")"
		if !partitions {
			out = append(out, create)
			return
		}
		out = append(out, create+" PARTITION BY LIST (id)",
			"CREATE TABLE "+name+"1 PARTITION OF "+name+" FOR VALUES IN (1, 2, 11, 12, 14)",
			"CREATE TABLE "+name+"2 PARTITION OF "+name+" DEFAULT")
	}
	if !k.self {
		table("p", k.parent, "")
	}
	table("c", k.child, fmt.Sprintf(", CONSTRAINT k FOREIGN KEY (%s) REFERENCES %s (%s)%s ON DELETE %s ON UPDATE %s%s",
		columns, parent, refers, k.match, k.onDelete, k.onUpdate, k.deferrable))
	for i := range 7 {
		out = append(out, fmt.Sprintf("INSERT INTO %s VALUES (%d, %[2]d, NULL, NULL)", parent, i+1))
	}
	const both = "SELECT * FROM c ORDER BY id; SELECT id, n FROM %s ORDER BY id"
	for _, sql := range []string{
		"INSERT INTO c VALUES (11, 0, 1, 1)", "INSERT INTO c VALUES (12, 0, 2, 2)", "INSERT INTO c VALUES (13, 0, 3, NULL)",
		"INSERT INTO c VALUES (14, 0, NULL, 2)", "INSERT INTO c VALUES (15, 0, NULL, NULL)",
		"INSERT INTO c VALUES (16, 0, 4, 4), (17, 0, 5, 5)", "INSERT INTO c VALUES (18, 0, 9, 9)",
		"INSERT INTO c VALUES (18, 0, 1, 9)", "UPDATE c SET a = 6, b = 6 WHERE id = 17", "UPDATE c SET a = 8 WHERE id = 16",
		"UPDATE c SET id = 20 WHERE id = 11", "UPDATE c SET a = NULL WHERE id = 20", "UPDATE c SET a = 1 WHERE id = 20",
		"UPDATE %s SET id = 21 WHERE id = 3", "UPDATE %s SET id = 22, n = 22 WHERE id = 2", "UPDATE %s SET n = 30 WHERE id = 1",
		"UPDATE %s SET n = 4 WHERE id = 4", "DELETE FROM %s WHERE id = 1", "DELETE FROM %s WHERE id = 4",
		"DELETE FROM %s WHERE id = 7", "DELETE FROM %s WHERE id IN (5, 6)",
		"BEGIN", "SET CONSTRAINTS k DEFERRED", "ROLLBACK",
		"BEGIN", "SET CONSTRAINTS ALL DEFERRED", "INSERT INTO c VALUES (40, 0, 50, 50)",
		"INSERT INTO %s VALUES (50, 50, NULL, NULL)", "SET CONSTRAINTS ALL IMMEDIATE", "DELETE FROM %s WHERE id = 50",
		"INSERT INTO %s VALUES (50, 50, NULL, NULL)", "COMMIT",
		"BEGIN", "SET CONSTRAINTS ALL DEFERRED", "INSERT INTO c VALUES (41, 0, 51, 51)", "COMMIT",
		"TRUNCATE %s", "ALTER TABLE %s DROP CONSTRAINT %[1]s_pkey", "DROP TABLE %s",
		"SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'k' AND conparentid = 0",
	} {
		out = append(out, strings.ReplaceAll(strings.ReplaceAll(sql, "%[1]s", parent), "%s", parent))
		if strings.HasPrefix(sql, "UPDATE") || strings.HasPrefix(sql, "DELETE") || sql == "COMMIT" {
			out = append(out, strings.ReplaceAll(both, "%s", parent))
		}
	}
	return out
}

// TestKeyMatrix asks PostgreSQL and zproxy the same of foreign keys in all combinations of what they may be. It plays
// some of them; with -rounds 100 it plays all.
func TestKeyMatrix(t *testing.T) {
	theirs, ours := connectPostgres(t), openDB(t, inMemory).connect(t).PgConn()
	all, d := keyKinds(), newDice(seeds(t, 1)[0])
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	failed := 0
	for _, k := range all[:min(len(all), 40**roundsFlag)] {
		if !compareKey(t, k, ours, theirs) {
			if failed++; failed == 10 {
				return
			}
		}
	}
}

// compareKey plays a key, until an answer differs.
func compareKey(t *testing.T, k keyKind, ours, theirs *pgconn.PgConn) bool {
	var log []string
	const first = "ROLLBACK; DROP SCHEMA public CASCADE; CREATE SCHEMA public"
	for _, sql := range append([]string{first}, k.statements()...) {
		got := inFull(ours, sql)
		want := partitionName.ReplaceAllString(cloneName.ReplaceAllString(inFull(theirs, sql), "k"), "$1$2")
		if log = append(log, sql); len(log) > 1 && got != want {
			t.Errorf("%+v\n%s;\ngot:\n%s\nPostgreSQL:\n%s", k, strings.Join(log[1:], ";\n"), got, want)
			return false
		}
	}
	return true
}

// PostgreSQL names the partition that a row is in, and for one that is referred to a key of its own, to which it has
// given a name. zproxy names the table and the key that was declared.
var (
	partitionName = regexp.MustCompile(`\b([pc])[12](\b|_)`)
	cloneName     = regexp.MustCompile(`\bc_a(_b)?_fkey\d*\b`)
)

// inFull is all that a server says to statements: rows, tags, and errors in full.
func inFull(c *pgconn.PgConn, sql string) string {
	var out strings.Builder
	results, err := c.Exec(context.Background(), sql).ReadAll()
	for _, r := range results {
		for _, row := range r.Rows {
			fmt.Fprintf(&out, "%q\n", row)
		}
		fmt.Fprintln(&out, r.CommandTag)
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		fmt.Fprintf(&out, "%s: %s\n%s\n%s\n%s %s %s %s\n", e.Code, e.Message, e.Detail, e.Hint, e.SchemaName,
			e.TableName, e.ColumnName, e.ConstraintName)
	} else if err != nil {
		fmt.Fprintln(&out, err)
	}
	return out.String()
}
