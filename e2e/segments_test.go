package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

var atOnce = regexp.MustCompile(`Read: (\d+) requests, up to (\d+) at once`)

// TestWholeReadsInSegments reads all of a large table, as many pages at once as it has. The answer is that of one scan,
// with what the transaction has written, and a serializable transaction has read all of it.
func TestWholeReadsInSegments(t *testing.T) {
	db := openDB(t, onFake)
	c, other := db.connect(t), db.connect(t)
	mustRun(t, c, "SET zproxy.full_scan = allow")
	mustRun(t, c, "CREATE TABLE n (id int PRIMARY KEY, a int, b text)")
	const rows = 240
	for from := 0; from < rows; from += 60 {
		mustRun(t, c, fmt.Sprintf("INSERT INTO n SELECT g, g %% 7, repeat('x', 30000) FROM generate_series(%d, %d) AS g",
			from, from+59))
	}
	const query = "SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || sum(length(b)) || ' ' || max(a) FROM n"
	check := func(want string, parallel bool) {
		t.Helper()
		if got := textOf(t, c, query); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		plan := strings.Join(texts(t, c, "EXPLAIN (ANALYZE) "+query), "\n")
		if atOnce.MatchString(plan) != parallel {
			t.Errorf("in segments: %v, want %v\n%s", !parallel, parallel, plan)
		}
	}
	all := fmt.Sprintf("%d %d %d 6", rows, rows, rows*30000)
	check(all, false)
	mustRun(t, c, "ANALYZE n")
	check(all, true)
	mustRun(t, c, "SET zproxy.parallel_scans = 1")
	check(all, false)
	mustRun(t, c, "RESET zproxy.parallel_scans")
	plan := strings.Join(texts(t, c, "EXPLAIN (ANALYZE) SELECT id FROM n LIMIT 3"), "\n")
	if atOnce.MatchString(plan) {
		t.Errorf("a few rows are read in segments:\n%s", plan)
	}

	mustRun(t, c, "BEGIN ISOLATION LEVEL SERIALIZABLE")
	mustRun(t, c, "UPDATE n SET a = 99, b = '' WHERE id = 5")
	mustRun(t, c, "DELETE FROM n WHERE id = 6")
	mustRun(t, c, fmt.Sprintf("INSERT INTO n VALUES (%d, 0, 'y')", rows))
	check(fmt.Sprintf("%d %d %d 99", rows, rows, (rows-2)*30000+1), true)
	mustRun(t, other, fmt.Sprintf("INSERT INTO n VALUES (%d, 0, 'between')", rows+1))
	if err := run(c, "COMMIT"); codeOf(err) != "40001" {
		t.Errorf("the commit says %v, though a row was added to what was read", err)
	}
	mustRun(t, c, "ROLLBACK")
}

// textOf is the one text that a query gives.
func textOf(t *testing.T, c *pgx.Conn, query string) string {
	t.Helper()
	var text *string
	if err := c.QueryRow(t.Context(), query).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if text == nil {
		return ""
	}
	return *text
}
