package session

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// TestCountsOverRestarts holds what pg_stat_user_tables says behind restarts of a process, and what it costs on
// DynamoDB that it still knows.
func TestCountsOverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		db := counting(t, f)
		s := connect(t, db, "joe")
		accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY, a int)",
			"INSERT INTO t SELECT i, i FROM generate_series(1, 1000) i", "ANALYZE t")
		for _, step := range []struct {
			do, end string // a restart behind the statement: in order, or not
			want    string // inserted, updated and deleted by this process; changed since ANALYZE; live
			charged string // for the catalog, behind the statement until the process has looked
		}{
			{do: "INSERT INTO t SELECT i, i FROM generate_series(1001, 1010) i", want: "1010 0 0 10 1010",
				charged: "1 + 0"},
			{do: "DELETE FROM t WHERE id <= 3", end: "order", want: "0 0 0 13 1007", charged: "1 + 1"},
			{do: "UPDATE t SET a = 0 WHERE id = 4", end: "disorder", want: "0 0 0 13 1007", charged: "0 + 0"},
			{do: "UPDATE t SET a = 0 WHERE id < 100", want: "0 96 0 109 1007", charged: "1 + 1"},
			{do: "SELECT 1", want: "0 96 0 109 1007", charged: "0 + 0"},
			{end: "disorder", want: "0 0 0 109 1007", charged: "0 + 0"},
			{do: "ANALYZE t", end: "order", want: "0 0 0 0 1007", charged: "0 + 0"},
			{do: "BEGIN; INSERT INTO t VALUES (5000, 1); ANALYZE t; COMMIT", want: "1 0 0 0 1008", charged: "0 + 0"},
			{do: "TRUNCATE t", end: "order", want: "0 0 0 0 0", charged: "0 + 0"},
			{do: "INSERT INTO t SELECT i, i FROM generate_series(1, 30) i", end: "order", want: "0 0 0 30 30",
				charged: "1 + 1"},
		} {
			if step.do != "" {
				accepted(t, s, step.do)
			}
			f.ForgetRequests()
			switch step.end {
			case "":
				time.Sleep(time.Minute)
			case "order":
				db.Close()
			}
			synctest.Wait()
			charged := catalogUnits(f)
			if step.end != "" {
				db = counting(t, f)
				s = connect(t, db, "joe")
				time.Sleep(2 * time.Second)
			}
			got := strings.Join(answer(t, s, "SELECT n_tup_ins, n_tup_upd, n_tup_del, n_mod_since_analyze, n_live_tup "+
				"FROM pg_stat_user_tables WHERE relname = 't'"), " ")
			if got != step.want || charged != step.charged {
				t.Errorf("behind %q, %q: %q for %s, want %q for %s", step.do, step.end, got, charged, step.want,
					step.charged)
			}
		}
	})
}

// counting opens a database that counts changes.
func counting(t *testing.T, f *dynamofake.Fake) *DB {
	t.Helper()
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client("a")})
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), st, Options{Settings: map[string]string{"autovacuum": "on",
		"autovacuum_analyze_scale_factor": "0.5", "zproxy.full_scan": "allow"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		_ = st.Close()
	})
	return db
}

// catalogUnits are the units of reads and of writes that requests about the catalog were charged.
func catalogUnits(f *dynamofake.Fake) string {
	var read, write float64
	for kind, n := range f.Requests() {
		if strings.Contains(kind.Table, "zproxy.catalog") {
			read, write = read+n.ReadUnits, write+n.WriteUnits
		}
	}
	return fmt.Sprintf("%g + %g", read, write)
}
