package e2e

import (
	"slices"
	"testing"
)

// TestLoadedRows plans for the rows that were just written, though the server does not look at tables here: in the same
// transaction, after it, and less those that were deleted.
func TestLoadedRows(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		off := func(by float64) {
			t.Helper()
			if got := slices.Max(errorsOf(t, c.PgConn(), "SELECT * FROM a")); got != by {
				t.Errorf("the rows are off by %.1f, want %.1f", got, by)
			}
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
