package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/testseed"
)

// TestWritesInAnyOrder sends writes with timestamps to tables in different orders, some of them twice and some in one
// transaction: the tables end with the same rows and the same versions of cells, and so do their indexes.
func TestWritesInAnyOrder(t *testing.T) {
	for _, k := range append(slices.Clip(kinds), onFake, onDynamoDB) {
		t.Run(k.name, func(t *testing.T) {
			small := k.name == onDynamoDB.name
			if small && testing.Short() {
				t.Skip("DynamoDB Local is slow")
			}
			c := openDB(t, k).connect(t)
			r := rand.New(rand.NewPCG(testseed.Of(t), 0))
			rounds, orders := 8, 4
			if small {
				rounds, orders = 1, 3
			}
			for round := range rounds {
				inAnyOrder(t, c, r, fmt.Sprintf("t%d", round), orders)
			}
		})
	}
}

// inAnyOrder plays writes on so many tables, each in an order of its own.
func inAnyOrder(t *testing.T, c *pgx.Conn, r *rand.Rand, name string, orders int) {
	t.Helper()
	var writes []string
	for range 25 {
		writes = append(writes, timestampedWrite(r))
	}
	versions := 1 + r.IntN(4)
	var want [][]string
	for order := range orders {
		table := fmt.Sprintf("%s_%d", name, order)
		must(t, c, strings.ReplaceAll(timestampedTable, "$", table))
		must(t, c, fmt.Sprintf("ALTER TABLE %s SET (versions = %d)", table, versions))
		sent := slices.Clone(writes)
		if order > 0 {
			sent = append(sent, writes[:r.IntN(len(writes))]...)
			r.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
		}
		for len(sent) > 0 {
			n := 1 + r.IntN(min(3, len(sent)))
			must(t, c, strings.ReplaceAll("BEGIN; "+strings.Join(sent[:n], "; ")+"; COMMIT", "$", table))
			sent = sent[n:]
		}
		var got [][]string
		for _, q := range timestampedQueries {
			got = append(got, wholeRows(t, c, strings.ReplaceAll(q, "$", table)))
		}
		must(t, c, "CHECK INDEXES ON "+table)
		inMilliseconds(t, c, table, versions)
		if want == nil {
			want = got
		}
		for i := range got {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%s of %s:\n%v\nfirst:\n%v\nof %s", timestampedQueries[i], table, got[i], want[i],
					strings.Join(writes, ";\n"))
			}
		}
	}
}

// inMilliseconds reads the cells of each timestamp that a write can have: together they are the versions of the cells
// of the table, and where it keeps one of each, its cells.
func inMilliseconds(t *testing.T, c *pgx.Conn, table string, versions int) {
	t.Helper()
	for _, column := range []string{"a", "b", "c"} {
		sql := func(from string) string {
			return fmt.Sprintf("SELECT p, k, %s, at FROM (%s) AS every WHERE %[1]s >= '2' ORDER BY p, k, at", column, from)
		}
		read := func(hint string) string {
			return fmt.Sprintf("SELECT %s p, k, %s, %[2]s_l_ts AS at FROM %s", hint, column, table)
		}
		var each []string
		for at := range 6 {
			each = append(each, read(fmt.Sprintf("/*+ _l_ts_(%d) */", at)))
		}
		got := wholeRows(t, c, sql(strings.Join(each, " UNION ALL ")))
		hints := []string{fmt.Sprintf("/*+ _l_versions_(%d) */", versions), "/*+ _l_versions_(9) */"}
		if versions == 1 {
			hints = append(hints, "")
		}
		for _, hint := range hints {
			if want := wholeRows(t, c, sql(read(hint))); !slices.Equal(got, want) {
				t.Fatalf("%s of %s by timestamps:\n%v\nat once, with %q:\n%v", column, table, got, hint, want)
			}
		}
	}
}

// wholeRows are the rows of a query, as texts.
func wholeRows(t *testing.T, c *pgx.Conn, sql string) []string {
	t.Helper()
	results, err := c.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return lines(results[0])
}

const timestampedTable = "CREATE TABLE $ (p int, k text, a int, b text, c numeric, PRIMARY KEY (p, k)) " +
	"WITH (mutability = 'MUTABLE_UDT'); CREATE INDEX $_a ON $ (a) INCLUDE (b); CREATE INDEX $_z ON $ USING zorder (p, a); " +
	"CREATE INDEX $_b ON $ (b) WHERE a > 2; CREATE INDEX $_all ON $ (c) WITH (INDEX_COVERED_TYPE = 'COVERED_ALL_COLUMNS_IN_SCHEMA')"

// timestampedQueries read the table and its indexes. What tells timestamps is among it.
var timestampedQueries = []string{
	"SELECT p, k, a, b, c FROM $ ORDER BY p, k", "SELECT a, b, p, k FROM $ WHERE a >= 0 ORDER BY a, p, k",
	"SELECT b FROM $ WHERE a > 2 AND b >= '' ORDER BY b", "SELECT p, k FROM $ WHERE p BETWEEN 1 AND 2 AND a BETWEEN 1 AND 4 ORDER BY p, k",
	"SELECT c, a, k FROM $ WHERE c > 0 ORDER BY c, p, k", "SELECT count(*) FROM $", "SELECT k FROM $ WHERE p = 1 AND k = 'x'",
	"SELECT /*+ _l_ts_min_(2) _l_ts_max_(4) */ p, k, a, b, c FROM $ ORDER BY p, k",
	"SELECT /*+ _l_ts_min_(2) */ p, k, b FROM $ WHERE a > 2 AND p BETWEEN 1 AND 2 ORDER BY p, k",
	"SELECT /*+ _l_versions_(9) */ *, k_l_ts, a_l_ts, b_l_ts, c_l_ts FROM $ ORDER BY p, k",
	"SELECT c FROM zproxy.changes('$') AS c ORDER BY c->>'key'",
	"SELECT /*+ _l_versions_(2) _l_ts_max_(4) */ k, a, a_l_ts FROM $ WHERE a > 1 AND k = 'x' ORDER BY p, a_l_ts",
}

// timestampedWrite is a write of some cells of a row, of several rows, or a delete.
func timestampedWrite(r *rand.Rand) string {
	at := r.IntN(6)
	key := func() (int, string) { return 1 + r.IntN(2), string(rune('x' + r.IntN(2))) }
	p, k := key()
	if r.IntN(4) == 0 {
		return fmt.Sprintf("DELETE /*+ _l_ts_(%d) */ FROM $ WHERE k = '%s' AND p = %d", at, k, p)
	}
	if r.IntN(8) == 0 {
		return fmt.Sprintf("REPLACE /*+ _l_ts_(%d) */ INTO $ (p, k, a) VALUES (%d, '%s', %d)", at, p, k, r.IntN(6))
	}
	columns := []string{"a", "b", "c"}
	r.Shuffle(3, func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	columns = columns[:r.IntN(4)]
	if len(columns) == 0 {
		return fmt.Sprintf("INSERT /*+ _l_ts_(%d) */ INTO $ (p, k, a) VALUES (%d, '%s', %d) "+
			"ON CONFLICT (p, k) DO UPDATE SET a = excluded.a", at, p, k, r.IntN(6))
	}
	var set, values []string
	for _, column := range columns {
		set = append(set, column+" = excluded."+column)
		value := fmt.Sprint(r.IntN(6))
		switch {
		case r.IntN(5) == 0:
			value = "NULL"
		case column == "b":
			value = "'" + value + "'"
		case column == "c" && r.IntN(2) == 0:
			value += ".0"
		}
		values = append(values, value)
	}
	return fmt.Sprintf("INSERT /*+ _l_ts_(%d) */ INTO $ (p, k, %s) VALUES (%d, '%s', %s) ON CONFLICT (p, k) DO UPDATE SET %s",
		at, strings.Join(columns, ", "), p, k, strings.Join(values, ", "), strings.Join(set, ", "))
}
