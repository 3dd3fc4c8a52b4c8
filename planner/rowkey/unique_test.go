package rowkey_test

import (
	"testing"

	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
	"zproxy/types"
)

// TestUnique says of queries whether their columns hold a key of their rows, with and without rows that have a NULL.
func TestUnique(t *testing.T) {
	var s plantest.Schema
	for _, sql := range []string{
		"CREATE TABLE t (a int, b int, c int, d int NOT NULL, PRIMARY KEY (a, b))",
		"CREATE UNIQUE INDEX ON t (c)",
		"CREATE UNIQUE INDEX ON t (d)",
		"CREATE TABLE u (a int, b int)",
		"CREATE UNIQUE INDEX ON u (a) WHERE b > 3",
		"CREATE UNIQUE INDEX ON u (b) NULLS NOT DISTINCT",
		"CREATE INDEX ON u (a, b)",
	} {
		if err := s.Define(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, c := range []struct {
		sql         string
		held, nulls bool
	}{
		{"SELECT a, b FROM t", true, true},
		{"SELECT a FROM t", false, false},
		{"SELECT b, a AS x FROM t WHERE c > 3 ORDER BY c LIMIT 3", true, true},
		{"SELECT a, b + 1 FROM t", false, false},
		{"SELECT c FROM t", true, false},
		{"SELECT d FROM t", true, true},
		{"SELECT a FROM u", false, false},
		{"SELECT b FROM u", true, true},
		{"SELECT a FROM u WHERE b > 5", true, false},
		{"SELECT a FROM u WHERE b >= 3", false, false},
		{"SELECT a FROM u WHERE b > 5 OR a = 3", false, false},
		{"SELECT 1", true, true},
		{"VALUES (1), (2)", false, false},
		{"SELECT a FROM u GROUP BY a", true, true},
		{"SELECT count(*) FROM u", true, true},
		{"SELECT count(*) FROM u GROUP BY a", false, false},
		{"SELECT DISTINCT a FROM u", true, true},
		{"SELECT a FROM u UNION ALL SELECT a FROM u", false, false},
		{"SELECT t.d FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", true, true},
		{"SELECT t.d FROM t JOIN u ON u.a = t.a", false, false},
		{"SELECT t.d, u.b FROM t JOIN u ON u.a = t.a", true, true},
		{"SELECT t.c, u.b FROM t LEFT JOIN u ON u.a = t.a", true, false},
	} {
		n, err := s.Plan(c.sql)
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		filled, all := rowkey.Columns{}, rowkey.Columns{}
		for i := range plan.Width(n) {
			filled[i], all[i] = true, false
		}
		if held, nulls := rowkey.Unique(n, filled), rowkey.Unique(n, all); held != c.held || nulls != c.nulls {
			t.Errorf("%s: %t, with NULLs %t", c.sql, held, nulls)
		}
	}
}

// TestUniqueOfPartialIndex asks about scans that read the columns of a table in another order than it has them: what
// their conditions say is of the columns that they read.
func TestUniqueOfPartialIndex(t *testing.T) {
	var s plantest.Schema
	for _, sql := range []string{"CREATE TABLE u (a int, b int)", "CREATE UNIQUE INDEX ON u (a) WHERE b > 3"} {
		if err := s.Define(sql); err != nil {
			t.Fatal(err)
		}
	}
	n, err := s.Plan("SELECT b, a FROM u")
	if err != nil {
		t.Fatal(err)
	}
	scan := n.(plan.Project).Input.(plan.Scan)
	scan.Reads = []int{1, 0}
	more := func(column int, than int64) expr.Expr {
		left := expr.Column{Index: column, T: types.Int4}
		return expr.Compare{Op: expr.GT, Left: left, Right: expr.Const{Value: types.NewInt(than), T: types.Int4}}
	}
	for _, c := range []struct {
		cond expr.Expr
		want bool
	}{{more(0, 5), true}, {more(0, 2), false}, {more(1, 5), false}} {
		if got := rowkey.Unique(plan.Filter{Input: scan, Cond: c.cond}, rowkey.Columns{1: true}); got != c.want {
			t.Errorf("with %v: %t", c.cond, got)
		}
	}
}
