package cost_test

import (
	"fmt"
	"testing"

	"zproxy/catalog"
	"zproxy/internal/plantest"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// planned is the plan of a statement on a table t as DDL makes it, with its index i in a state.
func planned(t *testing.T, ddl, statement string, state catalog.State) plan.Node {
	t.Helper()
	var s plantest.Schema
	if err := s.Define(ddl); err != nil {
		t.Fatal(err)
	}
	table := s.Catalog.Table("public", "t")
	if x := table.Index("i"); x != nil {
		s.Catalog = s.Catalog.With(table.WithState(x.ID, state))
	}
	n, err := s.Plan(statement)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCostTable is Lindorm's table of what a write costs, lindorm-23 to lindorm-26: the number of steps
// without an index, and with one by the class of the table. What a class can do costs least where
// the commit finds that a key is taken.
func TestCostTable(t *testing.T) {
	const with, plain = "CREATE TABLE t (k int PRIMARY KEY, v int) WITH (MUTABILITY = '%s'); CREATE INDEX i ON t (v)",
		"CREATE TABLE t (k int PRIMARY KEY, v int) WITH (MUTABILITY = 'IMMUTABLE')"
	for _, c := range []struct {
		class, statement string
		want             int
	}{
		{"", "INSERT INTO t VALUES (1, 1)", 1},
		{"IMMUTABLE", "INSERT INTO t VALUES (1, 1)", 2},
		{"IMMUTABLE_ROWS", "INSERT INTO t VALUES (1, 1)", 2},
		{"IMMUTABLE_ROWS", "DELETE FROM t WHERE k = 1", 3},
		{"MUTABLE_LATEST", "UPDATE t SET v = 2 WHERE k = 1", 4},
	} {
		ddl := plain
		if c.class != "" {
			ddl = fmt.Sprintf(with, c.class)
		}
		if w := cost.WorkOf(planned(t, ddl, c.statement, catalog.Readable), true, true)[0]; w.Count() != c.want {
			t.Errorf("%s, %s: %s; want %d", c.class, c.statement, w, c.want)
		}
	}
}

// TestWorkOf counts the steps for each kind of statement, index and state.
func TestWorkOf(t *testing.T) {
	const table = "CREATE TABLE t (k int PRIMARY KEY, a int, b int, c int NOT NULL); "
	for _, c := range []struct {
		ddl, statement string
		state          catalog.State
		want           string
	}{
		{"CREATE INDEX i ON t (a)", "UPDATE t SET b = 1", "", "2 steps per row: read t, put into t"},
		{"CREATE INDEX i ON t (a) INCLUDE (b)", "UPDATE t SET b = 1", "", "3 steps per row: read t, put into i, put into t"},
		{"CREATE INDEX i ON t (a) WITH (INDEX_COVERED_TYPE = 'COVERED_ALL_COLUMNS_IN_SCHEMA')", "UPDATE t SET b = 1", "", "3 steps per row: read t, put into i, put into t"},
		{"CREATE INDEX i ON t (a) WHERE b > 1", "UPDATE t SET b = 1", "", "up to 4 steps per row: read t, delete from i, put into i, put into t"},
		{"CREATE INDEX i ON t (a) WHERE b > 1", "INSERT INTO t VALUES (1, 1, 1, 1)", "", "up to 3 steps per row: look for the key in t, put into i, put into t"},
		{"CREATE INDEX i ON t USING zorder (a, b)", "UPDATE t SET b = 1", "", "4 steps per row: read t, delete from i, put into i, put into t"},
		{"CREATE INDEX i ON t (a) WITH (shards = 4)", "UPDATE t SET a = 1", "", "4 steps per row: read t, delete from i, put into i, put into t"},
		{"CREATE UNIQUE INDEX i ON t (a)", "UPDATE t SET a = 1", "", "5 steps per row: read t, look for the key in i, delete from i, put into i, put into t"},
		{"CREATE UNIQUE INDEX i ON t (c)", "UPDATE t SET k = 1", "", "5 steps per row: read t, look for the key in t, delete from t, put into i, put into t"},
		{"CREATE UNIQUE INDEX i ON t (a)", "UPDATE t SET b = 1", catalog.WriteOnly, "3 steps per row: read t, look for the key in i, put into t"},
		{"CREATE UNIQUE INDEX i ON t (a)", "DELETE FROM t", catalog.Validate, "4 steps per row: read t, look for the key in i, delete from i, delete from t"},
		{"CREATE INDEX i ON t (a)", "UPDATE t SET a = 1", catalog.WriteOnly, "4 steps per row: read t, delete from i, put into i, put into t"},
		{"CREATE INDEX i ON t (a)", "UPDATE t SET b = 1", catalog.DeleteOnly, "3 steps per row: read t, delete from i, put into t"},
		{"CREATE INDEX i ON t (a)", "INSERT INTO t VALUES (1, 1, 1, 1)", catalog.DeleteOnly, "2 steps per row: look for the key in t, put into t"},
		{"CREATE INDEX i ON t (a)", "DELETE FROM t", catalog.DeleteOnly, "3 steps per row: read t, delete from i, delete from t"},
		{"CREATE INDEX i ON t (a)", "DELETE FROM t", catalog.Disabled, "2 steps per row: read t, delete from t"},
		{"CREATE INDEX i ON t (a)", "UPDATE t SET a = 1", catalog.Disabled, "2 steps per row: read t, put into t"},
		{"CREATE INDEX i ON t (a)", "REPLACE INTO t VALUES (1, 1, 1, 1)", "", "3 steps per new row: look for the key in t, put into i, put into t; 4 steps per row that is there: read t, delete from i, put into i, put into t"},
		{"CREATE UNIQUE INDEX i ON t (a)", "INSERT INTO t VALUES (1, 1, 1, 1) ON CONFLICT (a) DO UPDATE SET b = 1", "", "4 steps per new row: look for the key in t, look for the key in i, put into i, put into t; 3 steps per row that is there: find in i, read t, put into t"},
	} {
		got := ""
		for _, w := range cost.WorkOf(planned(t, table+c.ddl, c.statement, c.state), false, false) {
			if got != "" {
				got += "; "
			}
			got += w.String()
		}
		if got != c.want {
			t.Errorf("%s; %s (%s): %s\nwant %s", c.ddl, c.statement, c.state, got, c.want)
		}
	}
}

// TestWorkSeparate wants the entries of rows that are written once to be put before the rows, and taken
// away behind them, where the store makes that cheaper and no other index is unique.
func TestWorkSeparate(t *testing.T) {
	const table = "CREATE TABLE t (k int PRIMARY KEY, a int, b int) WITH (MUTABILITY = '%s'); CREATE INDEX i ON t (a); "
	for _, c := range []struct {
		class, ddl, statement string
		want                  string
		separate              int
	}{
		{"IMMUTABLE", "", "INSERT INTO t VALUES (1, 1, 1)", "2 steps per row: put into i, put into t", 1},
		{"IMMUTABLE", "CREATE INDEX j ON t (b)", "INSERT INTO t VALUES (1, 1, 1)", "3 steps per row: put into i, put into j, put into t", 2},
		{"IMMUTABLE", "CREATE UNIQUE INDEX j ON t (b)", "INSERT INTO t VALUES (1, 1, 1)", "3 steps per row: put into i, put into j, put into t", 0},
		{"IMMUTABLE_ROWS", "", "DELETE FROM t", "3 steps per row: read t, delete from t, delete from i", 1},
		{"MUTABLE_LATEST", "", "DELETE FROM t", "3 steps per row: read t, delete from i, delete from t", 0},
	} {
		w := cost.WorkOf(planned(t, fmt.Sprintf(table, c.class)+c.ddl, c.statement, catalog.Readable), true, true)[0]
		separate := 0
		for _, s := range w.Steps {
			if s.Separate {
				separate++
			}
		}
		if w.String() != c.want || separate != c.separate {
			t.Errorf("%s, %s, %s: %s, %d separate; want %s, %d",
				c.class, c.ddl, c.statement, w, separate, c.want, c.separate)
		}
	}
}
