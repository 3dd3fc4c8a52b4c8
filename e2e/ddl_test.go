package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

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

// TestSchemaChangeIsolated holds that no other session sees a schema change before its commit, that
// others wait for it no longer than they may, and write to other tables meanwhile.
func TestSchemaChangeIsolated(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		a, b := s.connect(t), s.connect(t)
		must(t, a, "CREATE TABLE t (id int PRIMARY KEY, v int)", "CREATE TABLE o (id int PRIMARY KEY)",
			"INSERT INTO t VALUES (1, 1)")
		must(t, a, "BEGIN", "CREATE TABLE made (x int)", "ALTER TABLE t ADD COLUMN w int DEFAULT 5", "DROP TABLE o",
			"CREATE TABLE o2 (id int)")
		must(t, b, "SET lock_timeout = '20ms'", "SELECT id, v FROM t", "SELECT * FROM o")
		refused(t, b, "SELECT w FROM t", "42703")
		refused(t, b, "SELECT * FROM made", "42P01")
		refused(t, b, "INSERT INTO t VALUES (2, 2)", "55P03")
		refused(t, b, "CREATE TABLE mine (x int)", "55P03")
		must(t, b, "SET lock_timeout = 0", "SET statement_timeout = '20ms'")
		refused(t, b, "CREATE TABLE mine (x int)", "57014")
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

// TestOldWritesMeetNewSchema commits writes that were planned before a schema change.
func TestOldWritesMeetNewSchema(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		a, b := s.connect(t), s.connect(t)
		must(t, a, "CREATE TABLE t (id int PRIMARY KEY, v int)")
		must(t, b, "BEGIN", "INSERT INTO t VALUES (1, 1)")
		must(t, a, "CREATE INDEX t_v ON t (v)")
		refused(t, b, "COMMIT", "40001")
		must(t, b, "BEGIN", "INSERT INTO t VALUES (1, 1)")
		must(t, a, "TRUNCATE t")
		refused(t, b, "COMMIT", "40001")
		must(t, b, "BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM t")
		must(t, a, "INSERT INTO t VALUES (7, 7)")
		refused(t, b, "CREATE INDEX t_w ON t (v, id); COMMIT", "40001") // its snapshot lacks a row
		must(t, b, "ROLLBACK; BEGIN; SELECT * FROM t")
		must(t, a, "INSERT INTO t VALUES (8, 7)")
		must(t, b, "CREATE INDEX t_w ON t (v, id); COMMIT")
		if n := countOf(t, b, "SELECT count(*) FROM t WHERE v = 7"); n != 2 {
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
