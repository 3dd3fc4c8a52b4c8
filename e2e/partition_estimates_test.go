package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// dividedRows are rows in six partitions by day: customers come again in each, orders do not, and each product is sold
// in one partition or two. Some customers have far more rows than others.
const dividedRows = `CREATE TABLE sales (day int, id int, customer int, product int, region int, shop int) PARTITION BY RANGE (day);
	CREATE TABLE sales_0 PARTITION OF sales FOR VALUES FROM (0) TO (100);
	CREATE TABLE sales_1 PARTITION OF sales FOR VALUES FROM (100) TO (200);
	CREATE TABLE sales_2 PARTITION OF sales FOR VALUES FROM (200) TO (300);
	CREATE TABLE sales_3 PARTITION OF sales FOR VALUES FROM (300) TO (400);
	CREATE TABLE sales_4 PARTITION OF sales FOR VALUES FROM (400) TO (500);
	CREATE TABLE sales_5 PARTITION OF sales DEFAULT;
	CREATE TABLE customers (customer int PRIMARY KEY, name text);
	INSERT INTO sales SELECT n / 50, n, floor(sqrt(n * 7919::int8 % 40000)) * 3, n / 60 + n % 2, n * 31 % 7, n * 31 % 7 * 10 + n * 17 % 3
	FROM generate_series(0, 29999) AS n;
	INSERT INTO customers SELECT n, 'name' || n FROM generate_series(0, 999) AS n;
	ANALYZE customers`

// dividedQueries are about what is known of the partitions together.
var dividedQueries = []string{
	"SELECT customer, count(*) FROM sales GROUP BY customer",
	"SELECT DISTINCT product FROM sales",
	"SELECT DISTINCT id FROM sales",
	"SELECT DISTINCT day FROM sales",
	"SELECT DISTINCT day FROM sales WHERE day < 250",
	"SELECT DISTINCT customer FROM sales WHERE day >= 400",
	"SELECT DISTINCT customer FROM sales WHERE region = 3 AND day < 300",
	"SELECT region, shop, count(*) FROM sales GROUP BY region, shop",
	"SELECT region, shop, count(*) FROM sales WHERE customer = 300 GROUP BY region, shop",
	"SELECT * FROM sales s JOIN customers c ON c.customer = s.customer",
	"SELECT * FROM sales s JOIN customers c ON c.customer = s.customer WHERE c.name = 'name597'",
	"SELECT * FROM sales a JOIN sales b ON a.customer = b.customer WHERE a.id < 200",
	"SELECT * FROM sales WHERE product = 200 OR customer = 300",
	"SELECT * FROM customers c WHERE EXISTS (SELECT FROM sales s WHERE s.customer = c.customer)",
	"SELECT product % 10, count(*) FROM sales GROUP BY product % 10",
}

// TestPartitionEstimates compares how many rows queries of a table with partitions are thought to deliver with how many
// they do, before and after ANALYZE of the whole table, and in PostgreSQL.
func TestPartitionEstimates(t *testing.T) {
	here, err := pgconn.Connect(t.Context(), openDB(t, inMemory).url())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close(t.Context())
	there := connectPostgres(t)
	run := func(statements string) {
		for _, s := range []*pgconn.PgConn{here, there} {
			for text := range strings.SplitSeq(statements, ";\n") {
				if _, err := s.Exec(t.Context(), text).ReadAll(); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
	}
	run(dividedRows + "; CREATE STATISTICS sales_where ON region, shop FROM sales")
	for i := range 6 {
		run("ANALYZE sales_" + string(rune('0'+i)))
	}
	before := map[string]float64{}
	for _, query := range dividedQueries {
		before[query] = slices.Max(errorsOf(t, here, query))
	}
	run("ANALYZE sales")
	for _, query := range dividedQueries {
		now, theirs := slices.Max(errorsOf(t, here, query)), slices.Max(errorsOf(t, there, query))
		t.Logf("%6.1f  %6.1f  PostgreSQL %6.1f  %s", before[query], now, theirs, query)
		if now > max(1.1, theirs*1.1) || now > before[query]*1.1 {
			t.Errorf("%s: off by %.1f, and by %.1f without statistics of the whole table", query, now, before[query])
		}
	}
}
