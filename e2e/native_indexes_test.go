package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/testseed"
)

// TestNativeIndexes writes rows of tables with indexes that DynamoDB keeps, in and out of blocks, and queries them
// through these and without, which must be the same where no transaction is so large that its writes come later.
func TestNativeIndexes(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	c := openDB(t, onFake).connect(t)
	mustRun(t, c, "SET zproxy.full_scan = allow")
	q := nativeQueries{Conn: c, r: r, through: map[string]bool{}}
	for n, keys := range []string{"", " WITH (item_keys = 'native')", " PARTITION BY HASH (id)", " WITH (shards = 3)"} {
		table := fmt.Sprintf("n%d", n)
		mustRun(t, c, "CREATE TABLE "+table+" (id int PRIMARY KEY, a int, b text, c int)"+keys)
		if n != 1 { // else boxes are no candidates that win
			mustRun(t, c, "CREATE INDEX "+table+"_ab ON "+table+" (a, b) INCLUDE (c) WITH (storage = 'gsi')")
			mustRun(t, c, "CREATE INDEX "+table+"_c ON "+table+" (c DESC) WITH (storage = 'gsi', shards = 2)")
		}
		mustRun(t, c, "CREATE INDEX "+table+"_sum ON "+table+" ((a + c), lower(b)) WITH (storage = 'gsi')")
		mustRun(t, c, "CREATE INDEX "+table+"_z ON "+table+" USING zorder (a, c) WITH (storage = 'gsi')")
		mustRun(t, c, "CREATE INDEX "+table+"_b ON "+table+" (b)")
		for range 60 {
			in := r.IntN(3) == 0
			if in {
				mustRun(t, c, "BEGIN")
			}
			for range 1 + r.IntN(3) {
				mustRun(t, c, nativeWrite(r, table))
				if in || r.IntN(2) == 0 {
					q.compare(t, table, in)
				}
			}
			if in {
				mustRun(t, c, []string{"COMMIT", "ROLLBACK"}[r.IntN(2)])
			}
		}
		if got := textOf(t, c, "SELECT string_agg(index || ' ' || class, ', ') FROM zproxy.check_index('"+table+"')"); got != "" {
			t.Errorf("%s: %s", table, got)
		}
	}
	for _, index := range []string{"_ab", "_c", "_sum", "_z"} {
		if !q.through[index] {
			t.Errorf("no query took an index named %s", index)
		}
	}
}

// nativeWrite is a statement that writes a few rows.
func nativeWrite(r *rand.Rand, table string) string {
	id := r.IntN(30)
	value := func() string { return []string{"NULL", "0", "1", "2", "-1"}[r.IntN(5)] }
	text := []string{"NULL", "''", "'x'", "'xy'", "E'\\x01'"}[r.IntN(5)]
	switch r.IntN(5) {
	case 4:
		return fmt.Sprintf("SELECT FROM %s WHERE id = %d FOR UPDATE", table, id)
	case 0:
		return fmt.Sprintf("DELETE FROM %s WHERE id = %d", table, id)
	case 1:
		return fmt.Sprintf("UPDATE %s SET a = %s, b = %s WHERE id BETWEEN %d AND %d", table, value(), text, id, id+3)
	}
	return fmt.Sprintf("UPSERT INTO %s VALUES (%d, %s, %s, %s)", table, id, value(), text, value())
}

// nativeQueries asks random queries.
type nativeQueries struct {
	*pgx.Conn
	r       *rand.Rand
	through map[string]bool // the indexes that queries took
}

// compare asks the same with and without the indexes, perhaps in a block.
func (q *nativeQueries) compare(t *testing.T, table string, block bool) {
	t.Helper()
	c, r := q.Conn, q.r
	n := r.IntN(3) - 1
	where := []string{
		fmt.Sprintf("a = %d", n), fmt.Sprintf("a = %d AND b >= 'x'", n), fmt.Sprintf("a = %d AND b IS NULL", n), "a IS NULL",
		fmt.Sprintf("c > %d", n), fmt.Sprintf("c = %d", n), fmt.Sprintf("a BETWEEN %d AND 1 AND c BETWEEN 0 AND %d", n, n+1),
		fmt.Sprintf("a = %d AND id > 7", n), fmt.Sprintf("a + c = %d", n), fmt.Sprintf("a + c >= %d", n),
		fmt.Sprintf("a + c = %d AND lower(b) >= 'x'", n),
	}[r.IntN(11)]
	columns := []string{"id", "id, a, b, c", "c", "a + c AS d, lower(b) AS e, id"}[r.IntN(4)]
	order := []string{"id", "a, b, id", "c DESC, id", "a + c, lower(b), id"}[r.IntN(4)]
	query := fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s", columns, table, where, order)
	got := textOf(t, c, "SELECT string_agg(q::text, ' ') FROM ("+query+") AS q")
	plan := strings.Join(texts(t, c, "EXPLAIN "+query), "\n")
	for _, index := range []string{"_ab", "_c", "_sum", "_z"} {
		q.through[index] = q.through[index] || strings.Contains(plan, "using "+table+index+" ")
	}
	mustRun(t, c, "SET zproxy.consistent_statements = on")
	want := textOf(t, c, "SELECT string_agg(q::text, ' ') FROM ("+query+") AS q")
	if plan := strings.Join(texts(t, c, "EXPLAIN "+query), "\n"); strings.Contains(plan, "eventual") {
		t.Errorf("%s reads eventually:\n%s", query, plan)
	}
	mustRun(t, c, "SET zproxy.consistent_statements = off")
	if got != want {
		t.Fatalf("%s (in a block: %v)\n%s\nwithout the indexes\n%s\n%s", query, block, got, want, plan)
	}
}
