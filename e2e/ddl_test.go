package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/session"
)

// refused wants a statement to fail with a code.
func refused(t *testing.T, c *pgx.Conn, sql, code string) {
	t.Helper()
	var e *pgconn.PgError
	if err := run(c, sql); !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: %v, want %s", sql, err, code)
	}
}

func countOf(t *testing.T, c *pgx.Conn, sql string) (n int) {
	t.Helper()
	if err := c.QueryRow(context.Background(), sql).Scan(&n); err != nil {
		t.Errorf("%s: %v", sql, err)
	}
	return n
}

// TestSchemaChangeIsolated holds that no other session sees a schema change before its commit, that those wait for it
// that use the same tables or names, no longer than they may, and that others do not.
func TestSchemaChangeIsolated(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		a, b := s.connect(t), s.connect(t)
		must(t, a, "CREATE TABLE t (id int PRIMARY KEY, v int)", "CREATE TABLE o (id int PRIMARY KEY)",
			"INSERT INTO t VALUES (1, 1)")
		must(t, a, "BEGIN", "CREATE TABLE made (x int)", "ALTER TABLE t ADD COLUMN w int DEFAULT 5", "DROP TABLE o",
			"CREATE TABLE o2 (id int)", "CREATE TEMP TABLE own (x int)", "CREATE SCHEMA others")
		must(t, b, "SET lock_timeout = '20ms'")
		refused(t, b, "SELECT * FROM made", "42P01")
		refused(t, b, "SELECT w FROM t", "42703")
		for _, sql := range []string{"SELECT * FROM t", "SELECT * FROM o", "INSERT INTO t VALUES (2, 2)",
			"DROP TABLE t",
			"CREATE TABLE made (x int)", "CREATE SCHEMA others", "ANALYZE t", "CREATE VIEW seen AS SELECT * FROM t"} {
			refused(t, b, sql, "55P03")
		}
		must(t, b, "CREATE TABLE mine (x int)", "CREATE TEMP TABLE own (x int)", "CREATE SEQUENCE counted",
			"DROP TABLE IF EXISTS nothing", "CREATE ROLE someone", "GRANT SELECT ON mine TO someone",
			"COMMENT ON TABLE mine IS 'x'", "ANALYZE mine", "TRUNCATE mine", "ALTER TABLE mine ADD y int",
			"DROP TABLE mine", "DROP ROLE someone")
		must(t, b, "SET lock_timeout = 0", "SET statement_timeout = '20ms'")
		refused(t, b, "CREATE TABLE made (x int)", "57014")
		must(t, b, "SET statement_timeout = 0")
		must(t, a, "COMMIT")
		must(t, b, "INSERT INTO t VALUES (2, 2)", "CREATE TABLE mine (x int)", "SELECT * FROM made")
		refused(t, b, "SELECT * FROM o", "42P01")
		if n := countOf(t, b, "SELECT sum(w) FROM t"); n != 10 {
			t.Errorf("w adds up to %d", n)
		}
		must(t, a, "BEGIN", "DROP TABLE mine")
		must(t, b, "INSERT INTO t VALUES (3, 3)")
		must(t, a, "ROLLBACK")
		must(t, b, "INSERT INTO mine VALUES (1)")
	})
}

// untilOneWaits waits until a session waits for a lock.
func untilOneWaits(t *testing.T, c *pgx.Conn) {
	t.Helper()
	for countOf(t, c, "SELECT count(*) FROM pg_locks WHERE NOT granted") == 0 && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
}

// TestSchemaChangeWaits changes tables that open transactions use: it waits for their end.
func TestSchemaChangeWaits(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		a, b := s.connect(t), s.connect(t)
		must(t, a, "CREATE TABLE t (id int PRIMARY KEY, v int)")
		for i, change := range []string{"CREATE INDEX t_v ON t (v)", "ALTER TABLE t ADD w int DEFAULT 3", "TRUNCATE t",
			"ALTER TABLE t DROP w"} {
			must(t, b, "BEGIN", fmt.Sprintf("INSERT INTO t VALUES (%d, 7)", i))
			changed := make(chan error, 1)
			go func() { changed <- run(a, change) }()
			untilOneWaits(t, b)
			must(t, b, "COMMIT")
			if err := <-changed; err != nil {
				t.Errorf("%s: %v", change, err)
			}
		}
		if n := countOf(t, b, "SELECT count(*) FROM t WHERE v = 7"); n != 1 {
			t.Errorf("%d rows by the index", n)
		}
		must(t, b, "BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT 1")
		must(t, a, "INSERT INTO t VALUES (7, 7)")
		refused(t, b, "CREATE INDEX t_w ON t (v, id); COMMIT", "40001") // its snapshot lacks a row
		must(t, b, "ROLLBACK; BEGIN; SELECT 1")
		must(t, a, "INSERT INTO t VALUES (8, 7)", "CREATE TABLE later (x int)")
		must(t, b, "CREATE INDEX t_w ON t (v, id); DROP TABLE later; COMMIT")
		if n := countOf(t, b, "SELECT count(*) FROM t WHERE v = 7"); n != 3 {
			t.Errorf("%d rows by the index", n)
		}
	})
}

// TestChangesUnderWrites changes the schema of a table, in transactions, that many clients
// write to. The indexes are checked when the test ends.
func TestChangesUnderWrites(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE TABLE t (id serial PRIMARY KEY, v int)")
		together(t, s, func(c *pgx.Conn, client int) {
			for i := range 12 {
				if client > 0 {
					for run(c, fmt.Sprintf("INSERT INTO t (v) VALUES (%d), (%d)", i, -i)) != nil {
					}
					continue
				}
				sql := fmt.Sprintf("BEGIN; ALTER TABLE t ADD COLUMN c%d int DEFAULT %d; CREATE INDEX ON t (c%d, v); INSERT INTO t (v) VALUES (0); COMMIT", i, i, i)
				for run(c, sql) != nil {
					_ = run(c, "ROLLBACK")
				}
			}
		})
		c := s.connect(t)
		want := (manyClients-1)*24 + 12
		if n := countOf(t, c, "SELECT count(*) FROM t"); n != want {
			t.Errorf("%d rows, want %d", n, want)
		}
		if n := countOf(t, c, "SELECT count(*) FROM t WHERE c11 = 11"); n != want {
			t.Errorf("%d rows with the last column, want %d", n, want)
		}
	})
}

// TestSequenceConcurrent takes numbers from many connections while the sequence is
// altered and what uses it rolled back: none comes twice.
func TestSequenceConcurrent(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE SEQUENCE s CACHE 3")
		var mu sync.Mutex
		seen := map[int]bool{}
		together(t, s, func(c *pgx.Conn, client int) {
			for i := range 100 {
				if client == 0 && i%10 == 0 {
					must(t, c, "BEGIN", fmt.Sprintf("ALTER SEQUENCE s INCREMENT BY %d", 1+i/10),
						[]string{"COMMIT", "ROLLBACK"}[i/10%2])
				}
				n := countOf(t, c, "SELECT nextval('s')")
				mu.Lock()
				if seen[n] {
					t.Errorf("%d came twice", n)
				}
				seen[n] = true
				mu.Unlock()
			}
		})
	})
}

// TestOpensAgain opens a store anew after statistics, rows and sequences have seen their
// columns change.
func TestOpensAgain(t *testing.T) {
	st := openPebble(t, vfs.NewMem())
	defer st.Close()
	s := serve(t, st, session.Options{})
	must(t, s.connect(t),
		"CREATE TABLE k (id serial PRIMARY KEY, a text, b int)", "CREATE INDEX k_b ON k USING zorder (b)",
		"INSERT INTO k (a, b) SELECT 'abc', g FROM generate_series(1, 10) g", "ANALYZE k",
		"ALTER TABLE k ALTER a TYPE int USING length(a)", "ALTER TABLE k DROP b", "ALTER TABLE k ADD b text DEFAULT 'x'",
		"ALTER SEQUENCE k_id_seq RESTART 100", "BEGIN; CREATE SEQUENCE gone; SELECT nextval('gone'); ROLLBACK",
		"INSERT INTO k (a) VALUES (3)",
	)
	s.stop()
	s = serve(t, st, session.Options{})
	defer s.stop()
	c := s.connect(t)
	must(t, c, "EXPLAIN SELECT * FROM k WHERE a > 1", "ANALYZE k")
	if n := countOf(t, c, "SELECT count(*) FROM k WHERE a = 3 AND b = 'x' AND id <= 100"); n != 11 {
		t.Errorf("%d rows", n)
	}
	if n := countOf(t, c, "INSERT INTO k (a) VALUES (3) RETURNING id"); n <= 100 {
		t.Errorf("the number %d", n)
	}
}
