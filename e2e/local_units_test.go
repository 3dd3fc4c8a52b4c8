package e2e

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/testcharge"
	"zproxy/internal/testseed"
)

// unitPatterns find the units of reads and of writes in a line of EXPLAIN.
var unitPatterns = map[string]*regexp.Regexp{
	"read": regexp.MustCompile(`([0-9.]+) read unit`), "write": regexp.MustCompile(`([0-9.]+) write unit`),
}

// TestUnitsOnLocal compares what 200 statements are thought to be charged, with statistics, with what DynamoDB Local
// charges them. Those that write several rows are left out: Local counts two units for each transaction, whatever it
// writes. It also charges nothing for keys that it does not find, and for an index what the whole items take.
func TestUnitsOnLocal(t *testing.T) {
	if !*localAll {
		t.Skip("only with -local")
	}
	random := rand.New(rand.NewPCG(testseed.Of(t), 6))
	c := openDB(t, onDynamoDB).connect(t)
	mustRun(t, c, "SET zproxy.full_scan = allow")
	for _, sql := range testcharge.Tables {
		mustRun(t, c, sql)
	}
	mustRun(t, c, "ANALYZE t, d, w, z")
	awaitTidy(t, c)
	within, tooLow, all := 0, 0, 0
	for i := range 200 {
		sql := testcharge.Statement(i, random.IntN)
		if strings.HasPrefix(sql, "INSERT INTO d SELECT") || strings.HasPrefix(sql, "UPDATE d") {
			continue
		}
		all++
		lines := texts(t, c, "EXPLAIN (ANALYZE) "+sql)
		worst, found := 1.0, ""
		for kind := range unitPatterns {
			thought, charged := unitsIn(lines, "^Estimated Charge: ", kind), unitsIn(lines, "^Charged: ", kind)
			by := math.Max(1, thought) / math.Max(1, charged)
			found += fmt.Sprintf(", %s units: %.1f thought, %.1f charged", kind, thought, charged)
			if worst = math.Max(worst, math.Max(by, 1/by)); by < 1./3 {
				tooLow++
			}
		}
		if worst <= 1.2 {
			within++
		} else {
			t.Logf("%.2f: %s%s", worst, sql, found)
		}
	}
	t.Logf("%d of %d are within a factor of 1.2, %d more than 3 times too low", within, all, tooLow)
	if float64(within) < 0.93*float64(all) || tooLow > 0 {
		t.Errorf("93 of 100 are wanted, and none too low")
	}
}

// awaitTidy waits until the items of the transactions that filled the tables have been rewritten in the background:
// before that each also holds its intent, and is charged for it.
func awaitTidy(t *testing.T, c *pgx.Conn) {
	t.Helper()
	for before := 0.0; ; time.Sleep(2 * time.Second) {
		now := 0.0
		for _, table := range []string{"t", "d", "w", "z"} {
			now += unitsIn(texts(t, c, "EXPLAIN (ANALYZE) SELECT * FROM "+table), "^Charged: ", "read")
		}
		if now == before {
			return
		}
		before = now
	}
}

// unitsIn are the units of a kind in the line that begins so; 0: there are none.
func unitsIn(lines []string, begins, kind string) float64 {
	at := slices.IndexFunc(lines, regexp.MustCompile(begins).MatchString)
	if at < 0 {
		return 0
	}
	m := unitPatterns[kind].FindStringSubmatch(lines[at])
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	return n
}
