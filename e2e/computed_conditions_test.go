package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// computedConditions are conditions of all forms that a derived table has as a column.
var computedConditions = []string{
	"a = 1 AND b", "a = 1 OR a = 2", "(a = 1 AND b) OR (a = 1 AND c = 2)", "NOT (a = 1 OR b)", "NOT (a = 1 AND b)",
	"a BETWEEN 1 AND 3", "a IN (1, 2) AND c IN (3, 4)", "CASE WHEN b THEN a = 1 ELSE c = 2 END",
	"CASE WHEN a = 1 THEN true END", "coalesce(b, false)", "b IS TRUE", "b IS NOT FALSE", "(a = 1) = (c = 1)",
	"(a, c) = (1, 2)", "(a, c) < (1, 2)", "(a, c) IN ((1, 2), (3, 4))", "a = ANY ('{1,2}')", "a = ALL ('{1,2}')",
	"a = c", "a = c AND c = 3", "b AND true", "b OR false", "a + 1 = 2", "1 = a", "true", "false", "NULL::bool",
	"1 = 1 AND b", "b AND b", "NOT b", "b = true", "b = false AND a = 1", "a::text LIKE '1%'", "random() < 2 AND b",
	"nullif(b, true)", "a IS NULL AND c IS NOT NULL", "(a IS NULL) = b", "a IN (SELECT id FROM other)",
	"a NOT IN (SELECT id FROM other) AND b", "a = (SELECT max(id) FROM other)",
	"EXISTS (SELECT FROM other WHERE other.id = q.a)",
	"b AND NOT EXISTS (SELECT FROM other WHERE other.id = q.a OR q.b)", "row_number() OVER (ORDER BY id) > 1 AND b",
	"count(*) OVER (PARTITION BY a) = 1 AND b",
}

// TestComputedConditions compares joins on conditions that are columns, and filters on either side of them, with
// PostgreSQL: what holds of one side by the other is pushed down in the form that the column has there, once.
func TestComputedConditions(t *testing.T) {
	here, there := openDB(t, inMemory).connect(t), connectPostgres(t)
	ask := func(sql string) (ours, theirs string) {
		t.Helper()
		rows, err := there.Exec(t.Context(), sql).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		got, err := here.PgConn().Exec(t.Context(), sql).ReadAll()
		if err != nil {
			return err.Error(), ""
		}
		return fmt.Sprintf("%s", got[0].Rows), fmt.Sprintf("%s", rows[0].Rows)
	}
	for _, sql := range []string{
		"CREATE TABLE made (id int PRIMARY KEY, a int, b bool, c int)", "CREATE TABLE other (id int PRIMARY KEY)",
		"CREATE TABLE flags (id int PRIMARY KEY, u bool, v int)",
		"INSERT INTO made SELECT n, nullif(n % 6, 5), n % 3 < 2 AND nullif(n % 7 < 5, n % 7 = 2), n % 4 FROM generate_series(1, 40) n",
		"INSERT INTO other VALUES (1), (3)",
		"INSERT INTO flags VALUES (1, true, 1), (2, true, 2), (3, false, 1), (4, NULL, 2)",
	} {
		ask(sql)
	}
	asked := 0
	for _, cond := range computedConditions {
		for _, join := range []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"} {
			for _, where := range []string{"u.u", "r.x", "u.u AND r.x", "NOT u.u"} {
				from := fmt.Sprintf("(SELECT (%s) AS x, q.a FROM made q) AS r %s flags u ON r.x = u.u", cond, join)
				groups := strings.Replace(from, " FROM made q", " FROM made q GROUP BY 1, 2", 1)
				queries := []string{from, from + " JOIN flags v ON v.u = u.u AND v.v = r.a"}
				if !strings.Contains(cond, "OVER") {
					queries = append(queries, groups)
				}
				for _, from := range queries {
					sql := fmt.Sprintf("SELECT count(*), sum(r.a), sum(u.v) FROM %s WHERE %s", from, where)
					asked++
					if ours, theirs := ask(sql); ours != theirs {
						t.Errorf("%s\nis %s, in PostgreSQL %s", sql, ours, theirs)
					}
				}
			}
		}
	}
	t.Logf("%d queries", asked)
}
