package e2e

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var cancelFlag = flag.Bool("cancel", false, "call every function with large arguments under a statement_timeout, and report which end late")

// largest are expressions for large arguments by type, of which each call takes one after the other.
var largest = map[string][]string{
	"text": {"repeat('x,', 10000000)", "repeat('a', 20000000)", "','", "repeat('HH24:MI ', 2000000)",
		"repeat('(a|b)*', 3000)", "repeat('9', 20000000)"},
	"\"any\"":  {"repeat('x,', 10000000)"},
	"bytea":    {"repeat('x,', 10000000)::bytea", "'x'::bytea"},
	"integer":  {"100000000", "2"},
	"bigint":   {"100000000", "2"},
	"numeric":  {"repeat('9', 100000)::numeric", "2.5"},
	"json":     {"('[' || repeat('1,', 5000000) || '1]')::json"},
	"jsonb":    {"to_jsonb(array_fill(1, ARRAY[1000000]))"},
	"jsonpath": {"'$.**'::jsonpath"},
	"text[]":   {"array_fill('a'::text, ARRAY[2000000])"},
	"anyarray": {"array_fill(1, ARRAY[2000000])"},
}

// argument is a large expression of a type, or some value of it.
func argument(of string, turn int) string {
	same := map[string]string{
		"anycompatiblearray": "anyarray", "integer[]": "anyarray", "anyelement": "integer", "anycompatible": "integer",
		"anynonarray": "integer", "character": "text", "smallint": "", "name": "",
	}
	if other, ok := same[of]; ok {
		of = other
	}
	if list := largest[of]; list != nil {
		return list[turn%len(list)]
	}
	if of == "" {
		return "1::smallint"
	}
	return "NULL::" + of
}

// TestCancelEveryFunction measures how long each function of pg_proc goes on after its statement's
// time is over. Times are of this machine: it reports, and fails for what takes ten times too long.
func TestCancelEveryFunction(t *testing.T) {
	if !*cancelFlag {
		t.Skip("only with -cancel")
	}
	s := openDB(t, inMemory)
	ctx := context.Background()
	c := s.connect(t)
	rows, err := c.Query(ctx, `SELECT DISTINCT p.proname::text, (SELECT coalesce(string_agg(format_type(a, NULL), '|' ORDER BY n), '')
		FROM unnest(p.proargtypes) WITH ORDINALITY AS u(a, n)), p.proretset
		FROM pg_proc p WHERE p.prokind = 'f' AND p.proname !~ '^pg_(sleep|terminate|cancel)' ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	type function struct {
		name, args string
		set        bool
	}
	all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (f function, err error) {
		return f, r.Scan(&f.name, &f.args, &f.set)
	})
	if err != nil || len(all) < 500 {
		t.Fatalf("%d functions: %v", len(all), err)
	}
	if _, err := c.Exec(ctx, "SET statement_timeout = 100"); err != nil {
		t.Fatal(err)
	}
	const late, much = 200 * time.Millisecond, 2 * time.Second
	calls, timeouts := 0, 0
	for _, f := range all {
		for turn := range 3 {
			var args []string
			for i, of := range slices.DeleteFunc(strings.Split(f.args, "|"), func(s string) bool { return s == "" }) {
				args = append(args, argument(of, turn+i))
			}
			call := fmt.Sprintf("%q(%s)", f.name, strings.Join(args, ", "))
			query := "SELECT " + call + " IS NULL"
			if f.set {
				query = "SELECT count(*) FROM " + call
			}
			began := time.Now()
			_, err := c.Exec(ctx, query)
			took := time.Since(began) - 100*time.Millisecond
			if calls++; err != nil && strings.Contains(err.Error(), "57014") {
				timeouts++
			}
			if c.IsClosed() {
				t.Fatalf("%s ended the connection: %v", query, err)
			}
			if took > late {
				t.Logf("%v late: %s", took.Round(time.Millisecond), query)
			}
			if took > much {
				t.Errorf("%s ended %v after its time", query, took)
			}
		}
	}
	t.Logf("%d calls of %d functions, %d ended by the timeout", calls, len(all), timeouts)
}
