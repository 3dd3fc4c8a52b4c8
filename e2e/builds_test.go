package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// beside runs a test, which mostly waits, on a server over each kind of store at the same time.
func onEveryStore(t *testing.T, test func(t *testing.T, s *server)) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, openDB(t, k))
		})
	}
}

// slowBuilds gives a connection whose builds go on only when they are told to: they read a row a
// second. There is a table t of a few rows.
func slowBuilds(t *testing.T, s *server) *pgx.Conn {
	t.Helper()
	c := s.connect(t)
	must(t, c, "CREATE TABLE t (id int PRIMARY KEY, a int, b int)",
		"INSERT INTO t SELECT g, g % 7, g FROM generate_series(1, 50) g",
		"SET zproxy.build_rate = 1")
	return c
}

// goOn lets a build go on as fast as it can, and waits for its end.
func goOn(t *testing.T, c *pgx.Conn, index string) {
	t.Helper()
	must(t, c, fmt.Sprintf("SELECT zproxy.set_build_rate('t', '%s', 0)", index),
		fmt.Sprintf("SELECT zproxy.wait_for_index('t', '%s')", index))
}

// awaitRow waits until a query has a row.
func awaitRow(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if len(texts(t, c, sql)) > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no row: %s\nbuilds: %v", sql,
				texts(t, c, "SELECT concat_ws(' ', indexname, state, goal, rows_done, error) FROM zproxy.index_builds"))
		}
	}
}

// inState waits until the build of an index is in a state.
func inState(t *testing.T, c *pgx.Conn, index, state string) {
	t.Helper()
	awaitRow(t, c, fmt.Sprintf("SELECT state FROM zproxy.index_builds WHERE indexname = '%s' AND state = '%s'", index,
		state))
}

// texts are the first column of a query, as texts.
func texts(t *testing.T, c *pgx.Conn, sql string) []string {
	t.Helper()
	rows, err := c.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

// indexesOf are the indexes of t but for its primary key, with their states.
func indexesOf(t *testing.T, c *pgx.Conn) string {
	t.Helper()
	return strings.Join(texts(t, c,
		"SELECT indexname || ' ' || state FROM zproxy.indexes WHERE tablename = 't' AND NOT is_primary ORDER BY 1"), ", ")
}

// throughIndex wants a number of rows to be read through an index.
func throughIndex(t *testing.T, c *pgx.Conn, index, column string, want int) {
	t.Helper()
	sql := fmt.Sprintf("SELECT /*+ USE_INDEX(t, %s) */ %s::text FROM t WHERE %[2]s > -1000000", index, column)
	if plan := strings.Join(texts(t, c, "EXPLAIN "+sql), "\n"); !strings.Contains(plan, " "+index+" ") {
		t.Errorf("not through %s:\n%s", index, plan)
	}
	if n := len(texts(t, c, sql)); n != want {
		t.Errorf("%d rows through %s, want %d", n, index, want)
	}
}

// TestReindexDuringWrites reads and writes through an index for which another one is being built. That
// replacement goes with the build.
func TestReindexDuringWrites(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s *server) {
		c := slowBuilds(t, s)
		must(t, c, "CREATE INDEX t_a ON t (a)", "CREATE UNIQUE INDEX t_b ON t (b)", "REINDEX TABLE CONCURRENTLY t")
		inState(t, c, "t_a_ccnew", "backfill")
		inState(t, c, "t_b_ccnew", "backfill")
		must(t, c, "INSERT INTO t VALUES (100, 1, 100)", "UPDATE t SET a = 5 WHERE id < 10",
			"DELETE FROM t WHERE id IN (20, 21)")
		refused(t, c, "INSERT INTO t VALUES (101, 1, 100)", "23505")
		throughIndex(t, c, "t_a", "a", 49)
		throughIndex(t, c, "t_b", "b", 49)
		must(t, c, "REINDEX TABLE t") // fills those that are read
		if got := indexesOf(t, c); got != "t_a public, t_a_ccnew backfill, t_b public, t_b_ccnew backfill" {
			t.Error(got)
		}
		refused(t, c, "REINDEX INDEX t_b_ccnew", "55000")
		must(t, c, "BUILD INDEX t_b_ccnew ON t")
		goOn(t, c, "t_a_ccnew")
		goOn(t, c, "t_b_ccnew")
		throughIndex(t, c, "t_a", "a", 49)
		throughIndex(t, c, "t_b", "b", 49)
		must(t, c, "REINDEX INDEX CONCURRENTLY t_a", "DROP INDEX t_a", "REINDEX INDEX CONCURRENTLY t_b",
			"ALTER INDEX t_b_ccnew ON t DISABLED")
		awaitRow(t, c, "SELECT 'none' WHERE NOT EXISTS (SELECT FROM zproxy.index_builds)")
		if got := indexesOf(t, c); got != "t_b public" {
			t.Error(got)
		}
		must(t, c, "REINDEX INDEX CONCURRENTLY t_b", "ALTER INDEX t_b ON t DISABLED", "DELETE FROM t WHERE id > 40")
		awaitRow(t, c, "SELECT 'none' WHERE NOT EXISTS (SELECT FROM zproxy.index_builds)")
		if got := indexesOf(t, c); got != "t_b disabled" {
			t.Error(got)
		}
		must(t, c, "SET zproxy.build_rate = 0", "BUILD INDEX t_b ON t SYNC")
		throughIndex(t, c, "t_b", "b", 38)
	})
}

// TestSlowBuildEnds builds an index slowly: the build ends when the index is complete. How long it rests is held by
// cluster/build's test of its pace.
func TestSlowBuildEnds(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s *server) {
		c := slowBuilds(t, s)
		must(t, c, "SET zproxy.build_rate = 0", "CREATE TABLE many (id int PRIMARY KEY, a int)",
			"INSERT INTO many SELECT g, g FROM generate_series(1, 3000) g",
			"SET zproxy.build_rate = 1000", "CREATE INDEX CONCURRENTLY many_a ON many (a)")
		awaitRow(t, c, "SELECT 'public' FROM zproxy.indexes WHERE indexname = 'many_a' AND state = 'public'")
		must(t, c, "SELECT zproxy.wait_for_index('many', 'many_a')")
		if left := texts(t, c, "SELECT indexname FROM zproxy.index_builds"); len(left) > 0 {
			t.Errorf("builds go on: %v", left)
		}
	})
}

// TestBuildUnits builds indexes with few units a second, on a store that charges them: one in the background gets on by
// few rows at a time, through all segments, and one that a statement waits for comes to its end, too.
func TestBuildUnits(t *testing.T) {
	t.Parallel()
	s := openDB(t, onFake)
	c := slowBuilds(t, s)
	must(t, c, "SET zproxy.build_rate = 0", "SET zproxy.build_units = 100", "CREATE INDEX CONCURRENTLY t_a ON t (a)")
	awaitRow(t, c, "SELECT indexname FROM zproxy.index_builds WHERE rows_done BETWEEN 1 AND 49")
	must(t, c, "SELECT zproxy.wait_for_index('t', 't_a')", "CREATE INDEX t_b ON t (b)",
		"REINDEX INDEX CONCURRENTLY t_b", "SELECT zproxy.wait_for_index('t', 't_b_ccnew')")
	throughIndex(t, c, "t_a", "a", 50)
	throughIndex(t, c, "t_b", "b", 50)
}
