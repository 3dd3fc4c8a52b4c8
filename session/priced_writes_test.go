package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

var estimatedUnits = regexp.MustCompile(`~([0-9.]+) write unit`)

// TestPricedWrites wants what EXPLAIN says that writes will be charged to be what they are charged, within a factor of
// 1.2 for 95 of 100, by one request, by intents, and with loose entries, where ANALYZE has seen such rows.
func TestPricedWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 1))
	synctest.Test(t, func(t *testing.T) {
		w := newPricedWrites(t)
		for i, class := range []string{"MUTABLE_LATEST", "IMMUTABLE_ROWS", "MUTABLE_LATEST"} {
			w.with = map[bool]string{true: " WITH (storage = 'gsi')"}[i == 2]
			for indexes := range 5 {
				for n := range 4 {
					rows := []int{1, 2 + random.IntN(18), 150 + random.IntN(150)}[random.IntN(3)]
					table := fmt.Sprintf("t%d_%d_%d", indexes, n, i)
					w.price(class, indexes, table, [2]int{rows, 10 + random.IntN(1500)})
				}
			}
		}
		t.Logf("%d of %d are beyond a factor of 1.2", len(w.off), w.all)
		if 20*len(w.off) > w.all {
			t.Errorf("%d of %d:\n%s", len(w.off), w.all, strings.Join(w.off, "\n"))
		}
	})
}

// pricedWrites compares estimates of writes with what a fake charges.
type pricedWrites struct {
	*Session
	t    *testing.T
	fake *dynamofake.Fake
	with string // options of the indexes
	all  int
	off  []string // statements that are charged something else
}

func newPricedWrites(t *testing.T) *pricedWrites {
	t.Helper()
	fake := dynamofake.New(dynamofake.Options{})
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: fake.Client("")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	db, err := Open(t.Context(), st, Options{Settings: map[string]string{"zproxy.full_scan": "allow"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return &pricedWrites{Session: connect(t, db, "joe"), t: t, fake: fake}
}

// price writes so many rows of some bytes into a table of its own, changes and deletes them.
func (w *pricedWrites) price(class string, indexes int, table string, rows [2]int) {
	w.create(table, class, indexes)
	insertRows := func(from, to int) string {
		var values []string
		for g := from; g < to; g++ {
			values = append(values, fmt.Sprintf("(%d, %d, %d, %d, %d, '%s')", g, g, g, g, g,
				strings.Repeat("x", rows[1])))
		}
		return "INSERT INTO " + table + " VALUES " + strings.Join(values, ", ")
	}
	accepted(w.t, w.Session, insertRows(0, 3), "ANALYZE "+table)
	insert := insertRows(3, 3+rows[0])
	statements := []string{insert, "UPDATE " + table + " SET a = a + 1", "UPDATE " + table + " SET e = e || 'y'",
		"DELETE FROM " + table}
	if class == "IMMUTABLE_ROWS" {
		statements = []string{insert, "DELETE FROM " + table}
	}
	for i, sql := range statements {
		if i > 0 {
			accepted(w.t, w.Session, "ANALYZE "+table)
		}
		want, got := estimated(w.t, w.Session, sql), w.chargedFor(table, sql)
		if w.all++; got/want > 1.2 || want/got > 1.2 {
			w.off = append(w.off, fmt.Sprintf("%.60s: %v units, estimated %v (%d rows of %d bytes)", sql, got, want,
				rows[0], rows[1]))
		}
	}
}

// estimated is how many write units EXPLAIN says.
func estimated(t *testing.T, s *Session, sql string) float64 {
	t.Helper()
	for _, line := range answer(t, s, "EXPLAIN "+sql) {
		if m := estimatedUnits.FindStringSubmatch(line); m != nil && strings.Contains(line, "Estimate:") {
			units, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return units
		}
	}
	t.Fatalf("EXPLAIN %s has no estimate", sql)
	return math.NaN()
}

// chargedFor is how many write units a statement is charged, also for what it has begun.
func (w *pricedWrites) chargedFor(table, sql string) float64 {
	before := w.tally(table).WriteUnits
	accepted(w.t, w.Session, sql)
	if wait := time.Minute; strings.HasPrefix(sql, "DELETE") {
		time.Sleep(25 * wait) // until entries of rows that were deleted young have gone
	} else {
		time.Sleep(wait)
	}
	return w.tally(table).WriteUnits - before
}
