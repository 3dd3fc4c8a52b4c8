package e2e

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// workerQueries read a table that is divided.
var workerQueries = []string{
	"SELECT count(*), sum(n), min(t), max(d), avg(p) FROM many WHERE n % 7 = 3 AND t LIKE '%1%'",
	"SELECT g, count(*), sum(p) FROM many GROUP BY g ORDER BY g",
	"SELECT id, t FROM many WHERE n > 995",
	"SELECT a.id, b.n FROM many a JOIN many b ON a.n = b.id WHERE a.g = 3 AND b.d > '2020-01-10'",
	"SELECT id FROM many ORDER BY t DESC, id LIMIT 20",
	"SELECT DISTINCT g FROM many",
	"SELECT d FROM many WHERE d > '2020-01-02' ORDER BY d DESC",
	"SELECT count(*) FROM (SELECT * FROM many UNION ALL SELECT * FROM many) x",
	"SELECT id, n FROM many WHERE id = ANY ('{5, 60000, 70, 4000, 5, 31000}')",
	"SELECT id, n FROM many WHERE id IN (7, 59000, 31001)",
	"SELECT id, n FROM many WHERE id IN (7, 59000, 31001)", // its plan is kept the second time
	"SELECT id, n FROM many WHERE id IN (9, 58000, 41001)",
	"SELECT id, n FROM many WHERE id BETWEEN 500 AND 52000 AND n < 3",
	"SELECT id, n FROM many WHERE id BETWEEN 501 AND 52001 AND n < 4",
	"SELECT id, n FROM many WHERE id BETWEEN 501 AND 501 AND n < 4000",
	"SELECT count(*) FROM many WHERE (n + 1)::positive > 7", "SELECT count(*) FROM many WHERE d::text LIKE '%05'",
	"EXECUTE ranged(1, 60000)", "EXECUTE ranged(59990, 60000)", "EXECUTE ranged(7, 7)", "EXECUTE listed('{7, 9, 44444}')",
	"SELECT DISTINCT ON (d) d, id FROM many ORDER BY d, id", "SELECT min(d), max(d) FROM many",
	"SELECT 1 / (n - 500) FROM many WHERE n <> 500 AND id % 5000 = 0",
	"SELECT a.id, b.n, c.t FROM many a JOIN many b ON a.n = b.id LEFT JOIN many c ON c.id = b.n WHERE a.g = 3",
	"SELECT a.g, count(*), sum(b.p) FROM many a JOIN many b ON a.n = b.id GROUP BY a.g ORDER BY 1",
	"SELECT count(*) FROM many a WHERE EXISTS (SELECT 1 FROM many b WHERE b.id = a.n AND b.g = 7)",
	"SELECT a.id FROM many a WHERE a.g < 6 AND NOT EXISTS (SELECT 1 FROM many b WHERE b.d = a.d AND b.n = a.n + 1)",
	"SELECT count(*), sum((SELECT count(*) FROM many b WHERE b.id = a.n)) FROM many a WHERE a.g = 4",
	"SELECT a.id, b.id FROM many a RIGHT JOIN many b ON a.id = b.n ORDER BY b.id LIMIT 300",
}

// TestWorkers wants statements to answer the same with and without workers, in the same order, also in a transaction
// that has written, and the settings min_parallel_table_scan_size and zproxy.max_parallel_workers_per_gather to decide
// whether there are any, and how many.
func TestWorkers(t *testing.T) {
	for _, k := range []kind{onPebble, inMemory} {
		t.Run(k.name, func(t *testing.T) {
			c := openDB(t, k).connect(t)
			must(t, c, `CREATE TABLE many AS SELECT i AS id, i * 7919 % 1000 AS n, i % 10 AS g, 'text ' || i AS t,
				date '2020-01-01' + i % 30 AS d, (i % 977)::numeric(9, 2) / 4 AS p,
				md5(i::text) || md5((-i)::text) || md5('x' || i) AS filler
				FROM generate_series(1, 60000) i`,
				"ALTER TABLE many ADD PRIMARY KEY (id)", "CREATE INDEX ON many (d)", "ANALYZE many",
				"SET min_parallel_table_scan_size = '64kB'", "SET zproxy.max_parallel_workers_per_gather = 3")
			must(t, c, `CREATE FUNCTION above(a int, b int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
				'BEGIN RETURN a > b; END'`, "CREATE DOMAIN positive AS int CHECK (above(VALUE, 0))",
				"PREPARE ranged(int, int) AS SELECT count(*), sum(n) FROM many WHERE id BETWEEN $1 AND $2",
				"PREPARE listed(int[]) AS SELECT count(*), sum(n) FROM many WHERE id = ANY ($1)")
			explained := strings.Join(answerOf(t, c, "EXPLAIN (ANALYZE) "+workerQueries[0]), "\n")
			for _, want := range []string{"Gather", "Workers Planned: 3", "Workers Launched: 3"} {
				if !strings.Contains(explained, want) {
					t.Errorf("no %q in %s", want, explained)
				}
			}
			compareWorkers(t, c)
			must(t, c, "BEGIN", "UPDATE many SET n = n + 1 WHERE g = 4", "DELETE FROM many WHERE g = 5",
				"INSERT INTO many SELECT i, i, i % 10, 'new', '2024-05-05', 1, '' FROM generate_series(70000, 70500) i")
			compareWorkers(t, c)
			must(t, c, "ROLLBACK", "SET min_parallel_table_scan_size = '1GB'")
			explained = strings.Join(answerOf(t, c, "EXPLAIN "+workerQueries[0]), "\n")
			if strings.Contains(explained, "Gather") {
				t.Error(explained)
			}
		})
	}
}

// compareWorkers compares the answers.
func compareWorkers(t *testing.T, c *pgx.Conn) {
	t.Helper()
	for _, q := range workerQueries {
		must(t, c, "SET max_parallel_workers_per_gather = 0")
		want := strings.Join(answerOf(t, c, q), "\n")
		must(t, c, "SET max_parallel_workers_per_gather = 2")
		if got := strings.Join(answerOf(t, c, q), "\n"); got != want || want == "" {
			t.Errorf("%s: %d bytes, want %d", q, len(got), len(want))
		}
	}
}

// answerOf is the rows of a statement as texts.
func answerOf(t *testing.T, c *pgx.Conn, sql string) (out []string) {
	t.Helper()
	results, err := c.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatal(sql, err)
	}
	for _, row := range results[0].Rows {
		out = append(out, string(bytes.Join(row, []byte("|"))))
	}
	return out
}
