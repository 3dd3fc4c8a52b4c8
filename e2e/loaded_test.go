package e2e

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestLoadedRows plans for the rows that were just written, though the server does not look at tables here: in the same
// transaction, after it, and less those that were deleted.
func TestLoadedRows(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		off := func(by float64) {
			t.Helper()
			wantError(t, c.PgConn(), "SELECT * FROM a", by)
		}
		must(t, c, "CREATE TABLE a (id int PRIMARY KEY, b int)", "BEGIN",
			"INSERT INTO a SELECT n, n FROM generate_series(1, 20000) AS n")
		off(1)
		must(t, c, "COMMIT")
		off(1)
		must(t, c, "UPDATE a SET b = 0 WHERE id <= 100", "DELETE FROM a WHERE id > 15000")
		off(1)
		must(t, c, "DELETE FROM a WHERE id > 250")
		off(4) // any table is thought to have 1000
	})
}

// wantError wants the estimate of a query to be off by a factor.
func wantError(t *testing.T, c *pgconn.PgConn, query string, by float64) {
	t.Helper()
	if got := slices.Max(errorsOf(t, c, query)); math.Abs(got-by) > 0.1*by {
		t.Errorf("%s: the rows are off by %.1f, want %.1f", query, got, by)
	}
}

// TestGrownKeys estimates conditions above the greatest values that statistics know by what was written there since.
func TestGrownKeys(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE g (id int PRIMARY KEY, at timestamptz, k text, b int)", "CREATE INDEX ON g (at)",
			"CREATE INDEX ON g (k)", "SET zproxy.full_scan = allow")
		add := func(from, to int) {
			t.Helper()
			must(t, c, fmt.Sprintf("INSERT INTO g SELECT n, timestamptz '2020-01-01Z' + n * interval '1 hour', "+
				"'k' || to_char(n, 'FM00000'), n FROM generate_series(%d, %d) n", from, to))
		}
		add(1, 2000)
		must(t, c, "ANALYZE g")
		wantError(t, c.PgConn(), "SELECT * FROM g WHERE id > 2000", 1)
		add(2001, 3000)
		above := []string{"id > 2000", "id >= 2901", "id BETWEEN 2101 AND 2200", "id > 1000", "id > 3000", "id < 100",
			"at > '2020-03-24 08:00Z'", "at > '2020-04-30Z'", "k > 'k02000'"}
		for _, where := range above {
			wantError(t, c.PgConn(), "SELECT * FROM g WHERE "+where, 1)
		}
		must(t, c, "UPDATE g SET b = 0 WHERE id > 2500", "DELETE FROM g WHERE id > 2000 AND id % 2 = 0",
			"UPDATE g SET at = at - interval '10 years' WHERE id > 2000")
		for _, where := range []string{"id > 2000", "id >= 2901", "at > '2020-03-24 08:00Z'"} {
			wantError(t, c.PgConn(), "SELECT * FROM g WHERE "+where, 1)
		}
		must(t, c, "ANALYZE g")
		wantError(t, c.PgConn(), "SELECT * FROM g WHERE id > 2000", 1)
		must(t, c, "DELETE FROM g WHERE id > 2000")
		wantError(t, c.PgConn(), "SELECT * FROM g WHERE id > 2000", 500)
	})
}
