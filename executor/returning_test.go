package executor

import (
	"context"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// returning runs a plan that writes and shows how many rows it wrote and what came back.
func (w *world) returning(n plan.Node) string {
	made, back, err := Write(context.Background(), n, w.env)
	if err != nil {
		return shown(err)
	}
	return strings.TrimSpace(strings.Join([]string{valueText(types.NewInt(made)), show(back)}, " "))
}

// pairs is a table of two columns with a unique one and two rows.
func pairs(t *testing.T) *world {
	w := newWorld(t, tableOf("id int8, a int8, b int8", 1))
	index(w.table, true, "a")
	w = newWorld(t, w.table)
	if got := w.insert(plan.Insert{}, row(1, 10, 0), row(2, 20, 0)); got != "2" {
		t.Fatal(got)
	}
	w.commit()
	return w
}

// TestReturning writes and shows what comes back.
func TestReturning(t *testing.T) {
	two := []expr.Expr{column(0), column(1)}
	from := func(w *world) plan.Node { // every row twice, with a fourth column
		return plan.Join{Left: w.wholeScan(), Right: listOf(1, row(5), row(6))}
	}
	for _, c := range []struct {
		name string
		n    func(w *world) plan.Node
		want string
		all  string
	}{
		{"insert", func(w *world) plan.Node {
			return plan.Insert{Table: w.table, Input: valuesOf(w.table, [][]types.Value{row(3, 30, 0)}), Returning: two}
		}, "1 (3,30)", "(1,10,0) (2,20,0) (3,30,0)"},
		{"insert what is there", func(w *world) plan.Node {
			return plan.Insert{Table: w.table, Input: valuesOf(w.table, [][]types.Value{row(3, 10, 0), row(4, 40, 0)}),
				Conflict: plan.ConflictNothing, Returning: two}
		}, "1 (4,40)", "(1,10,0) (2,20,0) (4,40,0)"},
		{"update", func(w *world) plan.Node {
			return plan.Update{Table: w.table, Input: from(w), Set: []plan.Assignment{{Column: 2, Value: column(3)}},
				Returning: []expr.Expr{column(0), column(2), column(3)}}
		}, "2 (1,5,5) (2,5,5)", "(1,10,5) (2,20,5)"},
		{"delete", func(w *world) plan.Node {
			return plan.Delete{Table: w.table, Input: from(w), Returning: []expr.Expr{column(0), column(3)}}
		}, "2 (1,5) (2,5)", ""},
		{"check of an insert", func(w *world) plan.Node {
			n := plan.Insert{Table: w.table, Input: valuesOf(w.table, [][]types.Value{row(3, nil, -1)})}
			n.Checks = positive()
			return n
		}, `23514 new row for relation "t" violates check constraint "c" Failing row contains (3, null, -1).`, "(1,10,0) (2,20,0)"},
		{"check of NULL", func(w *world) plan.Node {
			n := plan.Insert{Table: w.table, Input: valuesOf(w.table, [][]types.Value{row(3, nil, nil)})}
			n.Checks = positive()
			return n
		}, "1", "(1,10,0) (2,20,0) (3,null,null)"},
		{"check of an update", func(w *world) plan.Node {
			n := plan.Update{Table: w.table, Input: w.wholeScan(),
				Set: []plan.Assignment{{Column: 2, Value: constant(-2)}}}
			n.Checks = positive()
			return n
		}, `23514 new row for relation "t" violates check constraint "c" Failing row contains (1, 10, -2).`, "(1,10,0) (2,20,0)"},
	} {
		w := pairs(t)
		if got := w.returning(c.n(w)); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if strings.Contains(c.want, "violates") {
			continue
		}
		w.commit()
		if got := w.all(); got != c.all {
			t.Errorf("%s leaves %s, not %s", c.name, got, c.all)
		}
	}
}

func positive() []plan.Check {
	return []plan.Check{{Name: "c", Cond: compare(expr.GE, column(2), constant(0))}}
}

// TestUpsert inserts rows whose keys are there.
func TestUpsert(t *testing.T) {
	twice := "21000 ON CONFLICT DO UPDATE command cannot affect row a second time"
	for _, c := range []struct {
		name  string
		index bool // the conflict is about the unique column
		where expr.Expr
		rows  [][]types.Value
		want  string
		all   string
	}{
		{"by primary key", false, nil, [][]types.Value{row(1, 11, 7), row(3, 30, 8)}, "2 (1,10,7) (3,30,8)", "(1,10,7) (2,20,0) (3,30,8)"},
		{"by index", true, nil, [][]types.Value{row(9, 20, 7), row(3, nil, 8), row(4, nil, 9)}, "3 (2,20,7) (3,null,8) (4,null,9)", "(1,10,0) (2,20,7) (3,null,8) (4,null,9)"},
		{"where not", false, compare(expr.GT, column(5), constant(7)), [][]types.Value{row(1, 11, 7), row(2, 0, 8)}, "1 (2,20,8)", "(1,10,0) (2,20,8)"},
		{"a new row twice", false, nil, [][]types.Value{row(5, 11, 7), row(5, 12, 7)}, twice, ""},
		{"an old row twice", false, nil, [][]types.Value{row(1, 11, 7), row(1, 12, 7)}, twice, ""},
		{"another key", false, nil, [][]types.Value{row(5, 10, 7)}, `23505 duplicate key value violates unique constraint "t_a_idx" Key (a)=(10) already exists.`, ""},
	} {
		w := pairs(t)
		n := plan.Insert{
			Table: w.table, Input: valuesOf(w.table, c.rows), Conflict: plan.ConflictUpdate, Primary: !c.index,
			SetWhere:  c.where,
			Set:       []plan.Assignment{{Column: 2, Value: column(5)}},
			Returning: []expr.Expr{column(0), column(1), column(2)},
		}
		if c.index {
			n.Arbiter = &w.table.Indexes[0]
		}
		if got := w.returning(n); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if c.all == "" {
			continue
		}
		w.commit()
		if got := w.all(); got != c.all {
			t.Errorf("%s leaves %s, not %s", c.name, got, c.all)
		}
		w.indexesAgree()
	}
}

// TestUpsertChunks proposes more rows than are written at once.
func TestUpsertChunks(t *testing.T) {
	for _, again := range []bool{false, true} {
		w := pairs(t)
		var rows [][]types.Value
		for i := range writeChunk + 10 {
			rows = append(rows, row(i, 1000+i, 1))
		}
		want := "4106"
		if again {
			rows[len(rows)-1] = row(7, 9, 1)
			want = "21000 ON CONFLICT DO UPDATE command cannot affect row a second time"
		}
		n := plan.Insert{Table: w.table, Input: valuesOf(w.table, rows), Conflict: plan.ConflictUpdate, Primary: true,
			Set: []plan.Assignment{{Column: 2, Value: column(5)}}}
		if got := w.returning(n); got != want {
			t.Errorf("%s, not %s", got, want)
		}
		if again {
			continue
		}
		w.commit()
		below := whole(plan.Entries{Filter: []expr.Expr{compare(expr.LT, column(0), constant(4))}})
		if got := w.rows(scanOf(w.table, below)); got != "(0,1000,1) (1,10,1) (2,20,1) (3,1003,1)" {
			t.Error(got)
		}
		w.indexesAgree()
	}
}
