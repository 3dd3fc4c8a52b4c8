package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testseed"
)

// TestTimestampedAsPlain sends the same statements without timestamps, which may give rows other keys, to a table whose
// cells have timestamps and to one without: both answer alike.
func TestTimestampedAsPlain(t *testing.T) {
	for _, k := range append(slices.Clip(kinds), onFake) {
		t.Run(k.name, func(t *testing.T) {
			c := openDB(t, k).connect(t)
			r := rand.New(rand.NewPCG(testseed.Of(t), 0))
			for round := range 4 {
				asPlain(t, c, r, round)
			}
		})
	}
}

func asPlain(t *testing.T, c *pgx.Conn, r *rand.Rand, round int) {
	t.Helper()
	tables := [2]string{fmt.Sprintf("plain%d", round), fmt.Sprintf("timed%d", round)}
	for i, with := range []string{"", fmt.Sprintf("WITH (mutability = 'MUTABLE_UDT', versions = %d)", 1+r.IntN(3))} {
		must(t, c, strings.ReplaceAll("CREATE TABLE $ (k int PRIMARY KEY, a int, b text DEFAULT 'd', u int UNIQUE)"+with+
			"; CREATE INDEX $_a ON $ (a) INCLUDE (b); CREATE INDEX $_k ON $ (k) WHERE a > 4", "$", tables[i]))
	}
	var done []string
	for range 80 {
		sql := anyWrite(r)
		done = append(done, sql)
		var got [2]string
		for i, table := range tables {
			got[i] = answered(c, t, strings.ReplaceAll(sql, "$", table))
		}
		for _, q := range []string{"SELECT * FROM $ ORDER BY k", "SELECT a, b FROM $ WHERE a >= 0 ORDER BY a, b",
			"SELECT k, u FROM $ WHERE u >= 0 ORDER BY u"} {
			for i, table := range tables {
				got[i] += "\n" + strings.Join(wholeRows(t, c, strings.ReplaceAll(q, "$", table)), "\n")
			}
		}
		if got[0] != got[1] {
			t.Fatalf("without timestamps:\n%s\nwith:\n%s\nafter\n%s", got[0], got[1], strings.Join(done, ";\n"))
		}
	}
	for _, table := range tables {
		must(t, c, "CHECK INDEXES ON "+table)
	}
}

// answered is the answer to a statement: the rows and the tag, or the code of the error.
func answered(c *pgx.Conn, t *testing.T, sql string) string {
	t.Helper()
	results, err := c.PgConn().Exec(t.Context(), sql).ReadAll()
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return failed.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := lines(results[0])
	slices.Sort(rows)
	return strings.Join(rows, "\n") + results[0].CommandTag.String()
}

// anyWrite is a statement that writes some rows.
func anyWrite(r *rand.Rand) string {
	n := func() int { return r.IntN(8) }
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	where := pick("", fmt.Sprintf(" WHERE k = %d", n()), fmt.Sprintf(" WHERE k > %d", n()),
		fmt.Sprintf(" WHERE a < %d", n()))
	row := func() string { return fmt.Sprintf("(%d, %d, '%d', %d)", n(), n(), n(), r.IntN(20)) }
	rows := row()
	for r.IntN(2) == 0 {
		rows += ", " + row()
	}
	key := pick("k + 1", "7 - k", "k + 8", "k % 8", fmt.Sprint(n()))
	switch r.IntN(6) {
	case 0:
		return "DELETE FROM $" + where + " RETURNING k"
	case 1:
		return "UPDATE $ SET k = " + key + pick("", ", a = a + 1", ", u = NULL") + where + " RETURNING *"
	case 2:
		return "UPDATE $ SET a = a + 1, b = b || 'x'" + where + " RETURNING *"
	case 3:
		return pick("UPSERT", "REPLACE", "INSERT") + " INTO $ VALUES " + rows
	case 4:
		return fmt.Sprintf("%s INTO $ (k, a) VALUES (%d, %d)", pick("UPSERT", "REPLACE", "INSERT"), n(), n())
	}
	conflict := pick("DO NOTHING", "(k) DO UPDATE SET a = excluded.a",
		"(k) DO UPDATE SET k = $.k + 8", "(u) DO UPDATE SET k = excluded.k")
	return "INSERT INTO $ VALUES " + rows + " ON CONFLICT " + conflict + " RETURNING *"
}
