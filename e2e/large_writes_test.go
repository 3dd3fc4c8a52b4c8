package e2e

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

// TestLargeWrites deletes, updates and inserts so many rows at once that the embedded store makes tables of them. The
// table and its indexes then have the rows that are left, and no others.
func TestLargeWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("200,000 rows")
	}
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	s := openDB(t, onPebble)
	c := s.connect(t)
	must(t, c, `CREATE TABLE t (id int PRIMARY KEY, a int, b text, UNIQUE (b)); CREATE INDEX ta ON t (a) INCLUDE (b)`)
	const rows = 100_000
	want := map[int]int{} // a by id
	insert := func(from int) {
		sql := "INSERT INTO t SELECT i, i % 1000, 'a text of some length for the row ' || i FROM generate_series($1::int, $2) i"
		if _, err := c.Exec(t.Context(), sql, from, from+rows-1); err != nil {
			t.Fatal(err)
		}
		for i := from; i < from+rows; i++ {
			want[i] = i % 1000
		}
	}
	check := func(when string) {
		t.Helper()
		sum := 0
		for id, a := range want {
			sum += id * (a + 1)
		}
		expected := strconv.Itoa(len(want)) + " " + strconv.Itoa(sum)
		for _, by := range []string{"SeqScan(t)", "IndexScan(t ta)"} {
			sql := "/*+ " + by + " */ SELECT count(*) || ' ' || coalesce(sum(id::int8 * (a + 1)), 0) FROM t WHERE a >= 0"
			if got := texts(t, c, sql); strings.Join(got, "") != expected {
				t.Fatalf("%s, by %s: %s, not %s", when, by, got, expected)
			}
		}
	}
	insert(0)
	insert(rows)
	check("inserted")
	part := random.IntN(3)
	must(t, c, "DELETE FROM t WHERE id % 3 = "+strconv.Itoa(part))
	for id := range want {
		if id%3 == part {
			delete(want, id)
		}
	}
	check("deleted")
	must(t, c, "UPDATE t SET a = a + 7 WHERE id % 2 = 0")
	for id := range want {
		if id%2 == 0 {
			want[id] += 7
		}
	}
	must(t, c, "BEGIN; DELETE FROM t; ROLLBACK")
	check("updated")
	must(t, c, `BEGIN; DELETE FROM t WHERE id < 30000;
		INSERT INTO t SELECT i, 5, 'again ' || i FROM generate_series(0, 29999) i; COMMIT`)
	for id := range 30000 {
		want[id] = 5
	}
	check("deleted and inserted")
	if found := texts(t, c, "SELECT index || ' ' || class FROM zproxy.check_index('t') LIMIT 5"); len(found) > 0 {
		t.Fatal(found)
	}
	must(t, c, "DELETE FROM t")
	clear(want)
	check("emptied")
	insert(0)
	check("inserted again")
}
