package session

import (
	"testing"

	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
)

// charged is a store that charges its reads.
type charged struct{ *memstore.Store }

func (c charged) Capabilities() store.Capabilities {
	caps := c.Store.Capabilities()
	caps.Units, caps.Parallel = true, 16
	return caps
}

// TestFullScansThatCost holds that no statement reads all of a table by accident where that costs money,
// unless the server says that it may.
func TestFullScansThatCost(t *testing.T) {
	for setting, want := range map[string]sqlerr.Code{"": sqlerr.ConfigurationLimitExceeded, "allow": ""} {
		given := map[string]string{"zproxy.advice": "off"}
		if setting != "" {
			given[settings.FullScanName] = setting
		}
		db, err := Open(t.Context(), charged{memstore.New(memstore.Options{Unordered: true})}, Options{Settings: given})
		if err != nil {
			t.Fatal(err)
		}
		s := connect(t, db, "joe")
		accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY, a int)",
			"INSERT INTO t SELECT i, i FROM generate_series(1, 3000) i",
			"SELECT * FROM t WHERE id = 1", "SELECT * FROM pg_class", "ALTER TABLE t ALTER a SET NOT NULL", "ANALYZE t")
		if want == "" {
			accepted(t, s, "SELECT * FROM t")
		} else {
			refused(t, s, "SELECT * FROM t", want)
			accepted(t, s, "SET zproxy.full_scan = notice", "SELECT * FROM t", "RESET zproxy.full_scan")
			refused(t, s, "SELECT * FROM t", want)
		}
	}
}

// TestMaxRowsReadAtOnce holds that scans under way at once count together.
func TestMaxRowsReadAtOnce(t *testing.T) {
	db, err := Open(t.Context(), charged{memstore.New(memstore.Options{Unordered: true})},
		Options{Settings: map[string]string{"zproxy.advice": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, db, "joe")
	accepted(t, s, "CREATE TABLE t (a int, id int, PRIMARY KEY (a, id))",
		"INSERT INTO t SELECT i % 16, i FROM generate_series(1, 1600) i",
		"SET zproxy.max_rows_read = 800", "SELECT * FROM t WHERE a IN (1, 2, 3, 4, 5, 6, 7, 8)")
	refused(t, s, "SELECT * FROM t WHERE a IN (1, 2, 3, 4, 5, 6, 7, 8, 9)", sqlerr.ConfigurationLimitExceeded)
	accepted(t, s, "SELECT * FROM t WHERE a = 1")
}
