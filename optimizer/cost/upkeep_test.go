package cost_test

import (
	"fmt"
	"math"
	"testing"

	"zproxy/internal/plantest"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/store"
)

// TestUpkeep is what an index costs by the class of its table: writes of an INSERT, of an UPDATE of its key and
// of a DELETE, and their units where the store is charged by them; -1 for what the table does not allow.
func TestUpkeep(t *testing.T) {
	const table = "CREATE TABLE t (k int PRIMARY KEY, a int, b int, c varchar(3000)) WITH (MUTABILITY = '%s'); "
	const index = "CREATE INDEX i ON t (a)"
	for _, c := range []struct {
		class, ddl string
		want       string
	}{
		{"MUTABLE_LATEST", index, "1 2 1, 2 4 2"},
		{"MUTABLE_ALL", index, "1 2 1, 2 4 2"},
		{"MUTABLE_UDT", index, "1 2 1, 2 4 2"},
		{"IMMUTABLE_ROWS", index, "1 -1 1, 1 -1 1"},
		{"IMMUTABLE", index, "1 -1 -1, 1 -1 -1"},
		{"IMMUTABLE", index + "; CREATE UNIQUE INDEX u ON t (b)", "1 -1 -1, 2 -1 -1"},
		{"MUTABLE_LATEST", "CREATE INDEX i ON t (a) INCLUDE (b)", "1 2 1, 2 4 2"},
		{"MUTABLE_LATEST", "CREATE INDEX i ON t USING zorder (a, b)", "1 2 1, 2 4 2"},
		{"MUTABLE_LATEST", "CREATE INDEX i ON t (k)", "1 -1 1, 2 -1 2"},
		{"MUTABLE_LATEST", "CREATE UNIQUE INDEX i ON t (a)", "1 2 1, 2 4 2"},
	} {
		var s plantest.Schema
		if err := s.Define(fmt.Sprintf(table, c.class) + c.ddl); err != nil {
			t.Fatal(err)
		}
		of := s.Catalog.Table("public", "t")
		u := cost.UpkeepOf(of, of.Index("i"), store.Capabilities{Units: true, Loose: true})
		items, units := "", ""
		for _, w := range []cost.Writes{u.Insert, u.Update, u.Delete} {
			if w.Never {
				w = cost.Writes{Items: -1, Units: -1}
			}
			items, units = items+fmt.Sprintf(" %d", w.Items), units+fmt.Sprintf(" %.0f", w.Units)
		}
		if got := items[1:] + "," + units; got != c.want {
			t.Errorf("%s, %s: %s; want %s", c.class, c.ddl, got, c.want)
		}
	}
}

// TestUpkeepIsCharged wants the rows and all indexes together to cost what EXPLAIN says of a statement.
func TestUpkeepIsCharged(t *testing.T) {
	for _, class := range []string{"MUTABLE_LATEST", "MUTABLE_UDT", "IMMUTABLE_ROWS"} {
		for _, indexes := range []string{"", "CREATE INDEX i ON t (a)", "CREATE INDEX i ON t (a); CREATE INDEX j ON t (c) INCLUDE (b)",
			"CREATE INDEX i ON t (a); CREATE UNIQUE INDEX j ON t (b)"} {
			var s plantest.Schema
			ddl := "CREATE TABLE t (k int PRIMARY KEY, a int, b int, c text) WITH (MUTABILITY = '" + class + "'); "
			if err := s.Define(ddl + indexes); err != nil {
				t.Fatal(err)
			}
			of := s.Catalog.Table("public", "t")
			on := store.Capabilities{Units: true, Loose: true}
			u := cost.UpkeepOf(of, nil, on)
			insert, remove := u.Insert.Units, u.Delete.Units
			for i := range of.Indexes {
				u := cost.UpkeepOf(of, &of.Indexes[i], on)
				insert, remove = insert+u.Insert.Units, remove+u.Delete.Units
			}
			charged := func(n plan.Node) float64 {
				return cost.ChargeOf(cost.WorkOf(n, false, on.Loose)[0], of, 1, on).WriteUnits
			}
			if got := charged(plan.Insert{Table: of}); math.Abs(got-insert) > 1e-9 {
				t.Errorf("%s, %s: an INSERT is charged %v, its parts %v", class, indexes, got, insert)
			}
			if got := charged(plan.Delete{Table: of}); math.Abs(got-remove) > 1e-9 {
				t.Errorf("%s, %s: a DELETE is charged %v, its parts %v", class, indexes, got, remove)
			}
		}
	}
}
