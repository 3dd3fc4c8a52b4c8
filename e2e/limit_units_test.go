package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimitStops reads a few rows of many on a store that is charged by what it reads, through filters that it
// applies and others: what is read is about what these rows are thought to take, and not pages of 1 MB. EXPLAIN
// predicts it well enough, though nothing is known of what most of the filters keep.
func TestLimitStops(t *testing.T) {
	c := openDB(t, onFake).connect(t)
	mustRun(t, c, "SET zproxy.full_scan = allow")
	mustRun(t, c, "CREATE TABLE w (id int8 PRIMARY KEY, g int, n int, note text)")
	mustRun(t, c, "CREATE INDEX w_g ON w (g, n) INCLUDE (note)")
	mustRun(t, c, "CREATE INDEX w_n ON w (n) WITH (shards = 4)")
	const rows = 2000
	var data strings.Builder
	for i := range rows {
		fmt.Fprintf(&data, "%d\t%d\t%d\t%s\n", i, i%2, i*7919%1000, strings.Repeat("n", 150)+fmt.Sprint(i%5))
	}
	if _, err := c.PgConn().CopyFrom(t.Context(), strings.NewReader(data.String()), "COPY w FROM STDIN"); err != nil {
		t.Fatal(err)
	}
	mustRun(t, c, "ANALYZE w")
	for _, q := range []struct {
		query string
		most  float64 // read units, of about 100 for all rows of the table or of w_g
	}{
		{"SELECT * FROM w WHERE n < 100 LIMIT 10", 12},
		{"SELECT * FROM w WHERE n % 2 = 1 AND length(note) > 3 LIMIT 10", 12},
		{"SELECT note FROM w WHERE g = 1 AND note LIKE '%3' LIMIT 10", 12},
		{"SELECT note FROM w WHERE g = 1 AND note LIKE '%3' AND n IS NOT NULL LIMIT 10", 12},
		{"SELECT g, n, note FROM w WHERE g = 1 AND right(note, 1) <> '3' ORDER BY n DESC LIMIT 5", 6},
		{"SELECT * FROM w WHERE n >= 10 AND n < 900 AND right(note, 1) = '1' ORDER BY n LIMIT 3", 60},
	} {
		predicted, charged := unitsOf(t, c, q.query)
		t.Logf("%s: predicted %v, charged %v", q.query, predicted, charged)
		if charged > q.most {
			t.Errorf("%s: %v units, at most %v wanted", q.query, charged, q.most)
		}
		if charged > 3*predicted {
			t.Errorf("%s: %v units were predicted, %v charged", q.query, predicted, charged)
		}
	}
}
