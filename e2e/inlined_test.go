package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// inlinedBodies are expressions that functions of an int a, a text b and an int c select.
var inlinedBodies = []string{
	"$1", "a + c", "a + a", "coalesce(a, c)", "CASE WHEN a > c THEN a ELSE length(b) END", "length(b || a)", "-a", "a * c - 1",
	"nullif(a, c)", "greatest(a, c, 3)", "1", "NULL::int", "c / a", "a % 3", "(SELECT max(k) FROM t)", "count(*)::int",
	"CASE b WHEN 'x' THEN 1 ELSE c END", "(b IS NULL)::int", "(a = ANY (ARRAY[c, 2]))::int", "least($3, $1)", "position('x' IN b)",
	"(SELECT 1 WHERE a > 2)", "random()::int * 0 + a", "abs(a)::bigint::int",
}

// inlinedArgs are arguments for them, by the columns of the table t.
var inlinedArgs = [3][]string{
	{"k", "x", "y + 1", "NULL", "4", "(SELECT max(k) FROM t)", "random()::int * 0 + k", "x + y + x + y + x + y + k + k + x + y + x", "0"},
	{"z", "'x'", "NULL", "z || 'x'", "coalesce(z, 'n')"},
	{"x", "2", "k % 4", "NULL", "length(z)"},
}

// inlinedQueries ask for what the function %s, with its arguments, gives.
var inlinedQueries = []string{
	"SELECT k, %s FROM t ORDER BY k", "SELECT k FROM t WHERE %s > 2 ORDER BY k", "SELECT k FROM t WHERE %s = 3 ORDER BY k",
	"SELECT count(*) FROM t GROUP BY %s ORDER BY 1", "SELECT sum(%s), max(%[1]s) FROM t",
	"SELECT k FROM t WHERE k = %s OR x IS NULL ORDER BY k", "SELECT k FROM t ORDER BY %s, k",
	"SELECT t.k, u.k FROM t JOIN (SELECT k, %s AS v FROM t) u ON u.v = t.k ORDER BY 1, 2",
	"SELECT k, (SELECT count(*) FROM t u WHERE u.k < %s) FROM t ORDER BY k",
	"SELECT k FROM t WHERE %s IN (SELECT k FROM t u) ORDER BY k",
}

// inlinedSets are the bodies of functions of the same parameters that return pairs of numbers.
var inlinedSets = []string{
	"SELECT k, x FROM t WHERE k > a", "SELECT k, y FROM t WHERE x = c OR z = b", "VALUES (a, c), (c, a)", "SELECT 1, 2",
	"SELECT x, count(*)::int FROM t WHERE k <> a GROUP BY x", "SELECT k, x FROM t WHERE z = b ORDER BY k LIMIT 3",
	"SELECT k, a FROM t UNION SELECT c, a", "WITH w AS (SELECT k, x FROM t WHERE k < c) SELECT k, x FROM w",
	"SELECT t.k, u.k FROM t JOIN t u ON u.x = t.k AND u.k > a", "SELECT k, (SELECT max(u.k) FROM t u WHERE u.k < t.k + a) FROM t",
	"SELECT a, (SELECT max(a + c))", "SELECT k, x FROM t WHERE EXISTS (SELECT FROM t u WHERE u.x = t.k AND u.k > a)",
}

var inlinedSetQueries = []string{
	"SELECT * FROM %s ORDER BY 1, 2", "SELECT count(*), sum(p) FROM %s WHERE p > 2",
	"SELECT t.k, f.p, f.q FROM t, %s f ORDER BY 1, 2, 3", "SELECT t.k, f.p FROM t LEFT JOIN LATERAL %s f ON f.p = t.x ORDER BY 1, 2",
	"SELECT k, (SELECT count(*) FROM %s f WHERE f.q > t.x) FROM t ORDER BY k", "SELECT f.p FROM %s f WHERE f.p IN (SELECT k FROM t) ORDER BY 1",
	"SELECT f FROM %s f ORDER BY f.p, f.q",
}

// TestInlinedFunctions makes functions in SQL in pairs, of which one runs with the rights of its owner and so cannot be
// put in place of its calls, and wants the same rows and errors of both.
func TestInlinedFunctions(t *testing.T) {
	for _, seed := range seeds(t, 3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d, c := newDice(seed), openDB(t, inMemory).connect(t).PgConn()
			ask := func(sql string) string {
				r, err := c.Exec(t.Context(), sql).ReadAll()
				if err != nil {
					var e *pgconn.PgError
					if !errors.As(err, &e) {
						t.Fatalf("seed %d: %s: %v", seed, sql, err)
					}
					return e.Code + " " + e.Message
				}
				return fmt.Sprintf("%s", r[len(r)-1].Rows)
			}
			ask(`CREATE TABLE t (k int PRIMARY KEY, x int, y int, z text);
				INSERT INTO t SELECT i, i % 5, nullif(i % 3, 1), repeat('x', nullif(i % 4, 3)) FROM generate_series(1, 12) i;
				CREATE INDEX ON t (x)`)
			answered := 0
			for n := range 60 {
				set := d.chance(3)
				result, body, queries := "int", "SELECT "+pick(d, inlinedBodies), inlinedQueries
				if set {
					result, body, queries = "TABLE (p int, q int)", pick(d, inlinedSets), inlinedSetQueries
				}
				traits := pick(d, []string{"IMMUTABLE", "STABLE", "VOLATILE"})
				if d.chance(4) {
					traits += " STRICT"
				}
				for name, kept := range map[string]string{"f": "", "g": " SECURITY DEFINER"} {
					ask(fmt.Sprintf("CREATE FUNCTION %s%d(a int, b text, c int) RETURNS %s LANGUAGE sql %s%s AS $$%s$$",
						name, n, result, traits, kept, body))
				}
				for range 6 {
					args := []string{pick(d, inlinedArgs[0]), pick(d, inlinedArgs[1]), pick(d, inlinedArgs[2])}
					if set {
						args = []string{fmt.Sprint(d.IntN(5)), "'x'", "3"}
					}
					query := pick(d, queries)
					if strings.Contains(query, "t, %s") || strings.Contains(query, "LATERAL") ||
						strings.Contains(query, "(SELECT count(*) FROM %s") {
						args = []string{"t.k", "t.z", "t.x"}
					}
					of := func(name string) string {
						return fmt.Sprintf(query, fmt.Sprintf("%s%d(%s)", name, n, strings.Join(args, ", ")))
					}
					inlined, called := ask(of("f")), ask(of("g"))
					if inlined != called && !slices.Contains([]string{inlined[:5], called[:5]}, "22012") {
						t.Errorf("seed %d: %s %s\n%s\ngives %s, called %s",
							seed, traits, body, of("f"), inlined, called)
					}
					if called[0] == '[' {
						answered++
					}
				}
			}
			if answered < 200 {
				t.Errorf("seed %d: only %d queries were answered", seed, answered)
			}
		})
	}
}
