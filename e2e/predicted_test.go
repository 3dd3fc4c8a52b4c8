package e2e

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/testseed"
)

// TestPredictedUnits compares what EXPLAIN says that queries will be charged with what the fake counts,
// once the tables are known: gets, prefixes, covers and lookups.
func TestPredictedUnits(t *testing.T) {
	seed := testseed.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	c := openDB(t, onFake).connect(t)
	rows := func(table string, n int, row func(i int) string) {
		for from := 0; from < n; from += 25 {
			var values []string
			for i := from; i < min(from+25, n); i++ {
				values = append(values, row(i))
			}
			mustRun(t, c, "INSERT INTO "+table+" VALUES "+strings.Join(values, ", "))
		}
	}
	mustRun(t, c, "SET zproxy.full_scan = allow")
	mustRun(t, c, "CREATE TABLE p (id int8 PRIMARY KEY, g int, x int, y int, note text)")
	mustRun(t, c, "CREATE INDEX p_g ON p (g, x)")
	mustRun(t, c, "CREATE INDEX p_s ON p (x) WITH (shards = 4)")
	mustRun(t, c, "CREATE INDEX p_z ON p USING zorder (x, y)")
	rows("p", 1500, func(i int) string {
		return fmt.Sprintf("(%d, %d, %d, %d, '%s')", i, r.IntN(8), r.IntN(1000), r.IntN(1000),
			strings.Repeat("n", r.IntN(400)))
	})
	mustRun(t, c, "ANALYZE p")
	from := r.IntN(500)
	ratios := map[string][]float64{}
	for range 6 {
		g, x, y, w := r.IntN(8), r.IntN(900), r.IntN(900), 50+r.IntN(300)
		for kind, query := range map[string]string{
			"get":    fmt.Sprintf("SELECT * FROM p WHERE id = %d", from+x),
			"list":   fmt.Sprintf("SELECT * FROM p WHERE id IN (%d, %d, %d, %d)", x, y, x+y, w),
			"prefix": fmt.Sprintf("SELECT g, x FROM p WHERE g = %d AND x >= %d AND x < %d", g, x, x+w),
			"shards": fmt.Sprintf("SELECT x FROM p WHERE x >= %d AND x < %d", x, x+w),
			"lookup": fmt.Sprintf("SELECT note FROM p WHERE g = %d AND x < %d", g, w),
			"cover":  fmt.Sprintf("SELECT x, y FROM p WHERE x BETWEEN %d AND %d AND y BETWEEN %d AND %d", x, x+w, y, y+w),
			"all":    "SELECT max(note) FROM p",
		} {
			predicted, charged := unitsOf(t, c, query)
			ratios[kind] = append(ratios[kind], predicted/charged)
		}
	}
	for kind, list := range ratios {
		slices.Sort(list)
		t.Logf("%-6s predicted / charged: %.2f - %.2f, median %.2f", kind, list[0], list[len(list)-1],
			list[len(list)/2])
		if m := list[len(list)/2]; m > 1.5 || m < 1/1.5 {
			t.Errorf("%s: the median of what is predicted is %.2f times what is charged", kind, m)
		}
		if list[0] < 1.0/3 || list[len(list)-1] > 3 {
			t.Errorf("%s: predicted is %.2f to %.2f times what is charged", kind, list[0], list[len(list)-1])
		}
	}
}

var (
	predictedUnits = regexp.MustCompile(`Estimate: .*~([0-9.]+) read units?`)
	chargedUnits   = regexp.MustCompile(`Charged: \d+ requests?, ([0-9.]+) read units?`)
)

// unitsOf runs a query, and gives what EXPLAIN (ANALYZE) says that it was thought to cost and did.
func unitsOf(t *testing.T, c *pgx.Conn, query string) (predicted, charged float64) {
	t.Helper()
	rows, err := c.Query(t.Context(), "EXPLAIN (ANALYZE) "+query)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for _, line := range lines {
		if m := predictedUnits.FindStringSubmatch(line); m != nil && predicted == 0 {
			predicted, _ = strconv.ParseFloat(m[1], 64)
		}
		if m := chargedUnits.FindStringSubmatch(line); m != nil {
			charged, _ = strconv.ParseFloat(m[1], 64)
		}
	}
	if predicted == 0 || charged == 0 || math.IsNaN(predicted) {
		t.Fatalf("%s: nothing is predicted, or nothing charged:\n%s", query, strings.Join(lines, "\n"))
	}
	return predicted, charged
}

func mustRun(t *testing.T, c *pgx.Conn, text string) {
	t.Helper()
	if _, err := c.Exec(context.Background(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
