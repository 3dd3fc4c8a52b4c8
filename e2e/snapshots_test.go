package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
)

// snapshotSteps are statements of sessions a, b, c and d, in their order, where $ is what the session before the last
// sign was given for pg_export_snapshot().
const snapshotSteps = `a: CREATE TABLE t (a int PRIMARY KEY, b int); INSERT INTO t SELECT n, 0 FROM generate_series(1, 3) AS n
a: BEGIN ISOLATION LEVEL REPEATABLE READ
a: SELECT count(*) FROM t
b: INSERT INTO t VALUES (4, 0)
a: INSERT INTO t VALUES (5, 0)
a: export
b: UPDATE t SET b = 1 WHERE a = 1
c: BEGIN ISOLATION LEVEL REPEATABLE READ
c: SET TRANSACTION SNAPSHOT '$'
c: SELECT * FROM t ORDER BY a
a: SELECT * FROM t ORDER BY a
d: BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '$'
b: DELETE FROM t WHERE a = 3
d: SELECT * FROM t ORDER BY a
d: SAVEPOINT s
d: UPDATE t SET b = 7 WHERE a = 1
d: ROLLBACK TO s
d: UPDATE t SET b = 7 WHERE a = 2
d: INSERT INTO t VALUES (4, 1)
d: ROLLBACK
c: UPDATE t SET b = 8 WHERE a = 2
c: SET TRANSACTION SNAPSHOT '$'
c: ROLLBACK
a: COMMIT
c: BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '$'
c: ROLLBACK
c: BEGIN; SET TRANSACTION SNAPSHOT '$'
c: ROLLBACK
c: SET TRANSACTION SNAPSHOT '$'
c: BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '../x'
c: ROLLBACK
a: BEGIN; SAVEPOINT s; SELECT pg_export_snapshot()
a: ROLLBACK
a: BEGIN; SELECT * FROM t ORDER BY a
a: export
b: DELETE FROM t WHERE a = 2
a: SELECT * FROM t ORDER BY a
c: BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '$'
c: SELECT * FROM t ORDER BY a
c: SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
c: ROLLBACK
c: BEGIN ISOLATION LEVEL SERIALIZABLE; SET TRANSACTION SNAPSHOT '$'
c: ROLLBACK
a: ROLLBACK
a: BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY
a: export
c: BEGIN ISOLATION LEVEL SERIALIZABLE; SET TRANSACTION SNAPSHOT '$'
c: ROLLBACK
c: BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE; SET TRANSACTION SNAPSHOT '$'
c: ROLLBACK
c: BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; SET TRANSACTION SNAPSHOT '$'; SELECT count(*) FROM t
c: ROLLBACK
a: ROLLBACK
a: BEGIN ISOLATION LEVEL SERIALIZABLE
a: SELECT count(*) FROM t
a: export
b: BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT sum(b) FROM t; INSERT INTO t VALUES (10, 10); COMMIT
c: BEGIN ISOLATION LEVEL SERIALIZABLE; SET TRANSACTION SNAPSHOT '$'; SELECT count(*), sum(b) FROM t
c: INSERT INTO t VALUES (11, 11)
c: COMMIT
a: COMMIT
b: BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY
b: export
a: UPDATE t SET b = 9
c: BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '$'; SELECT sum(b) FROM t
c: UPDATE t SET b = 1
c: ROLLBACK
b: COMMIT`

// TestSnapshots exports snapshots and imports them, as PostgreSQL does.
func TestSnapshots(t *testing.T) {
	addresses := []string{pglocal.Start(t)}
	for _, k := range []kind{inMemory, onPebble} {
		addresses = append(addresses, openDB(t, k).address)
	}
	want := []string(nil)
	for i, address := range addresses {
		got := snapshotAnswers(t, address)
		if i == 0 {
			want = got
			continue
		}
		for j, step := range strings.Split(snapshotSteps, "\n") {
			if got[j] != want[j] {
				t.Errorf("%s, step %d, %s: %s, PostgreSQL %s", address, j+1, step, got[j], want[j])
			}
		}
	}
}

// snapshotAnswers are those of a server.
func snapshotAnswers(t *testing.T, address string) (out []string) {
	sessions, id := map[string]*pgx.Conn{}, ""
	for _, step := range strings.Split(snapshotSteps, "\n") {
		name, sql, _ := strings.Cut(step, ": ")
		if sessions[name] == nil {
			sessions[name] = connect(t, "postgres://postgres@"+address+"/postgres?sslmode=disable")
		}
		c := sessions[name].PgConn()
		if sql == "export" {
			id = strings.TrimSuffix(spoken(t.Context(), c, "SELECT pg_export_snapshot()"), "|")
			out = append(out, "exported")
			continue
		}
		results, err := c.Exec(t.Context(), strings.ReplaceAll(sql, "$", id)).ReadAll()
		answer := fmt.Sprint(err)
		for _, r := range results {
			if r.Err == nil {
				answer += fmt.Sprintf("; %s %q", r.CommandTag, r.Rows)
			}
		}
		out = append(out, strings.ReplaceAll(answer, id, "$"))
	}
	return out
}

// TestSnapshotOfNone exports a snapshot of a store that has none.
func TestSnapshotOfNone(t *testing.T) {
	c := openDB(t, onFake).connect(t)
	_, err := c.Exec(t.Context(), "SELECT pg_export_snapshot()")
	if want := "exporting a snapshot of a store that has none is not supported"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, not %s", err, want)
	}
}
