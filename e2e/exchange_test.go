package e2e

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/testseed"
)

// TestExchange writes to a table on two stores of any kinds, with timestamps and without, and gives each of them
// changes of the other one, in any order, some of them again when they are old. After a last exchange both have the
// same rows, the same timestamps and the same entries in indexes.
func TestExchange(t *testing.T) {
	for _, pair := range [][2]kind{{inMemory, onPebble}, {unordered, onFake}, {onPebble, onPebble}} {
		t.Run(pair[0].name+"_"+pair[1].name, func(t *testing.T) {
			x := &exchangeTest{r: rand.New(rand.NewPCG(testseed.Of(t), 0))}
			for i, k := range pair {
				x.sites[i].conn = openDB(t, k).connect(t)
			}
			for round := range 6 {
				x.run(t, fmt.Sprintf("t%d", round))
			}
		})
	}
}

// exchangeTest is a table on two stores.
type exchangeTest struct {
	r     *rand.Rand
	sites [2]site
}

// site is one of the stores, with all documents that it has given.
type site struct {
	conn  *pgx.Conn
	given []string
}

func (x *exchangeTest) run(t *testing.T, table string) {
	t.Helper()
	versions := fmt.Sprintf("ALTER TABLE %s SET (versions = %d)", table, 1+x.r.IntN(3))
	for i := range x.sites {
		must(t, x.sites[i].conn, strings.ReplaceAll(timestampedTable, "$", table))
		must(t, x.sites[i].conn, versions)
		x.sites[i].given = nil
	}
	var done []string
	for range 40 {
		i := x.r.IntN(2)
		switch x.r.IntN(4) {
		case 0:
			x.give(t, i, table, x.r.IntN(6))
		case 1:
			x.takeOld(t, i, table)
		default:
			sql := timestampedWrite(x.r)
			if x.r.IntN(3) == 0 { // with the time of the statement
				sql = hint.ReplaceAllString(sql, "")
			}
			must(t, x.sites[i].conn, strings.ReplaceAll(sql, "$", table))
			done = append(done, fmt.Sprintf("%d: %s", i, sql))
		}
	}
	last := [2]string{x.changes(t, 0, table, 0), x.changes(t, 1, table, 0)}
	x.take(t, 1, table, last[0]) // a merge that took what comes last would now exchange the rows
	x.take(t, 0, table, last[1])
	got := [2][]string{held(t, x.sites[0].conn, table), held(t, x.sites[1].conn, table)}
	if !slices.Equal(got[0], got[1]) {
		t.Fatalf("one has\n%s\nthe other\n%s\nafter\n%s", strings.Join(got[0], "\n"), strings.Join(got[1], "\n"),
			strings.Join(done, "\n"))
	}
}

// held is what a store has of a table and its indexes, which agree.
func held(t *testing.T, c *pgx.Conn, table string) (out []string) {
	t.Helper()
	must(t, c, "CHECK INDEXES ON "+table)
	changes := "SELECT c FROM zproxy.changes('$') AS c ORDER BY c->>'key'"
	for _, q := range append([]string{changes}, timestampedQueries...) {
		out = append(append(out, q), wholeRows(t, c, strings.ReplaceAll(q, "$", table))...)
	}
	return out
}

// give makes a store give its changes to the other one.
func (x *exchangeTest) give(t *testing.T, from int, table string, since int) {
	t.Helper()
	docs := x.changes(t, from, table, since)
	x.sites[from].given = append(x.sites[from].given, docs)
	x.take(t, 1-from, table, docs)
}

// changes are those of a store.
func (x *exchangeTest) changes(t *testing.T, from int, table string, since int) (docs string) {
	t.Helper()
	sql := fmt.Sprintf("SELECT coalesce(jsonb_agg(c), '[]')::text FROM zproxy.changes('%s', %d) AS c", table, since)
	if err := x.sites[from].conn.QueryRow(t.Context(), sql).Scan(&docs); err != nil {
		t.Fatal(err)
	}
	return docs
}

// takeOld makes a store take changes that another one or itself has given before.
func (x *exchangeTest) takeOld(t *testing.T, into int, table string) {
	t.Helper()
	from := x.sites[x.r.IntN(2)].given
	if len(from) > 0 {
		x.take(t, into, table, from[x.r.IntN(len(from))])
	}
}

// take applies changes, and once more, which changes nothing.
func (x *exchangeTest) take(t *testing.T, into int, table, docs string) {
	t.Helper()
	for try := range 2 {
		var n int64
		sql := fmt.Sprintf("SELECT zproxy.apply_changes('%s', $1::text::jsonb)", table)
		if err := x.sites[into].conn.QueryRow(t.Context(), sql, docs).Scan(&n); err != nil {
			t.Fatalf("%s: %v", docs, err)
		}
		if try == 1 && n != 0 {
			t.Fatalf("the same changes change %d rows again: %s", n, docs)
		}
	}
}

var hint = regexp.MustCompile(`/\*\+.*?\*/`)
