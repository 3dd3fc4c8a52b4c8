package session

import (
	"testing"
	"time"

	"zproxy/sqlerr"
	"zproxy/store/memstore"
	"zproxy/types"
)

// opened is a DB in memory that ends with the test.
func opened(t *testing.T, o Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// reached waits until an index is in a state.
func reached(t *testing.T, s *Session, index, state string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		got := answer(t, s, "SELECT state FROM zproxy.indexes WHERE indexname = '"+index+"'")
		if len(got) == 1 && got[0] == state {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("index %s is %v, want %s", index, got, state)
		}
	}
}

// TestConditionWithError writes rows for which the condition of an index is an error while the
// index is built: a row without an entry may go, and what an index would not take may come as
// long as no writer makes entries of it.
func TestConditionWithError(t *testing.T) {
	db := opened(t, Options{})
	s, first, second := connect(t, db, "joe"), connect(t, db, "joe"), connect(t, db, "joe")
	accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY, b int, u int)",
		"INSERT INTO t VALUES (1, 0, 1), (2, 0, 2), (3, 1, 3)")
	accepted(t, first, "BEGIN", "INSERT INTO t VALUES (8, 8, 8)") // so that the build waits
	accepted(t, s, "CREATE UNIQUE INDEX x ON t (u) WHERE 1 / b > 0 ASYNC")
	accepted(t, second, "BEGIN", "INSERT INTO t VALUES (9, 9, 9)")
	accepted(t, first, "COMMIT")
	reached(t, s, "x", "delete-only")
	accepted(t, s, "DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (1, 0, 1)",
		"INSERT INTO t VALUES (1, 0, 3) ON CONFLICT (id) DO UPDATE SET u = 4")
	if wrong := answer(t, s, "SELECT * FROM zproxy.check_index('t')"); wrong != nil {
		t.Errorf("delete-only: %v", wrong)
	}
	accepted(t, second, "COMMIT")
	refused(t, s, "SELECT zproxy.wait_for_index('x')", sqlerr.DivisionByZero)
	accepted(t, s, "UPDATE t SET b = 2 WHERE b = 0", "REINDEX INDEX x")
	refused(t, s, "INSERT INTO t VALUES (5, 0, 5)", sqlerr.DivisionByZero)
	if wrong := answer(t, s, "SELECT * FROM zproxy.check_index('t')"); wrong != nil {
		t.Errorf("at the end: %v", wrong)
	}
}

// TestSharedBuilds builds indexes where other processes may use the store.
func TestSharedBuilds(t *testing.T) {
	db := opened(t, Options{Shared: true})
	s := connect(t, db, "joe")
	accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY, a int)", "INSERT INTO t VALUES (1, 1)",
		"CREATE INDEX x ON t (a) ASYNC",
		"SELECT zproxy.wait_for_index('x')", "BUILD INDEX x ON t", "SELECT zproxy.wait_for_index('x')",
		"REINDEX TABLE CONCURRENTLY t",
		"SELECT zproxy.wait_for_index('x')", "ALTER INDEX x ON t DISABLED")
	reached(t, s, "x", "disabled")
	accepted(t, s, "BUILD INDEX x ON t")
	reached(t, s, "x", "public")
	accepted(t, s, "DROP INDEX CONCURRENTLY x")
}

// TestBuildAfterClose begins a build in a DB that has ended: no session waits for it.
func TestBuildAfterClose(t *testing.T) {
	db := opened(t, Options{})
	db.Close()
	select {
	case <-db.builds.Begin(1):
	case <-time.After(time.Minute):
		t.Error("the build does not end")
	}
}

// TestWritersAreNoted holds that a build waits for a transaction of several statements also by
// the tables of the first, which could have been run again if nothing had followed.
func TestWritersAreNoted(t *testing.T) {
	db := opened(t, Options{})
	s := connect(t, db, "joe")
	accepted(t, s, "CREATE TABLE t (id int)", "CREATE TABLE u (id int)")
	probe := &noting{s: s}
	if err := s.Query(t.Context(), "INSERT INTO t VALUES (1); INSERT INTO u VALUES (1); SELECT 1", probe); err != nil {
		t.Fatal(err)
	}
	if probe.tables != 2 {
		t.Errorf("%d tables are noted, want 2", probe.tables)
	}
}

// noting is a client that counts the tables which a session is noted to write to when it gets rows.
type noting struct {
	silent
	s      *Session
	tables int
}

// Rows implements Client.
func (n *noting) Rows(*Portal, *types.Batch) error {
	n.tables = n.s.db.Locks.Writes(n.s.pid)
	return nil
}
