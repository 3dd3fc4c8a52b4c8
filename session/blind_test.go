package session

import (
	"slices"
	"testing"

	"zproxy/metrics"
	"zproxy/sqlerr"
	"zproxy/store/memstore"
)

// TestBlindInsert counts what INSERTs read that are transactions of their own: nothing, and where a key is taken
// the look that finds which, which is no conflict with anybody.
func TestBlindInsert(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Connect(Startup{User: "joe", Database: "postgres"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(text string) (requests, conflicts int64, err error) {
		before := db.Totals()
		err = s.Query(t.Context(), text, &silent{})
		after := db.Totals()
		return after.Usage[metrics.Requests] - before.Usage[metrics.Requests],
			after.Usage[metrics.Conflicts] - before.Usage[metrics.Conflicts], err
	}
	for _, c := range []struct {
		text     string
		requests int64
		code     sqlerr.Code
	}{
		{"CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE) WITH (mutability = 'IMMUTABLE')", 0, ""},
		{"INSERT INTO t VALUES (1, 1), (2, 2)", 0, ""},
		{"INSERT INTO t VALUES (3, 2)", 2, sqlerr.UniqueViolation},
		{"INSERT INTO t VALUES (4, 4) ON CONFLICT DO NOTHING", 0, ""},
		{"INSERT INTO t VALUES (4, 9) ON CONFLICT DO NOTHING", 2, ""},
		{"INSERT INTO t VALUES (9, 4) ON CONFLICT (id) DO NOTHING", 2, sqlerr.UniqueViolation},
		{"INSERT INTO t VALUES (4, 4), (10, 10) ON CONFLICT DO NOTHING", 2, ""},
		{"BEGIN; INSERT INTO t VALUES (5, 5); COMMIT", 2, ""},
		{"ALTER TABLE t SET (mutability = 'MUTABLE_LATEST'); INSERT INTO t VALUES (6, 6)", 2, ""},
		{"INSERT INTO t VALUES (7, 7)", 0, ""},
		{"INSERT INTO t VALUES (8, 7)", 2, sqlerr.UniqueViolation},
	} {
		requests, conflicts, err := run(c.text)
		if (err != nil) != (c.code != "") || err != nil && !sqlerr.Has(err, c.code) {
			t.Errorf("%s: %v", c.text, err)
		}
		if requests != c.requests || conflicts != 0 {
			t.Errorf("%s: %d requests and %d conflicts, want %d and none", c.text, requests, conflicts, c.requests)
		}
	}
	if got := answer(t, s, "SELECT id, u FROM t ORDER BY id"); !slices.Equal(got,
		[]string{"1 1", "2 2", "4 4", "5 5", "6 6", "7 7", "10 10"}) {
		t.Errorf("rows: %q", got)
	}
}
