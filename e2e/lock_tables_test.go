package e2e

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// lockStrengths are the modes of LOCK TABLE with those that conflict with them, by PostgreSQL's documentation.
var lockStrengths = map[string]string{
	"ACCESS SHARE":  "ACCESS EXCLUSIVE",
	"ROW SHARE":     "EXCLUSIVE, ACCESS EXCLUSIVE",
	"ROW EXCLUSIVE": "SHARE, SHARE ROW EXCLUSIVE, EXCLUSIVE, ACCESS EXCLUSIVE",
	"SHARE UPDATE EXCLUSIVE": "SHARE UPDATE EXCLUSIVE, SHARE, SHARE ROW EXCLUSIVE, EXCLUSIVE, " +
		"ACCESS EXCLUSIVE",
	"SHARE": "ROW EXCLUSIVE, SHARE UPDATE EXCLUSIVE, SHARE ROW EXCLUSIVE, EXCLUSIVE, ACCESS EXCLUSIVE",
	"SHARE ROW EXCLUSIVE": "ROW EXCLUSIVE, SHARE UPDATE EXCLUSIVE, SHARE, SHARE ROW EXCLUSIVE, EXCLUSIVE, " +
		"ACCESS EXCLUSIVE",
	"EXCLUSIVE": "ROW SHARE, ROW EXCLUSIVE, SHARE UPDATE EXCLUSIVE, SHARE, SHARE ROW EXCLUSIVE, EXCLUSIVE, " +
		"ACCESS EXCLUSIVE",
	"ACCESS EXCLUSIVE": "ACCESS SHARE, ROW SHARE, ROW EXCLUSIVE, SHARE UPDATE EXCLUSIVE, SHARE, " +
		"SHARE ROW EXCLUSIVE, EXCLUSIVE, ACCESS EXCLUSIVE",
}

// usesOfTables are statements with the mode in which they lock their table.
var usesOfTables = map[string]string{
	"SELECT * FROM t FOR UPDATE":                               "ROW SHARE",
	"SELECT * FROM t FOR KEY SHARE":                            "ROW SHARE",
	"INSERT INTO t VALUES (2)":                                 "ROW EXCLUSIVE",
	"UPDATE t SET a = 1":                                       "ROW EXCLUSIVE",
	"DELETE FROM p2 WHERE a = 15":                              "ROW EXCLUSIVE",
	"DELETE FROM p WHERE a = 15":                               "ROW EXCLUSIVE",
	"WITH w AS (DELETE FROM t) SELECT 1":                       "ROW EXCLUSIVE",
	"EXPLAIN ANALYZE DELETE FROM t":                            "ROW EXCLUSIVE",
	"PREPARE w AS UPDATE t SET a = 1; EXECUTE w":               "ROW EXCLUSIVE",
	"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING":          "ROW EXCLUSIVE",
	"DECLARE c CURSOR FOR SELECT * FROM t FOR UPDATE; FETCH c": "ROW SHARE",
}

// TestLockTable locks a table and a partitioned one in each mode, and sees which other modes and statements wait for
// that; then it lets LOCK TABLE wait for the statements.
func TestLockTable(t *testing.T) {
	db := openDB(t, onPebble)
	a, b := db.connect(t), db.connect(t)
	must(t, a, "CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)",
		"CREATE TABLE p (a int PRIMARY KEY) PARTITION BY RANGE (a)",
		"CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
		"CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)", "INSERT INTO p VALUES (15)")
	const unavailable = `ERROR 55P03: could not obtain lock on relation "t"`
	for mode, list := range lockStrengths {
		conflicts := strings.Split(list, ", ")
		for other := range lockStrengths {
			must(t, a, "BEGIN; LOCK TABLE p, t IN "+mode+" MODE")
			got := failure(t, b, "BEGIN; LOCK t IN "+other+" MODE NOWAIT; COMMIT")
			if want := slices.Contains(conflicts, other); (got != "") != want || want && got != unavailable {
				t.Errorf("%s beside %s: %q", other, mode, got)
			}
			must(t, a, "COMMIT")
			must(t, b, "ROLLBACK")
		}
		for statement, use := range usesOfTables {
			must(t, a, "BEGIN; LOCK TABLE p, t IN "+mode+" MODE")
			got := failure(t, b, "BEGIN; SET LOCAL lock_timeout = 1; "+statement)
			want := ""
			if slices.Contains(conflicts, use) {
				want = "ERROR 55P03: canceling statement due to lock timeout"
			}
			if got != want {
				t.Errorf("%s beside %s: %q", statement, mode, got)
			}
			must(t, a, "COMMIT")
			if got == "" {
				table := map[bool]string{true: "p", false: "t"}[strings.Contains(statement, "FROM p")]
				got = failure(t, a, "BEGIN; SET LOCAL lock_timeout = 1; LOCK "+table+" IN "+mode+" MODE")
				if want := slices.Contains(conflicts, use); (got != "") != want {
					t.Errorf("%s behind %s: %q", mode, statement, got)
				}
				must(t, a, "ROLLBACK")
			}
			must(t, b, "ROLLBACK; DEALLOCATE ALL")
		}
	}
}

// TestCopyLocksTable copies into a table that another session has locked, and locks one into which another one copies,
// which has not ended.
func TestCopyLocksTable(t *testing.T) {
	db := openDB(t, onPebble)
	a, b := db.connect(t), db.connect(t)
	must(t, a, "CREATE TABLE t (a int PRIMARY KEY)")
	for _, begin := range []string{"", "BEGIN"} {
		must(t, a, "BEGIN; LOCK TABLE t IN SHARE MODE")
		must(t, b, "SET lock_timeout = 1; "+begin)
		_, err := b.PgConn().CopyFrom(t.Context(), strings.NewReader("1\n"), "COPY t FROM STDIN")
		if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "55P03" {
			t.Errorf("%v", err)
		}
		must(t, a, "COMMIT")
		must(t, b, "ROLLBACK; RESET lock_timeout; "+begin)
		more, data := io.Pipe()
		copied := make(chan error)
		go func() {
			_, err := b.PgConn().CopyFrom(t.Context(), more, "COPY t FROM STDIN")
			copied <- err
		}()
		_, _ = data.Write([]byte("7\n"))
		for failure(t, a, "BEGIN; LOCK TABLE t IN SHARE MODE NOWAIT") == "" {
			must(t, a, "ROLLBACK")
		}
		must(t, a, "ROLLBACK")
		data.Close()
		if err := <-copied; err != nil {
			t.Error(err)
		}
		must(t, b, "ROLLBACK")
		must(t, a, "DELETE FROM t")
	}
}

// TestLockedTableIsChanged changes a table that the session has locked while a COPY waits for the lock.
func TestLockedTableIsChanged(t *testing.T) {
	db := openDB(t, onPebble)
	a, b := db.connect(t), db.connect(t)
	must(t, a, "CREATE TABLE t (a int PRIMARY KEY)", "BEGIN; SET LOCAL lock_timeout = '10s'; LOCK TABLE t")
	copied := make(chan error)
	go func() {
		_, err := b.PgConn().CopyFrom(t.Context(), strings.NewReader("1\n"), "COPY t (a) FROM STDIN")
		copied <- err
	}()
	waiters := "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'relation'"
	for scalar(t.Context(), a.PgConn(), waiters) != "1" {
	}
	must(t, a, "ALTER TABLE t ADD COLUMN b int DEFAULT 7; COMMIT")
	if err := <-copied; err != nil {
		t.Error(err)
	}
	if got := scalar(t.Context(), a.PgConn(), "SELECT a + b FROM t"); got != "8" {
		t.Errorf("the row that was copied: %s", got)
	}
}

// TestFailedBlockGivesLocksBack has a block fail. What it had locked since the last savepoint is free at once, as in
// PostgreSQL, and the rest when it ends.
func TestFailedBlockGivesLocksBack(t *testing.T) {
	db := openDB(t, inMemory)
	a, b := db.connect(t), db.connect(t)
	must(t, a, "CREATE TABLE t (a int PRIMARY KEY); CREATE TABLE u (a int PRIMARY KEY)")
	for _, step := range []struct{ do, locked string }{
		{"BEGIN; LOCK TABLE t", "t"},
		{"SAVEPOINT s; LOCK TABLE u; SELECT pg_advisory_xact_lock(7)", "t u 7"},
		{"SELECT 1 / 0", "t"},
		{"ROLLBACK TO s", "t"},
		{"LOCK TABLE u", "t u"},
		{"RELEASE s; SELECT 1 / 0", ""},
		{"ROLLBACK", ""},
	} {
		if got := failure(t, a, step.do); (got != "") != strings.Contains(step.do, "/ 0") {
			t.Errorf("%s: %s", step.do, got)
		}
		var locked []string
		for _, name := range []string{"t", "u"} {
			if failure(t, b, "BEGIN; LOCK TABLE "+name+" NOWAIT") != "" {
				locked = append(locked, name)
			}
			must(t, b, "ROLLBACK")
		}
		if scalar(t.Context(), b.PgConn(), "SELECT pg_try_advisory_xact_lock(7)") == "f" {
			locked = append(locked, "7")
		}
		if got := strings.Join(locked, " "); got != step.locked {
			t.Errorf("after %s these are locked: %s, want %s", step.do, got, step.locked)
		}
	}
}

// failure is the error of statements, or empty. A block that they leave open stays open.
func failure(t *testing.T, c *pgx.Conn, sql string) string {
	t.Helper()
	_, err := c.PgConn().Exec(t.Context(), sql).ReadAll()
	if err == nil {
		return ""
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	return "ERROR " + e.Code + ": " + e.Message
}
