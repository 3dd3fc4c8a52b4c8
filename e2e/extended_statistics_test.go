package e2e

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5"

	"zproxy/session"
)

// dependentColumns is a table whose columns depend on each other: a street says which city it is in, a city which
// country; and of the pairs of kind and size some are common, and many never occur.
const dependentColumns = `CREATE TABLE homes (id int PRIMARY KEY, street int, city int, country int, kind text, size int);
	INSERT INTO homes SELECT n, n * 7919::int8 % 2000, n * 7919::int8 % 2000 / 10, n * 7919::int8 % 2000 / 100,
		CASE WHEN n % 100 < 40 THEN 'house' WHEN n % 100 < 70 THEN 'flat' ELSE 'room' || n % 3 END,
		CASE WHEN n % 100 < 40 THEN 4 + n % 2 WHEN n % 100 < 70 THEN 2 ELSE n % 3 END
	FROM generate_series(1, 20000) AS n`

// dependentQueries are queries on several of these columns.
var dependentQueries = []string{
	"SELECT * FROM homes WHERE city = 17 AND country = 1",
	"SELECT * FROM homes WHERE street = 170 AND city = 17 AND country = 1",
	"SELECT * FROM homes WHERE city IN (17, 18, 19) AND country = 1",
	"SELECT * FROM homes WHERE kind = 'flat' AND size = 2",
	"SELECT * FROM homes WHERE kind = 'house' AND size IN (4, 5)",
	"SELECT * FROM homes WHERE kind = 'house' AND size = 2", // there are none
	"SELECT * FROM homes WHERE kind = 'flat' AND size < 3",
	"SELECT city, country, count(*) FROM homes GROUP BY city, country",
	"SELECT DISTINCT kind, size FROM homes",
	"SELECT * FROM homes a JOIN homes b ON a.city = b.city AND a.country = b.country WHERE a.id < 100",
}

// dependentObjects are statistics objects on all that depends on each other there.
var dependentObjects = []string{
	"CREATE STATISTICS homes_where ON street, city, country FROM homes", "CREATE STATISTICS homes_what ON kind, size FROM homes",
}

// estimated are the greatest q-errors of queries, by their texts.
func estimated(t *testing.T, c *pgx.Conn, queries []string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, query := range queries {
		out[query] = slices.Max(errorsOf(t, c.PgConn(), query))
	}
	return out
}

// TestExtendedStatistics compares how many rows conditions, groups and joins on columns that depend on each other are
// thought to deliver with how many they do: without statistics objects several times off, with them nearly right.
func TestExtendedStatistics(t *testing.T) {
	c := openDB(t, inMemory).connect(t)
	must(t, c, strings.Split(dependentColumns, ";\n")...)
	must(t, c, "ANALYZE homes")
	before := estimated(t, c, dependentQueries)
	must(t, c, dependentObjects...)
	if again := estimated(t, c, dependentQueries); !maps.Equal(again, before) {
		t.Error("statistics objects change estimates before anything was collected for them")
	}
	must(t, c, "ANALYZE homes")
	for query, now := range estimated(t, c, dependentQueries) {
		t.Logf("%6.1f  %6.1f  %s", before[query], now, query)
		if now > 1.5 {
			t.Errorf("%s: off by %.1f, without statistics objects by %.1f", query, now, before[query])
		}
		if before[query] < 1.5 {
			t.Errorf("%s: off by only %.1f without statistics objects, which shows nothing of them", query, before[query])
		}
	}
	must(t, c, "DROP STATISTICS homes_where, homes_what")
	if again := estimated(t, c, dependentQueries); !maps.Equal(again, before) {
		t.Errorf("%v when they are dropped, and %v before they were made", again, before)
	}
}

// TestExtendedStatisticsRestart finds statistics objects and what was collected for them when a server begins again.
func TestExtendedStatisticsRestart(t *testing.T) {
	disk := vfs.NewMem()
	st := openPebble(t, disk)
	s := serve(t, st, session.Options{})
	c := s.connect(t)
	must(t, c, strings.Split(dependentColumns, ";\n")...)
	must(t, c, dependentObjects...)
	must(t, c, "COMMENT ON STATISTICS homes_what IS 'kinds'", "ALTER STATISTICS homes_what SET STATISTICS 50",
		"ANALYZE homes", "ALTER TABLE homes RENAME country TO land")
	queries := []string{
		"SELECT stxname, stxkeys, stxkind, stxstattarget, pg_get_statisticsobjdef(oid), obj_description(oid, 'pg_statistic_ext') FROM pg_statistic_ext ORDER BY 1",
		"SELECT * FROM pg_stats_ext ORDER BY statistics_name", "EXPLAIN SELECT * FROM homes WHERE city = 17 AND land = 1",
		"EXPLAIN SELECT * FROM homes WHERE kind = 'flat' AND size = 2",
	}
	var before []string
	for _, query := range queries {
		before = append(before, spoken(t.Context(), c.PgConn(), query))
	}
	_ = c.Close(context.Background())
	s.stop()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = openPebble(t, disk)
	defer st.Close()
	s = serve(t, st, session.Options{})
	defer s.stop()
	c = s.connect(t)
	for i, query := range queries {
		if got := spoken(t.Context(), c.PgConn(), query); got != before[i] {
			t.Errorf("%s:\n%s\nand before:\n%s", query, got, before[i])
		}
	}
	must(t, c, "ALTER TABLE homes DROP city")
	got := spoken(t.Context(), c.PgConn(), "SELECT stxname FROM pg_statistic_ext")
	if !strings.Contains(got, "homes_what") || strings.Contains(got, "homes_where") {
		t.Errorf("without the column city there are %s", got)
	}
}

// TestDumpOfStatistics dumps statistics objects and restores them.
func TestDumpOfStatistics(t *testing.T) {
	restored(t, `CREATE SCHEMA other;
	CREATE TABLE a (b int, c int, "D d" text);
	CREATE STATISTICS a_all ON b, c FROM a;
	CREATE STATISTICS other."Some" (mcv, ndistinct) ON "D d", c FROM a;
	CREATE STATISTICS computed ON b, lower("D d"), (c % 10), (c = 5) FROM a;
	CREATE STATISTICS alone ON (b + c) FROM a;
	ALTER STATISTICS a_all SET STATISTICS 50;
	COMMENT ON STATISTICS a_all IS 'b and c'`, []string{
		"SELECT stxname, stxnamespace::regnamespace::text, stxkeys, stxkind, stxstattarget, obj_description(oid, 'pg_statistic_ext') FROM pg_statistic_ext ORDER BY 1",
		"SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext ORDER BY 1",
	})
}

// TestStatisticsOfPartition keeps the columns of statistics objects where a table becomes a partition, which gives its
// columns the numbers of its parent's.
func TestStatisticsOfPartition(t *testing.T) {
	c := openDB(t, inMemory).connect(t)
	must(t, c, "CREATE TABLE p (a int, b int, c int) PARTITION BY RANGE (a)", "CREATE TABLE q (c int, x int, b int, a int NOT NULL)",
		"ALTER TABLE q DROP x", "CREATE STATISTICS s ON b, c FROM q", "INSERT INTO q SELECT n % 5, n % 5, 1 FROM generate_series(1, 100) AS n",
		"ANALYZE q", "ALTER TABLE p ATTACH PARTITION q FOR VALUES FROM (0) TO (10)", "ANALYZE p")
	var columns, distinct string
	err := c.QueryRow(t.Context(), "SELECT attnames::text, n_distinct FROM pg_stats_ext").Scan(&columns, &distinct)
	if err != nil || columns != "{b,c}" || distinct != `{"2, 3": 5}` {
		t.Errorf("%s have %s values, %v", columns, distinct, err)
	}
	must(t, c, "DROP TABLE p")
	var left int
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM pg_statistic_ext").Scan(&left); err != nil || left > 0 {
		t.Errorf("behind their table there are %d statistics objects, %v", left, err)
	}
}

// computedQueries are queries with conditions on expressions of these columns, and groups of their values.
var computedQueries = []string{
	"SELECT * FROM homes WHERE lower(kind) = 'flat' AND size * 10 = 20",
	"SELECT * FROM homes WHERE lower(kind) = 'house' AND size * 10 = 20", // there are none
	"SELECT * FROM homes WHERE street % 7 = 3 AND street > 1000",
	"SELECT * FROM homes WHERE street % 7 IN (1, 2) OR street % 7 = 5",
	"SELECT * FROM homes WHERE NOT city % 2 = 0 AND id < 10000",
	"SELECT street % 7, count(*) FROM homes GROUP BY 1",
	"SELECT city % 50, country % 5 FROM homes GROUP BY 1, 2",
	"SELECT DISTINCT city % 50, street % 7 FROM homes WHERE id < 5000",
	"SELECT * FROM homes a JOIN (VALUES (1), (2)) AS v (n) ON a.street % 7 = v.n",
}

// TestComputedStatistics holds that conditions on expressions, and groups of their values, are estimated nearly right
// with statistics objects over these: not worse than in PostgreSQL, and after a restart as before.
func TestComputedStatistics(t *testing.T) {
	disk := vfs.NewMem()
	st := openPebble(t, disk)
	s := serve(t, st, session.Options{})
	c := s.connect(t)
	there := connectPostgres(t)
	run := func(statements ...string) {
		must(t, c, statements...)
		for _, text := range statements {
			if _, err := there.Exec(t.Context(), text).ReadAll(); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(strings.Split(dependentColumns, ";\n")...)
	run("ANALYZE homes")
	before := estimated(t, c, computedQueries)
	run("CREATE STATISTICS c1 ON lower(kind), (size * 10) FROM homes", "CREATE STATISTICS c2 ON (street % 7) FROM homes",
		"CREATE STATISTICS c3 ON (city % 50), (country % 5) FROM homes", "CREATE STATISTICS c4 ON (city % 2 = 0) FROM homes",
		"ANALYZE homes")
	with := estimated(t, c, computedQueries)
	for query, now := range with {
		theirs := slices.Max(errorsOf(t, there, query))
		t.Logf("%8.1f  %6.1f  PostgreSQL %6.1f  %s", before[query], now, theirs, query)
		if now > max(1.5, theirs*1.1) || now > before[query]*1.1 {
			t.Errorf("%s: off by %.1f, without statistics objects by %.1f", query, now, before[query])
		}
	}
	_ = c.Close(context.Background())
	s.stop()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = openPebble(t, disk)
	defer st.Close()
	s = serve(t, st, session.Options{})
	defer s.stop()
	c = s.connect(t)
	if again := estimated(t, c, computedQueries); !maps.Equal(again, with) {
		t.Errorf("%v after a restart, and %v before", again, with)
	}
	must(t, c, "DROP STATISTICS c1, c2, c3, c4")
	if again := estimated(t, c, computedQueries); !maps.Equal(again, before) {
		t.Errorf("%v when they are dropped, and %v before they were made", again, before)
	}
}
