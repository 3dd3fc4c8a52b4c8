package session

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"zproxy/store/pebblestore"
)

// TestBlocksNotRead reads days of a table that grows with time, without an index on the day, from the second time on
// without the blocks of other days, as long as there are no newer writes between. What is changed is found.
func TestBlocksNotRead(t *testing.T) {
	s, err := pebblestore.Open(t.TempDir(), pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	joe := connect(t, db, "joe")
	for _, text := range []string{"CREATE TABLE visits (id int PRIMARY KEY, day date, page text)",
		"INSERT INTO visits SELECT i, date '2024-01-01' + i / 1000, 'page ' || i % 100 FROM generate_series(1, 300000) i",
		"ANALYZE visits"} {
		answer(t, joe, text)
	}
	const query = "SELECT count(*), min(id), max(id) FROM visits WHERE day BETWEEN '2024-02-20' AND '2024-02-21'"
	unread := regexp.MustCompile(`(\d+) blocks? not read`)
	check := func(want string, some bool) {
		t.Helper()
		for range 2 {
			if got := answer(t, joe, query); !slices.Equal(got, []string{want}) {
				t.Fatalf("%q, want %q", got, want)
			}
		}
		if text := strings.Join(answer(t, joe, "EXPLAIN (ANALYZE) "+query), "\n"); unread.MatchString(text) != some {
			t.Errorf("blocks are left out, want %v:\n%s", some, text)
		}
	}
	check("2000 50000 51999", true)
	answer(t, joe, "INSERT INTO visits VALUES (700000, '2024-02-21', NULL), (700001, NULL, NULL)")
	check("2001 50000 700000", true)
	answer(t, joe, "UPDATE visits SET day = '2024-02-20' WHERE id = 7; DELETE FROM visits WHERE id = 51999")
	check("2001 7 700000", false)
	answer(t, joe, "ALTER TABLE visits ALTER COLUMN day TYPE timestamp; UPDATE visits SET day = NULL WHERE id = 7")
	check("2000 50000 700000", true)
}
