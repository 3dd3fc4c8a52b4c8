package session

import (
	"fmt"
	"testing"

	"zproxy/store/eventual"
	"zproxy/store/memstore"
)

// TestEventual reads a row that is written again and again, on a store whose eventual reads lag.
func TestEventual(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{Lag: 3, Units: true}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	query := askingIDs(t, db)
	query("SET zproxy.full_scan = allow")
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

// TestEventualTable is TestEventual for a table that is eventual, beside one that is not.
func TestEventualTable(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{Lag: 3, Units: true}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	query := askingIDs(t, db)
	query("SET zproxy.full_scan = allow")
	query(`CREATE TABLE t (id int PRIMARY KEY, a int, b int) WITH (consistency = 'Eventual'); CREATE INDEX t_a ON t (a);
		CREATE TABLE strong (id int PRIMARY KEY, b int); CREATE TABLE copy (id int PRIMARY KEY, b int);
		INSERT INTO t VALUES (1, 0, 0); INSERT INTO strong VALUES (1, 0); PREPARE q AS SELECT b FROM t WHERE id = 1`)
	for range 3 {
		query("UPDATE t SET a = 0 WHERE id = 1")
	}
	missed := map[string]int{}
	ask := func(text string, want int64, late bool) {
		t.Helper()
		switch got := query(text); {
		case len(got) != 1 || got[0] > want || got[0] != want && !late:
			t.Errorf("%s: %v, want %d", text, got, want)
		case got[0] != want:
			missed[text]++
		}
	}
	queries := []string{"SELECT b FROM t WHERE id = 1", "SELECT b FROM t WHERE a = 0", "EXECUTE q"}
	for i := range int64(30) {
		query(fmt.Sprintf("UPDATE strong SET b = %d WHERE id = 1; UPDATE t SET a = 0, b = %d WHERE id = 1", i, i))
		for _, c := range []struct {
			before, after string
			late          bool
		}{
			{late: true},
			{before: "BEGIN READ ONLY", after: "COMMIT", late: true},
			{before: "BEGIN", after: "COMMIT"},
			{before: "BEGIN; UPDATE strong SET b = b", after: "COMMIT"},
			{before: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", after: "COMMIT"},
			{before: "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", after: "COMMIT"},
			{before: "SET zproxy.consistent_statements = on", after: "RESET zproxy.consistent_statements"},
		} {
			query(c.before)
			ask("SELECT b FROM strong WHERE id = 1", i, false)
			for _, text := range queries {
				ask(text, i, c.late)
			}
			query(c.after)
		}
		ask("SELECT t.b FROM t, strong WHERE t.id = 1 AND strong.id = 1 FOR UPDATE OF strong", i, false)
		ask("DELETE FROM copy; INSERT INTO copy SELECT id, b FROM t; SELECT b FROM copy", i, false)
		ask(fmt.Sprintf("UPDATE copy SET b = %d WHERE EXISTS (SELECT FROM t WHERE b = %d); SELECT b FROM copy", i-1, i), i-1,
			false)
		ask("WITH w AS (UPDATE copy SET b = 0) SELECT b FROM t", i, false)
		ask("SELECT count(*) FROM zproxy.check_index('t')", 0, false)
		query("BEGIN READ ONLY; SELECT b FROM t WHERE id = 1")
		ask("SELECT count(*) FROM zproxy.check_index('t')", 0, false)
		query("COMMIT")
	}
	for _, text := range queries {
		if missed[text] == 0 {
			t.Errorf("%s never missed an update", text)
		}
	}
	query("ALTER TABLE t RESET (consistency); UPDATE t SET b = 31")
	for range 10 {
		for _, text := range queries {
			ask(text, 31, false)
		}
	}
}

// TestStrong checks indexes in a block that only reads. It ends to miss commits when the table is one that lags.
func TestStrong(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{Units: true}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, db, "joe")
	accepted(t, s, `CREATE TABLE t (id int PRIMARY KEY) WITH (consistency = 'eventual')`,
		"CREATE TABLE strong (id int PRIMARY KEY)", "BEGIN READ ONLY")
	for _, c := range []struct {
		sql  string
		want eventual.Reads
	}{
		{"SELECT FROM t WHERE id = 1", eventual.Spaces},
		{"SELECT count(*) FROM zproxy.check_index('strong')", eventual.Spaces},
		{"SELECT count(*) FROM zproxy.check_index('t')", eventual.Never},
	} {
		accepted(t, s, c.sql)
		if got := s.txn.Reads(false); got != c.want {
			t.Errorf("%s: %d, want %d", c.sql, got, c.want)
		}
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
