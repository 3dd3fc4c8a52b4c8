package session

import (
	"slices"
	"testing"

	"zproxy/store/memstore"
)

// TestPortalKeepsItsSnapshot reads a portal before and after a write of the same implicit transaction, for which a
// transaction of the store begins anew. The portal goes on with what it began to read from, also for rows that it looks
// up later, and the next implicit transaction sees the write.
func TestPortalKeepsItsSnapshot(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s, err := db.Connect(Startup{User: "joe", Database: "postgres"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	const rows = 5000
	if err := s.Query(t.Context(), `CREATE TABLE t (id int PRIMARY KEY, k int, a int); CREATE INDEX ON t (k);
		INSERT INTO t SELECT n, n, 0 FROM generate_series(1, 5000) AS n`, &ids{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"read": "SELECT a FROM t WHERE k > 0 ORDER BY k", "write": "UPDATE t SET a = a + 1",
	} {
		if err := s.Prepare(t.Context(), name, text, nil); err != nil {
			t.Fatal(err)
		}
	}
	for round := range int64(3) {
		read, write, c := portalOf(t, s, "read"), portalOf(t, s, "write"), &ids{}
		for _, step := range []struct {
			portal *Portal
			most   int
		}{{read, 1}, {write, 0}, {read, 0}} {
			if err := s.Execute(t.Context(), step.portal, Ask{MaxRows: step.most}, c); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(c.got, slices.Repeat([]int64{round}, rows)) {
			t.Errorf("round %d reads %d rows: %v", round, len(c.got), slices.Compact(c.got))
		}
		if err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// portalOf is a portal of a prepared statement, by its name.
func portalOf(t *testing.T, s *Session, name string) *Portal {
	st, err := s.Statement(name)
	if err == nil {
		err = s.Bind(t.Context(), name, Binding{Statement: st})
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Portal(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
