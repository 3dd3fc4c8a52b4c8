package session

import (
	"fmt"
	"testing"

	"zproxy/store/memstore"
)

// TestEventual reads a row that is written again and again, on a store whose eventual reads lag.
func TestEventual(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{Lag: 3}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	query := askingIDs(t, db)
	query("CREATE TABLE t (id int PRIMARY KEY, a int, b int); CREATE INDEX t_a ON t (a); INSERT INTO t VALUES (1, 0, 0)")
	for range 3 { // behind these no query misses the row itself
		query("UPDATE t SET a = 0 WHERE id = 1")
	}
	missed := 0
	for i := range int64(30) {
		query(fmt.Sprintf("UPDATE t SET a = 0, b = %d WHERE id = 1", i))
		for _, c := range []struct {
			before, after string
			late          bool // the query may miss the update
		}{
			{before: "SET zproxy.read_consistency = strong"},
			{before: "SET zproxy.read_consistency = eventual", late: true},
			{before: "BEGIN", after: "COMMIT"},
			{before: "BEGIN READ ONLY", after: "COMMIT", late: true},
			{before: "BEGIN READ ONLY; SET LOCAL zproxy.read_consistency = strong", after: "COMMIT"},
			{before: "BEGIN; UPDATE t SET a = 0 WHERE id = 1", after: "ROLLBACK"},
		} {
			query(c.before)
			for _, text := range []string{"SELECT b FROM t WHERE id = 1", "SELECT b FROM t WHERE a = 0"} {
				switch got := query(text); {
				case len(got) != 1 || got[0] > i || got[0] != i && !c.late:
					t.Errorf("%s; %s: %v, want %d", c.before, text, got, i)
				case got[0] != i:
					missed++
				}
			}
			if c.after != "" {
				query(c.after)
			}
		}
		if got := query("SELECT b FROM t WHERE id = 1 FOR UPDATE"); len(got) != 1 || got[0] != i {
			t.Errorf("FOR UPDATE: %v, want %d", got, i)
		}
		query("SELECT count(*) FROM t; UPDATE t SET b = b WHERE a = 0")
		if got := query("SELECT count(*) FROM zproxy.check_index('t')"); got[0] != 0 {
			t.Errorf("CHECK INDEX has findings: %d", got[0])
		}
	}
	if missed == 0 {
		t.Error("no query missed an update")
	}
}

// askingIDs connects a session, and gives what its queries answer, which must be numbers.
func askingIDs(t *testing.T, db *DB) func(text string) []int64 {
	t.Helper()
	s := connect(t, db, "joe")
	return func(text string) []int64 {
		t.Helper()
		var c ids
		if err := s.Query(t.Context(), text, &c); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return c.got
	}
}
