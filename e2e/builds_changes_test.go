package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testseed"
)

// TestUniqueBuildOverDuplicates lets the build of a unique index fail, names the key, and leaves
// an index that can be built when the duplicates are gone, or dropped.
func TestUniqueBuildOverDuplicates(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s *server) {
		c := slowBuilds(t, s)
		must(t, c, "SET zproxy.build_rate = 0", "CREATE UNIQUE INDEX CONCURRENTLY t_a ON t (a)")
		awaitRow(t, c, "SELECT error FROM zproxy.index_builds WHERE state = 'disabled' AND sqlstate = '23505'")
		for _, sql := range []string{"SELECT zproxy.wait_for_index('t', 't_a')", "BUILD INDEX t_a ON t SYNC"} {
			var e *pgconn.PgError
			if err := run(c, sql); !errors.As(err, &e) || e.Code != "23505" ||
				!strings.HasPrefix(e.Detail, "Key (a)=(") {
				t.Errorf("%s: %v %+v", sql, err, e)
			}
			if got := indexesOf(t, c); got != "t_a disabled" {
				t.Error(got)
			}
			must(t, c, "INSERT INTO t SELECT max(id) + 1, 1, 0 FROM t")
		}
		must(t, c, "DELETE FROM t WHERE id > 7", "BUILD INDEX t_a ON t SYNC")
		if got := indexesOf(t, c); got != "t_a public" {
			t.Error(got)
		}
		refused(t, c, "INSERT INTO t VALUES (8, 1, 0)", "23505")
		throughIndex(t, c, "t_a", "a", 7)
		must(t, c, "UPDATE t SET b = 1", "CREATE UNIQUE INDEX CONCURRENTLY t_b ON t (b)")
		refused(t, c, "SELECT zproxy.wait_for_index('t', 't_b')", "23505")
		must(t, c, "DROP INDEX t_b", "CREATE INDEX t_b ON t (b)")
		throughIndex(t, c, "t_b", "b", 7)
	})
}

// TestBuildWaitsForBlocks holds a build up in each state in which it waits for those who write by
// an older one. Their commits do not fail, nor do builds of other tables wait.
func TestBuildWaitsForBlocks(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s *server) {
		c, first, second := slowBuilds(t, s), s.connect(t), s.connect(t)
		must(t, c, "SET zproxy.build_rate = 0", "CREATE TABLE o (id int PRIMARY KEY, a int)",
			"INSERT INTO o VALUES (1, 1)")
		must(t, first, "BEGIN", "UPDATE t SET a = a + 100 WHERE id < 10")
		must(t, c, "CREATE INDEX CONCURRENTLY t_a ON t (a)")
		inState(t, c, "t_a", "queued")
		if got := indexesOf(t, c); got != "t_a queued" {
			t.Error(got)
		}
		must(t, c, "CREATE INDEX CONCURRENTLY o_a ON o (a)", "SELECT zproxy.wait_for_index('o', 'o_a')")
		must(t, second, "BEGIN", "DELETE FROM t WHERE id = 11", "INSERT INTO t VALUES (60, 60, 60), (61, 61, 61)")
		for i, state := range []string{"delete-only", "write-only", "backfill", "validate"} {
			must(t, first, fmt.Sprintf("INSERT INTO t VALUES (%d, 1, 1)", 70+i), "COMMIT")
			inState(t, c, "t_a", state)
			must(t, first, "BEGIN", fmt.Sprintf("INSERT INTO t VALUES (%d, 1, 1)", 90+i))
			first, second = second, first
		}
		must(t, first, "ROLLBACK")
		must(t, second, "COMMIT", "SELECT zproxy.wait_for_index('t', 't_a')")
		throughIndex(t, c, "t_a", "a", 58)

		must(t, first, "BEGIN", "UPDATE t SET a = a + 1 WHERE id < 5")
		dropped := make(chan error)
		go func() { dropped <- run(c, "DROP INDEX CONCURRENTLY t_a") }()
		inState(t, second, "t_a", "write-only")
		must(t, second, "BEGIN", "DELETE FROM t WHERE id = 62", "UPDATE t SET a = 7 WHERE id = 20")
		must(t, first, "COMMIT")
		inState(t, first, "t_a", "delete-only")
		must(t, first, "BEGIN", "UPDATE t SET b = 0 WHERE id = 40")
		must(t, second, "COMMIT")
		inState(t, second, "t_a", "disabled")
		must(t, first, "COMMIT")
		if err := <-dropped; err != nil {
			t.Error(err)
		}
		if got := indexesOf(t, c); got != "" {
			t.Error(got)
		}
	})
}

// TestChangesDuringBuild changes a table while entries of an index are being made.
func TestChangesDuringBuild(t *testing.T) {
	const all = 50
	t.Parallel()
	for i, change := range []struct {
		sql    string
		index  string // that is to be read in the end; empty: none
		column string
		rows   int
	}{
		{"ALTER TABLE t ADD COLUMN c int DEFAULT 3", "t_a", "a", all},
		{"ALTER TABLE t DROP COLUMN b", "t_a", "a", all},
		{"ALTER TABLE t DROP COLUMN a", "", "", 0},
		{"TRUNCATE t; INSERT INTO t SELECT g, g, g FROM generate_series(1, 5) g", "t_a", "a", 5},
		{"BEGIN; TRUNCATE t; ROLLBACK", "t_a", "a", all},
		{"ALTER TABLE t ALTER a TYPE bigint USING a + 1", "t_a", "a", all},
		{"ALTER TABLE t ALTER b TYPE text", "t_a", "a", all},
		{"ALTER TABLE t RENAME a TO aa; INSERT INTO t VALUES (60, 1, 1)", "t_a", "aa", all + 1},
		{"ALTER TABLE t RENAME TO t2; INSERT INTO t2 VALUES (60, 1, 1); ALTER TABLE t2 RENAME TO t", "t_a", "a", all + 1},
		{"ALTER INDEX t_a RENAME TO t_x", "t_x", "a", all},
		{"DROP INDEX t_a", "", "", 0},
		{"DROP INDEX CONCURRENTLY t_a", "", "", 0},
		{"BEGIN; DROP INDEX t_a; CREATE INDEX t_x ON t (a); COMMIT", "t_x", "a", all},
		{"DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, a int)", "", "", 0},
		{"CREATE INDEX t_x ON t (b); ANALYZE t; UPDATE t SET b = b + 1, id = id + 1000", "t_a", "a", all},
		{"DELETE FROM t; INSERT INTO t VALUES (1, 1, 1)", "t_a", "a", 1},
		{"BUILD INDEX t_a ON t", "t_a", "a", all},
		{"REINDEX INDEX t_a", "t_a", "a", all},
	} {
		t.Run(change.sql, func(t *testing.T) {
			t.Parallel()
			c := slowBuilds(t, openDB(t, kinds[i%len(kinds)]))
			must(t, c, "CREATE INDEX CONCURRENTLY t_a ON t (a)")
			awaitRow(t, c, "SELECT state FROM zproxy.index_builds WHERE indexname = 't_a' AND rows_done > 0")
			must(t, c, strings.Split(change.sql, "; ")...)
			if change.index == "" {
				awaitRow(t, c, "SELECT 'none' WHERE NOT EXISTS (SELECT FROM zproxy.index_builds)")
				if got := indexesOf(t, c); got != "" {
					t.Error(got)
				}
				return
			}
			goOn(t, c, change.index)
			throughIndex(t, c, change.index, change.column, change.rows)
			if got := indexesOf(t, c); !strings.Contains(got, change.index+" public") {
				t.Error(got)
			}
		})
	}
}

// TestTwoBuilds fills two indexes of a table at once, of which one fails.
func TestTwoBuilds(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s *server) {
		c := slowBuilds(t, s)
		must(t, c, "CREATE INDEX CONCURRENTLY t_z ON t USING zorder (a, b)",
			"CREATE UNIQUE INDEX CONCURRENTLY t_u ON t (b) WHERE a > 0")
		awaitRow(t, c, "SELECT state FROM zproxy.index_builds WHERE indexname = 't_z' AND rows_done > 0")
		awaitRow(t, c, "SELECT state FROM zproxy.index_builds WHERE indexname = 't_u' AND rows_done > 0")
		must(t, c, "UPDATE t SET a = a + 1, b = b + 100 WHERE id % 3 = 0", "DELETE FROM t WHERE id % 5 = 0",
			"INSERT INTO t VALUES (80, 1, 1000), (81, 0, 1000)")
		must(t, c, "INSERT INTO t VALUES (82, 2, 46)") // as a row has that was not read yet
		must(t, c, "SELECT zproxy.set_build_rate('t', 't_u', 0)")
		goOn(t, c, "t_z")
		throughIndex(t, c, "t_z", "b", 43)
		refused(t, c, "SELECT zproxy.wait_for_index('t', 't_u')", "23505")
		must(t, c, "DELETE FROM t WHERE id = 82", "SET zproxy.build_rate = 0", "BUILD INDEX t_u ON t SYNC")
		refused(t, c, "INSERT INTO t VALUES (82, 2, 46)", "23505")
		must(t, c, "INSERT INTO t VALUES (82, 0, 46)")
	})
}

// indexWork is what one client does to indexes while others write.
var indexWork = []string{
	"CREATE INDEX CONCURRENTLY w_a ON w (a, b DESC)", "CREATE UNIQUE INDEX CONCURRENTLY w_u ON w (u) WHERE a < 20",
	"CREATE INDEX CONCURRENTLY w_z ON w USING zorder (a, b)", "REINDEX TABLE CONCURRENTLY w", "SELECT zproxy.wait_for_index('w', 'w_a')",
	"ALTER INDEX w_z ON w DISABLED", "SELECT zproxy.wait_for_index('w', 'w_u')", "BUILD INDEX w_z ON w", "REINDEX INDEX CONCURRENTLY w_u",
	"BUILD INDEX w_a ON w SYNC", "DROP INDEX CONCURRENTLY w_a", "DROP INDEX w_z", "DROP INDEX CONCURRENTLY w_u",
}

// TestBuildsWhileWritten builds indexes anew, and takes them away, while others change keys in
// statements and in blocks. When they are done, openDB compares the indexes with the rows.
func TestBuildsWhileWritten(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE TABLE w (id int PRIMARY KEY, a int, b int, u int)",
			"INSERT INTO w SELECT g, g % 40, g, g FROM generate_series(1, 2500) g",
			"INSERT INTO w SELECT -g, -1, g, -g FROM generate_series(1, 50) g")
		var over atomic.Bool
		seed := testseed.Of(t)
		together(t, s, func(c *pgx.Conn, client int) {
			if client == 0 {
				for range 2 {
					for _, sql := range indexWork {
						if err := run(c, sql); err != nil {
							t.Errorf("%s: %v", sql, err)
						}
					}
				}
				over.Store(true)
				return
			}
			rng := rand.New(rand.NewPCG(seed, uint64(client)))
			for !over.Load() {
				id := rng.IntN(350)*7 + client // no other client writes it
				sql := []string{
					"UPDATE w SET a = a %% 40 + 1 WHERE id = %d", "DELETE FROM w WHERE id = %[1]d; INSERT INTO w VALUES (%[1]d, 3, 3, %[1]d)",
					"BEGIN; UPDATE w SET a = 30, b = b + 1 WHERE id = %[1]d; UPDATE w SET a = 3 WHERE id = %[1]d; COMMIT",
					"UPDATE w SET u = -1000 - u WHERE id = %d",
				}[rng.IntN(4)]
				if code := codeOf(run(c, fmt.Sprintf(sql, id))); code != "<nil>" && code != "40001" {
					t.Errorf("%s: %s", sql, code)
				}
				_ = run(c, "ROLLBACK")
				var n int
				ask := []string{"SELECT count(b) FROM w WHERE a = -1 AND id < 0",
					"SELECT /*+ USE_INDEX(w, w_z) */ count(b) FROM w WHERE a = -1 AND b BETWEEN 1 AND 50"}[rng.IntN(2)]
				if err := c.QueryRow(context.Background(), ask).Scan(&n); err != nil || n != 50 {
					t.Errorf("%d rows were read of 50; %v", n, err)
				}
			}
		})
	})
}
