package e2e

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var cancelFlag = flag.Bool("cancel", false,
	"call every function with large arguments under a statement_timeout, and report which end late")

// largest are the large values by type, of which each call takes one after the other.
var largest = map[string][]string{
	"text": {"repeat('x,', 10000000)", "repeat('a', 20000000)", "','", "repeat('HH24:MI ', 2000000)",
		"repeat('(a|b)*', 3000)", "repeat('9', 20000000)"},
	"bytea":     {"repeat('x,', 10000000)::bytea", "'x'::bytea"},
	"integer":   {"100000000", "2"},
	"bigint":    {"100000000", "2"},
	"numeric":   {"repeat('9', 100000)::numeric", "2.5"},
	"json":      {"('[' || repeat('1,', 5000000) || '1]')::json"},
	"jsonb":     {"to_jsonb(array_fill(1, ARRAY[1000000]))"},
	"jsonpath":  {"'$.**'::jsonpath"},
	"text[]":    {"array_fill('a'::text, ARRAY[2000000])"},
	"integer[]": {"array_fill(1, ARRAY[2000000])"},
}

// otherTypes are the types whose large values other types have.
var otherTypes = map[string]string{
	"\"any\"": "text", "anyarray": "integer[]", "anycompatiblearray": "integer[]", "anyelement": "integer",
	"anycompatible": "integer", "anynonarray": "integer", "character": "text", "character varying": "text",
}

// largeColumn is the column of a large value in the table large.
func largeColumn(of string, i int) string {
	return fmt.Sprintf("%s_%d", strings.NewReplacer(" ", "_", "[]", "_array").Replace(of), i)
}

// makeLarge makes the table large, of one row with a column per large value.
func makeLarge(t *testing.T, c *pgx.Conn) {
	var columns []string
	for _, of := range slices.Sorted(maps.Keys(largest)) {
		for i, value := range largest[of] {
			columns = append(columns, value+" AS "+largeColumn(of, i))
		}
	}
	if _, err := c.Exec(t.Context(), "CREATE TEMP TABLE large AS SELECT "+strings.Join(columns, ", ")); err != nil {
		t.Fatal(err)
	}
}

// argument is a large value of a type in the table large, or NULL.
func argument(of string, round int) string {
	if other, ok := otherTypes[of]; ok {
		of = other
	}
	if list := largest[of]; list != nil {
		return largeColumn(of, round%len(list))
	}
	if of == "smallint" {
		return "1::smallint"
	}
	return "NULL::" + of
}

// arguments are those of a list of types.
func arguments(types string, round int) []string {
	var list []string
	for i, of := range strings.Split(types, "|") {
		if of != "" {
			list = append(list, argument(of, round+i))
		}
	}
	return list
}

// callables are queries by what they call: each of its rows has a name, the types of the arguments and a kind.
const callables = `
	SELECT p.proname::text, (SELECT coalesce(string_agg(format_type(a, NULL), '|' ORDER BY n), '')
		FROM unnest(p.proargtypes) WITH ORDINALITY AS u(a, n)), CASE WHEN p.proretset THEN 'set' ELSE p.prokind::text END
	FROM pg_proc p WHERE p.proname !~ '^pg_(sleep|terminate|cancel)'
	UNION SELECT oprname::text, format_type(oprleft, NULL) || '|' || format_type(oprright, NULL), 'operator'
	FROM pg_operator WHERE oprleft <> 0
	UNION SELECT format_type(casttarget, NULL), format_type(castsource, NULL), 'cast' FROM pg_cast
	UNION SELECT a::text, b::text, 'cast' FROM unnest(ARRAY['text', 'json', 'jsonb', 'text[]', 'integer[]', 'numeric', 'bytea', 'jsonpath',
		'integer', 'date', 'timestamptz', 'interval', 'boolean', 'uuid', 'regtype', 'regclass', 'regproc', 'name', 'varchar(5)']) a,
		unnest(ARRAY['text', 'json', 'jsonb', 'text[]', 'integer[]', 'numeric', 'bytea']) b WHERE a <> b
	ORDER BY 3, 1, 2`

// callable is what a query can call.
type callable struct{ name, args, kind string }

// query calls it with large arguments.
func (f callable) query(round int) string {
	args := arguments(f.args, round)
	call := fmt.Sprintf("%q(%s)", f.name, strings.Join(args, ", "))
	switch f.kind {
	case "set":
		return "SELECT count(*) FROM large, " + call
	case "a":
		return "SELECT " + strings.Replace(call, "()", "(*)", 1) + " IS NULL FROM large, generate_series(1, 3)"
	case "w":
		return "SELECT count(x) FROM (SELECT " + call + " OVER () AS x FROM large, generate_series(1, 3)) s"
	case "operator":
		return fmt.Sprintf("SELECT (%s OPERATOR(pg_catalog.%s) %s) IS NULL FROM large", args[0], f.name, args[1])
	case "cast":
		return fmt.Sprintf("SELECT (%s::%s) IS NULL FROM large", args[0], f.name)
	}
	return "SELECT " + call + " IS NULL FROM large"
}

// largeClauses are clauses around each large value, %s, of any type.
var largeClauses = []string{
	"SELECT count(*) FROM (SELECT DISTINCT %s FROM large, generate_series(1, 3)) s",
	"SELECT count(*) FROM (SELECT %s AS x FROM large, generate_series(1, 3) ORDER BY 1 OFFSET 1) s",
	"SELECT count(*) FROM large, generate_series(1, 3) GROUP BY %s",
	"SELECT count(*) FROM large a JOIN large b USING (%s)",
	"SELECT count(*) FROM large WHERE %[1]s IN (SELECT %[1]s FROM large)",
	"SELECT count(*) FROM (SELECT %[1]s FROM large UNION SELECT %[1]s FROM large) s",
	"SELECT (SELECT b.%[1]s FROM large b) IS NULL FROM large a",
	"SELECT rank() OVER (ORDER BY %s) FROM large, generate_series(1, 3)",
	"SELECT count(DISTINCT %s) FROM large, generate_series(1, 3)",
	"SELECT array_agg(%s) IS NULL FROM large, generate_series(1, 3)",
	"SELECT string_agg(%s::text, ',') OVER () IS NULL FROM large, generate_series(1, 3)",
	"SELECT min(%s::text) FROM large, generate_series(1, 3)",
	"SELECT greatest(%[1]s, %[1]s) IS NULL, coalesce(%[1]s, %[1]s) IS NULL FROM large",
	"SELECT %[1]s IS DISTINCT FROM %[1]s FROM large",
	"SELECT ARRAY[%[1]s, %[1]s] IS NULL, ROW(%[1]s) = ROW(%[1]s) FROM large",
	"SELECT json_build_object('a', %[1]s) IS NULL, jsonb_build_array(%[1]s) IS NULL, to_json(%[1]s) IS NULL FROM large",
	"SELECT json_agg(%[1]s) IS NULL, row_to_json(ROW(%[1]s)) IS NULL FROM large",
	"SELECT format('%%s %%L', %[1]s, %[1]s) IS NULL, concat(%[1]s, %[1]s) IS NULL FROM large",
	"SELECT count(*) FROM (VALUES (1)) v, LATERAL (SELECT %s FROM large LIMIT 1) s",
	"WITH RECURSIVE r(n, x) AS (SELECT 1, %s FROM large UNION SELECT n + 1, x FROM r WHERE n < 4) SELECT count(*) FROM r",
	"SELECT lag(%s) OVER () IS NULL FROM large, generate_series(1, 3)",
	"SELECT %s::text LIKE '%%b%%c%%', %[1]s::text ~ '(a|x)*y' FROM large",
	"SELECT %[1]s = ANY (ARRAY[%[1]s]) FROM large",
	"SELECT CASE %[1]s WHEN %[1]s THEN 1 END FROM large",
}

// TestCancelEveryFunction measures how long each function, operator, aggregate, window function and cast of the
// catalog, and each clause, goes on with large values after its statement's time is over. Times are of this machine: it
// reports, and fails for what takes ten times too long.
func TestCancelEveryFunction(t *testing.T) {
	if !*cancelFlag {
		t.Skip("only with -cancel")
	}
	s := openDB(t, inMemory)
	ctx := context.Background()
	c := s.connect(t)
	makeLarge(t, c)
	rows, err := c.Query(ctx, callables)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (f callable, err error) {
		return f, r.Scan(&f.name, &f.args, &f.kind)
	})
	if err != nil || len(all) < 1500 {
		t.Fatalf("%d callables: %v", len(all), err)
	}
	const timeout = 50 * time.Millisecond
	if _, err := c.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d", timeout.Milliseconds())); err != nil {
		t.Fatal(err)
	}
	w := &lateness{t: t, c: c, timeout: timeout}
	for _, f := range all {
		for round := range 3 {
			w.run(f.query(round))
		}
	}
	for _, clause := range largeClauses {
		for of, list := range largest {
			for i := range list {
				w.run(fmt.Sprintf(clause, largeColumn(of, i)))
			}
		}
	}
	t.Logf("%d queries, %d ended by the timeout, %d with another error", w.queries, w.timeouts, w.errors)
	if w.timeouts == 0 {
		t.Error("no query was ended")
	}
}

// lateness runs queries under a statement_timeout and reports those that end late.
type lateness struct {
	t                         *testing.T
	c                         *pgx.Conn
	timeout                   time.Duration
	queries, timeouts, errors int
}

func (w *lateness) run(query string) {
	const late, much = 100 * time.Millisecond, 2 * time.Second
	began := time.Now()
	_, err := w.c.Exec(context.Background(), query)
	took := time.Since(began) - w.timeout
	w.queries++
	if err != nil {
		w.errors++
		if strings.Contains(err.Error(), "57014") {
			w.timeouts++
			w.errors--
		}
	}
	if w.c.IsClosed() {
		w.t.Fatalf("%s ended the connection: %v", query, err)
	}
	if took > late {
		w.t.Logf("%v late: %s", took.Round(time.Millisecond), query)
	}
	if took > much {
		w.t.Errorf("%s ended %v after its time", query, took)
	}
}
