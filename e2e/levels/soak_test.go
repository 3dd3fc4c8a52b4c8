package levels

import (
	"flag"
	"testing"
	"time"

	"zproxy/internal/testseed"
)

var soakFlag = flag.Duration("soak", time.Nanosecond, "how long TestSoak makes histories; it makes one at least")

// soaking are changes of the schema of the tables that the clients use, and of others.
var soaking = [][]string{
	{
		"CREATE INDEX a_x ON a (n, id)", "ALTER TABLE a ADD COLUMN x int DEFAULT 7", "CREATE INDEX b_x ON b (v)",
		"COMMENT ON TABLE a IS 'soaks'", "DROP INDEX a_x", "ALTER TABLE a DROP COLUMN x", "ANALYZE b", "DROP INDEX b_x",
	},
	{
		"DROP TABLE IF EXISTS c", "CREATE TABLE c (id int PRIMARY KEY, n int)",
		"INSERT INTO c SELECT i, i FROM generate_series(1, 200) i", "CREATE INDEX c_n ON c (n)", "TRUNCATE c",
		"INSERT INTO c VALUES (1, 1)", "ALTER TABLE c ADD COLUMN x text",
	},
	{
		"BEGIN; CREATE TABLE d (id int PRIMARY KEY); INSERT INTO d SELECT id FROM a; DROP TABLE d; COMMIT",
		"BEGIN; CREATE TEMP TABLE e (n int); INSERT INTO e SELECT count(*) FROM b; DROP TABLE e; ROLLBACK",
		"DROP SEQUENCE IF EXISTS s", "CREATE SEQUENCE s", "SELECT nextval('s')", "DROP VIEW IF EXISTS f",
		"CREATE VIEW f AS SELECT 1", "DROP TABLE IF EXISTS g",
	},
}

// TestSoak makes histories on one store of files for some time, with all changes of the schema beside, and checks each
// of them. In the end indexes are compared with rows.
func TestSoak(t *testing.T) {
	s := zproxies[0]
	urls, seed, began := s.start(t), testseed.Of(t), time.Now()
	for n := 0; n == 0 || time.Since(began) < *soakFlag; n++ {
		m, l := mixes[n%len(mixes)], zorderLayouts[n%len(zorderLayouts)]
		(&run{s, m, l, urls, seed + uint64(n), soaking}).play(t)
	}
}
