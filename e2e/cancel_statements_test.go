package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// sequence is n times a format, which may have the number.
func sequence(n int, format, separator string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(separator)
		}
		if strings.Contains(format, "%") {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

// largeStatements are statements of about a megabyte, or with as many parts as take the longest to plan.
func largeStatements() map[string]string {
	return map[string]string{

		"in ints":    "SELECT count(*) FROM t WHERE a IN (" + sequence(150000, "%d", ",") + ")",
		"in key":     "SELECT count(*) FROM t WHERE id IN (" + sequence(150000, "%d", ",") + ")",
		"in texts":   "SELECT count(*) FROM t WHERE b IN (" + sequence(100000, "'x%d'", ",") + ")",
		"not in":     "SELECT count(*) FROM t WHERE a NOT IN (" + sequence(150000, "%d", ",") + ")",
		"values":     "SELECT count(*) FROM (VALUES " + sequence(100000, "(%d, 1)", ",") + ") AS v (x, y)",
		"insert":     "INSERT INTO t (id, a) VALUES " + sequence(100000, "(%d, 1)", ",") + " ON CONFLICT DO NOTHING",
		"or":         "SELECT count(*) FROM t WHERE " + sequence(50000, "a = %d", " OR "),
		"or key":     "SELECT count(*) FROM t WHERE " + sequence(50000, "id = %d", " OR "),
		"and":        "SELECT count(*) FROM t WHERE " + sequence(50000, "a <> %d", " AND "),
		"or ranges":  "SELECT count(*) FROM t WHERE " + sequence(30000, "id > %[1]d AND id < %[1]d + 1", " OR "),
		"joins":      "SELECT count(*) FROM t t0 " + sequence(1000, "JOIN t x%[1]d ON x%[1]d.id = t0.id", " "),
		"cross":      "SELECT count(*) FROM " + sequence(2000, "t x%d", ", "),
		"union":      "SELECT count(*) FROM (" + sequence(5000, "SELECT %d", " UNION ALL ") + ") x",
		"comments":   "SELECT 1 /*" + strings.Repeat("x", 1<<20) + "*/",
		"comments2":  "SELECT 1 " + strings.Repeat("/* */ ", 1<<17),
		"comments3":  "SELECT 1 " + strings.Repeat("-- x\n", 1<<17),
		"nested":     "SELECT " + strings.Repeat("(", 900) + "1" + strings.Repeat(")", 900),
		"case":       "SELECT CASE " + sequence(30000, "WHEN a = %[1]d THEN %[1]d ", " ") + " END FROM t",
		"columns":    "SELECT " + sequence(100000, "%d", ",") + " FROM t",
		"plus":       "SELECT " + sequence(100000, "a", "+") + " FROM t",
		"concat":     "SELECT " + sequence(100000, "b", "||") + " FROM t",
		"array":      "SELECT cardinality(ARRAY[" + sequence(200000, "%d", ",") + "])",
		"literal":    "SELECT length('" + strings.Repeat("x", 1<<20) + "')",
		"statements": sequence(100000, "SELECT %d", ";"),
		"subqueries": "SELECT " + sequence(5000, "(SELECT %d)", ","),
		"exists":     "SELECT count(*) FROM t WHERE " + sequence(2000, "EXISTS (SELECT 1 FROM t x WHERE x.id = %d)", " AND "),
		"ctes":       "WITH " + sequence(3000, "c%[1]d AS (SELECT %[1]d AS x)", ", ") + " SELECT * FROM c0",
		"group":      "SELECT count(*) FROM t GROUP BY " + sequence(20000, "a + %d", ","),
		"order":      "SELECT 1 FROM t ORDER BY " + sequence(20000, "a + %d", ","),
		"bad":        "SELECT " + sequence(200000, "%d", ",") + " FROM FROM",
		"view":       "CREATE VIEW v AS SELECT count(*) FROM t WHERE " + sequence(30000, "a = %d", " OR "),
		"check":      "ALTER TABLE t ADD CHECK (" + sequence(30000, "a <> %d", " AND ") + ")",
		"like":       "SELECT count(*) FROM t WHERE " + sequence(20000, "b LIKE 'a%[1]d%%'", " OR "),
	}
}

// TestCancelLargeStatements ends large statements while they are read, planned and run, and reports those that go on
// for longer than 200 ms. It fails for what goes on ten times as long.
func TestCancelLargeStatements(t *testing.T) {
	if !*cancelFlag {
		t.Skip("only with -cancel")
	}
	s := openDB(t, inMemory)
	c, patient := s.connect(t), s.connect(t)
	ctx := context.Background()
	if _, err := c.Exec(ctx, "CREATE TABLE t (id int PRIMARY KEY, a int, b text)"); err != nil {
		t.Fatal(err)
	}
	for name, sql := range largeStatements() {
		for _, limit := range []time.Duration{100, 400, 1600} {
			limit *= time.Millisecond
			// What has been left of the last statement holds up every statement that comes next.
			if _, err := patient.Exec(ctx, "SELECT 1"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d", limit.Milliseconds())); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err := c.PgConn().Exec(ctx, sql).ReadAll()
			took := time.Since(began) - limit
			if c.IsClosed() {
				t.Fatalf("%s ended the connection: %v", name, err)
			}
			if err != nil && strings.Contains(err.Error(), "XX000") {
				t.Errorf("%s: %v", name, err)
			}
			if took > 200*time.Millisecond {
				t.Logf("%v late after %v: %s, %d bytes: %.100v", took.Round(time.Millisecond), limit, name, len(sql),
					err)
			}
			if took > 2*time.Second {
				t.Errorf("%s ended %v after its time", name, took)
			}
		}
	}
}
