package e2e

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// nested is n times open, then middle, then as often what closes it.
func nested(open, middle, end string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

// nestings make a statement in which something nests n deep.
var nestings = map[string]func(n int) string{
	"parentheses": func(n int) string { return "SELECT " + nested("(", "1", ")", n) },
	"subqueries":  func(n int) string { return "SELECT " + nested("(SELECT ", "1", ")", n) },
	"from":        func(n int) string { return "SELECT 1 FROM " + nested("(SELECT 1 FROM ", "pg_class", ") x", n) },
	"joins":       func(n int) string { return "SELECT 1 FROM " + nested("(", "pg_am", " CROSS JOIN pg_am)", n) },
	"from list":   func(n int) string { return "SELECT 1 FROM (VALUES (1)) x" + repeated(n, ", (VALUES (1)) x%[1]d") },
	"with list": func(n int) string {
		return "WITH x0 AS (SELECT 1)" + repeated(n, ", x%[2]d AS (TABLE x%[1]d)") + " SELECT 1"
	},
	"with":          func(n int) string { return nested("WITH x AS (", "SELECT 1", ") TABLE x", n) },
	"case":          func(n int) string { return "SELECT " + nested("CASE WHEN true THEN ", "1", " END", n) },
	"case argument": func(n int) string { return "SELECT " + nested("CASE ", "1", " WHEN 1 THEN 1 END", n) },
	"not":           func(n int) string { return "SELECT " + nested("NOT ", "true", "", n) },
	"signs":         func(n int) string { return "SELECT " + nested("- ", "1", "", n) },
	"sum":           func(n int) string { return "SELECT 1" + strings.Repeat("+1", n) },
	"concatenation": func(n int) string { return "SELECT 'a'" + strings.Repeat("||'a'", n) },
	"and":           func(n int) string { return "SELECT 1 WHERE true" + strings.Repeat(" AND relname = 'a'", n) },
	"and columns": func(n int) string {
		return "SELECT 1 FROM pg_class WHERE true" + strings.Repeat(" AND relname = 'a'", n)
	},
	"or": func(n int) string {
		return "SELECT 1 FROM pg_class WHERE false" + repeated(n, " OR relname = 'a%[1]d'")
	},
	"and or":         func(n int) string { return "SELECT 1 WHERE " + nested("(true AND (false OR ", "true", "))", n) },
	"casts":          func(n int) string { return "SELECT 1" + strings.Repeat("::int", n) },
	"calls":          func(n int) string { return "SELECT " + nested("abs(", "1", ")", n) },
	"coalesce":       func(n int) string { return "SELECT " + nested("coalesce(", "1", ")", n) },
	"rows":           func(n int) string { return "SELECT " + nested("ROW(", "1", ")", n) },
	"arrays":         func(n int) string { return "SELECT " + nested("ARRAY[", "1", "]", n) },
	"array text":     func(n int) string { return "SELECT '" + nested("{", "1", "}", n) + "'::int[]" },
	"array type":     func(n int) string { return "SELECT NULL::int" + strings.Repeat("[]", n) },
	"subscripts":     func(n int) string { return "SELECT (ARRAY[1])" + strings.Repeat("[1]", n) },
	"json":           func(n int) string { return "SELECT '" + nested("[", "1", "]", n) + "'::json" },
	"jsonb":          func(n int) string { return "SELECT '" + nested(`{"a":`, "1", "}", n) + "'::jsonb" },
	"jsonpath":       func(n int) string { return "SELECT '" + nested("(", "$", ")", n) + "'::jsonpath" },
	"path accessors": func(n int) string { return "SELECT '$" + strings.Repeat(".a", n) + "'::jsonpath" },
	"path filters":   func(n int) string { return "SELECT '$" + nested("?(@", "== 1", ")", n) + "'::jsonpath" },
	"path not":       func(n int) string { return "SELECT '" + nested("!(", "$ == 1", ")", n) + "'::jsonpath" },
	"path signs":     func(n int) string { return "SELECT '" + nested("-", "$", "", n) + "'::jsonpath" },
	"path sum":       func(n int) string { return "SELECT '1" + strings.Repeat(" + 1", n) + "'::jsonpath" },
	"regex":          func(n int) string { return "SELECT 'a' ~ '" + nested("(", "a", ")", n) + "'" },
	"regex look":     func(n int) string { return "SELECT 'a' ~ '" + nested("(?=", "a", ")", n) + "'" },
	"regex stars":    func(n int) string { return "SELECT 'a' ~ '" + nested("(?:", "a", ")*", n) + "'" },
	"regex or":       func(n int) string { return "SELECT 'a' ~ 'a" + strings.Repeat("|a", n) + "'" },
	"similar":        func(n int) string { return "SELECT 'a' SIMILAR TO '" + nested("(", "a", ")", n) + "'" },
	"like": func(n int) string {
		return "SELECT repeat('a', 1000) LIKE '" + strings.Repeat("%a", min(n, 2000)) + "b'"
	},
	"unions":       func(n int) string { return "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", n) },
	"unions right": func(n int) string { return nested("SELECT 1 UNION (", "SELECT 1", ")", n) },
	"exists":       func(n int) string { return "SELECT 1 WHERE " + nested("EXISTS (SELECT 1 WHERE ", "true", ")", n) },
	"explain view": func(n int) string {
		return "CREATE VIEW nv AS SELECT " + nested("abs(", "1", ")", n) + "; SELECT pg_get_viewdef('nv'); DROP VIEW nv"
	},
	"check": func(n int) string {
		return "CREATE TABLE nt (a int CHECK (" + nested("(a > 0 AND ", "true", ")", n) + ")); DROP TABLE nt"
	},
	"values":   func(n int) string { return "VALUES (1)" + strings.Repeat(",(1)", n) },
	"numeric":  func(n int) string { return "SELECT " + strings.Repeat("1", n) + "::numeric" },
	"comments": func(n int) string { return "SELECT 1 " + nested("/*", "", "*/", n) },
	"built json": func(n int) string {
		return recursive("to_jsonb(1)", "jsonb_build_array(x)", "length(x::text)", min(n, 10_000))
	},
	"built json arr": func(n int) string {
		return recursive("'1'::json", "json_build_array(x)", "length(x::text)", min(n, 1000))
	},
	"set json": func(n int) string {
		return recursive("'{}'::jsonb", "jsonb_build_object('a', x)", "x = x", min(n, 10_000))
	},
	"doubled json": func(n int) string {
		return recursive("'[1]'::jsonb", "jsonb_set(x, array_fill('0'::text, ARRAY[(2 ^ n)::int]), x)",
			"length(x::text)", bits.Len(uint(n))+6)
	},
	"inserted json": func(n int) string {
		return recursive("'[1]'::jsonb", "jsonb_insert(x, array_fill('0'::text, ARRAY[n + 1]), x)", "count(*)",
			min(n, 10_000))
	},
	"queried json": func(n int) string {
		return recursive("'[1]'::jsonb", "jsonb_path_query_array(x, 'strict $')", "x = x", min(n, 10_000))
	},
	"aggregated json": func(n int) string {
		return recursive("'[1]'::jsonb", "(SELECT jsonb_agg(y) FROM (SELECT x) s (y))", "x = x", min(n, 10_000))
	},
	"rows in arrays": func(n int) string { return recursive("ROW(1)", "ROW(ARRAY[NULL, x])", "x = x", min(n, 10_000)) },
	"rows to json":   func(n int) string { return recursive("'1'::jsonb", "to_jsonb(ROW(x))", "x = x", min(n, 10_000)) },
	"built rows":     func(n int) string { return recursive("ROW(1)", "ROW(x)", "count(*)", min(n, 10_000)) },
}

// recursive makes a value of itself n times.
func recursive(first, next, shown string, n int) string {
	return fmt.Sprintf("WITH RECURSIVE r (x, n) AS (SELECT %s, 0 UNION ALL SELECT %s, n + 1 FROM r WHERE n < %d) SELECT %s FROM r WHERE n = %d",
		first, next, n, shown, n)
}

func repeated(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i, i+1)
	}
	return out.String()
}

// TestNesting sends things that nest far deeper than a stack is. Each is answered or refused, and no stack
// grows to a quarter of what Go allows.
func TestNesting(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	s := openDB(t, inMemory)
	if *fuzzStatements <= fuzzBriefly {
		t.Skip("make sqlfuzz runs it")
	}
	for what, make := range nestings {
		t.Run(what, func(t *testing.T) {
			for _, n := range []int{300, 6000, 100_000} {
				c := s.connect(t)
				must(t, c, "SET statement_timeout = '5s'")
				sendNested(t, c, make(n), n)
				must(t, c, "SELECT 1")
			}
		})
	}
}

func sendNested(t *testing.T, c *pgx.Conn, sql string, n int) {
	t.Helper()
	_, err := c.PgConn().Exec(t.Context(), sql).ReadAll()
	var e *pgconn.PgError
	if err != nil && (!errors.As(err, &e) || e.Code == "XX000" || e.Severity == "FATAL") {
		t.Errorf("%d deep: %v", n, err)
	}
	if e != nil {
		t.Logf("%d deep: %s %.100s", n, e.Code, e.Message)
	}
}

// TestNestedViews makes views over views, up to as many as may be nested.
func TestNestedViews(t *testing.T) {
	if *fuzzStatements <= fuzzBriefly {
		t.Skip("make sqlfuzz runs it")
	}
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	c := openDB(t, inMemory).connect(t)
	must(t, c, "SET statement_timeout = '5s'", "CREATE TABLE v0 (a int)")
	for n := range 600 {
		sql := fmt.Sprintf("CREATE VIEW v%d AS SELECT %s AS a FROM v%d", n+1, nested("abs(", "a", ")", 3), n)
		if _, err := c.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
			sendNested(t, c, fmt.Sprintf("SELECT * FROM v%d", n), n)
			sendNested(t, c, fmt.Sprintf("EXPLAIN SELECT * FROM v%d", n), n)
			return
		}
	}
	t.Error("nothing bounds views over views")
}
