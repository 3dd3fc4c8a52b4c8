package executor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// indexesAgree checks every index of the table.
func (w *world) indexesAgree() {
	w.t.Helper()
	for i := range w.table.Indexes {
		w.check(CheckIndex(context.Background(), w.env.Txn, w.env.Tables, plan.Indexed{Table: w.table},
			&w.table.Indexes[i]))
	}
}

func (w *world) all() string { return w.rows(scanOf(w.table, plan.Access{Path: plan.Whole{}})) }

// wholeScan reads the rows that a statement writes.
func (w *world) wholeScan(filter ...expr.Expr) plan.Scan {
	s := scanOf(w.table, whole(plan.Entries{Filter: filter}))
	s.Write = true
	return s
}

func TestInsert(t *testing.T) {
	table := tableOf("id int4, A int4, b text not null", 1)
	a := index(table, true, "A")
	index(table, false, "b", "+A")
	for _, c := range []struct {
		name string
		node plan.Insert
		rows [][]types.Value
		want string
		all  string
	}{
		{"rows", plan.Insert{}, [][]types.Value{row(3, 30, "z"), row(2, nil, "y"), row(4, nil, "y")}, "3", "(1,10,x) (2,null,y) (3,30,z) (4,null,y)"},
		{"no rows", plan.Insert{}, nil, "0", ""},
		{"NULL", plan.Insert{}, [][]types.Value{row(2, 20)}, `23502 null value in column "b" of relation "t" violates not-null constraint Failing row contains (2, 20, null).`, ""},
		{"NULL beside a long text", plan.Insert{}, [][]types.Value{row(nil, 20, strings.Repeat("é", 40))},
			`23502 null value in column "id" of relation "t" violates not-null constraint Failing row contains (null, 20, ` + strings.Repeat("é", 32) + `...).`, ""},
		{"primary key", plan.Insert{}, [][]types.Value{row(1, 11, "y")}, `23505 duplicate key value violates unique constraint "t_pkey" Key (id)=(1) already exists.`, ""},
		{"primary key within the statement", plan.Insert{}, [][]types.Value{row(2, 11, "y"), row(2, 12, "y")}, `23505 duplicate key value violates unique constraint "t_pkey" Key (id)=(2) already exists.`, ""},
		{"unique index", plan.Insert{}, [][]types.Value{row(2, 10, "y")}, `23505 duplicate key value violates unique constraint "t_A_idx" Key ("A")=(10) already exists.`, ""},
		{"unique index within the statement", plan.Insert{}, [][]types.Value{row(2, 20, "y"), row(3, 20, "y")}, `23505 duplicate key value violates unique constraint "t_A_idx" Key ("A")=(20) already exists.`, ""},
		{"any conflict drops", plan.Insert{Conflict: plan.ConflictNothing}, [][]types.Value{row(1, 5, "y"), row(2, 10, "y"), row(3, 30, "y"), row(4, 30, "y")}, "1", "(1,10,x) (3,30,y)"},
		{"what is dropped takes no key", plan.Insert{Conflict: plan.ConflictNothing}, [][]types.Value{row(2, 10, "y"), row(2, 20, "z")}, "1", "(1,10,x) (2,20,z)"},
		{"a conflict on the primary key drops", plan.Insert{Conflict: plan.ConflictNothing, Primary: true}, [][]types.Value{row(1, 10, "y"), row(3, 30, "y")}, "1", "(1,10,x) (3,30,y)"},
		{"a conflict on another key does not", plan.Insert{Conflict: plan.ConflictNothing, Primary: true}, [][]types.Value{row(2, 10, "y")}, `23505 duplicate key value violates unique constraint "t_A_idx" Key ("A")=(10) already exists.`, ""},
		{"a conflict on the arbiter drops", plan.Insert{Conflict: plan.ConflictNothing, Arbiter: a}, [][]types.Value{row(1, 10, "y"), row(2, 10, "y")}, "0", "(1,10,x)"},
		{"replace", plan.Insert{Overwrite: true}, [][]types.Value{row(1, 10, "y"), row(2, 20, "y"), row(2, 21, "z")}, "3", "(1,10,y) (2,21,z)"},
		{"replace against a unique index", plan.Insert{Overwrite: true}, [][]types.Value{row(2, 10, "y")}, `23505 duplicate key value violates unique constraint "t_A_idx" Key ("A")=(10) already exists.`, ""},
		{"replace exchanges", plan.Insert{Overwrite: true}, [][]types.Value{row(2, 10, "y"), row(1, 11, "y")}, "2", "(1,11,y) (2,10,y)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, table)
			w.insert(plan.Insert{}, row(1, 10, "x"))
			w.commit()
			if got := w.insert(c.node, c.rows...); got != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			if c.all == "" {
				return
			}
			w.commit()
			w.indexesAgree()
			if got := w.all(); got != c.all {
				t.Errorf("got %s, want %s", got, c.all)
			}
		})
	}
}

func TestRowIDs(t *testing.T) {
	table := keyless("a int4")
	index(table, false, "a")
	w := newWorld(t, table)
	if got := w.insert(plan.Insert{}, row(5), row(5)); got != "2" {
		t.Fatal(got)
	}
	w.insert(plan.Insert{Overwrite: true}, row(6), row(6))
	w.indexesAgree()
	n := scanOf(table, plan.Access{Path: plan.Whole{}})
	n.Reads = []int{0}
	if got, want := w.rows(n), "(5) (5) (6) (6)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	last := int64(0)
	for range 1000 {
		id := w.env.Tables.nextRowID()
		if id <= last {
			t.Fatalf("%d after %d", id, last)
		}
		last = id
	}
}

func TestUpdate(t *testing.T) {
	table := tableOf("id int4, a int4, b text not null", 1)
	index(table, true, "a")
	index(table, false, "b", "+a")
	add := func(at, n int) plan.Assignment {
		return plan.Assignment{Column: at,
			Value: expr.Call{Fn: &expr.Function{Fn2: sum}, Args: []expr.Expr{column(at), constant(n)}, T: types.Int4}}
	}
	to := func(at int, v any) plan.Assignment { return plan.Assignment{Column: at, Value: constant(v)} }
	first := compare(expr.EQ, column(0), constant(1))
	for _, c := range []struct {
		name  string
		set   []plan.Assignment
		where []expr.Expr
		want  string
		all   string
	}{
		{"a value", []plan.Assignment{to(2, "y")}, nil, "3", "(1,10,y) (2,20,y) (3,null,y)"},
		{"the same value", []plan.Assignment{to(2, "x")}, nil, "3", "(1,10,x) (2,20,x) (3,null,x)"},
		{"no row", []plan.Assignment{to(2, "y")}, []expr.Expr{compare(expr.GT, column(0), constant(5))}, "0", "(1,10,x) (2,20,x) (3,null,x)"},
		{"old values only", []plan.Assignment{to(0, 9), {Column: 1, Value: column(0)}}, []expr.Expr{first}, "1", "(2,20,x) (3,null,x) (9,1,x)"},
		{"keys that move up", []plan.Assignment{add(0, 1)}, nil, "3", "(2,10,x) (3,20,x) (4,null,x)"},
		{"keys that move down", []plan.Assignment{add(0, -1), add(1, -10)}, nil, "3", "(0,0,x) (1,10,x) (2,null,x)"},
		{"onto another row", []plan.Assignment{to(0, 2)}, []expr.Expr{first}, `23505 duplicate key value violates unique constraint "t_pkey" Key (id)=(2) already exists.`, ""},
		{"onto each other", []plan.Assignment{to(1, 7)}, nil, `23505 duplicate key value violates unique constraint "t_a_idx" Key (a)=(7) already exists.`, ""},
		{"to NULLs of a unique index", []plan.Assignment{to(1, nil)}, nil, "3", "(1,null,x) (2,null,x) (3,null,x)"},
		{"NULL", []plan.Assignment{to(2, nil)}, []expr.Expr{first}, `23502 null value in column "b" of relation "t" violates not-null constraint Failing row contains (1, 10, null).`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, table)
			w.insert(plan.Insert{}, row(1, 10, "x"), row(2, 20, "x"), row(3, nil, "x"))
			w.commit()
			if got := w.write(plan.Update{Table: table, Input: w.wholeScan(c.where...), Set: c.set}); got != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			if c.all == "" {
				return
			}
			w.commit()
			w.indexesAgree()
			if got := w.all(); got != c.all {
				t.Errorf("got %s, want %s", got, c.all)
			}
		})
	}
}

func sum(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInt(a.Int() + b.Int()), nil
}

func TestDelete(t *testing.T) {
	table := tableOf("id int4, a int4", 1)
	byA := index(table, false, "a")
	w := newWorld(t, table)
	for i := range 1000 {
		w.insert(plan.Insert{}, row(i, i%10))
	}
	n := scanOf(table, plan.Access{Path: spansOf(plan.Entries{Index: byA, Reads: []int{0, 1}}, 1,
		term(2, plan.TermGE, 1)), Lookup: &plan.Lookups{}})
	n.Write = true
	if got := w.write(plan.Delete{Table: table, Input: n}); got != "900" {
		t.Fatal(got)
	}
	w.commit()
	w.indexesAgree()
	if got := w.rows(plan.Aggregate{Input: scanOf(table, plan.Access{Path: plan.Whole{}}),
		Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}}}); got != "(100)" {
		t.Error(got)
	}
}

// TestWriteThroughCoveringIndex reads rows to be written from the table also where an
// index holds all of them, since only the table can tell whether they change meanwhile.
func TestWriteThroughCoveringIndex(t *testing.T) {
	table := tableOf("id int4, a int4", 1)
	byA := index(table, false, "a")
	w := newWorld(t, table)
	w.insert(plan.Insert{}, row(1, 10), row(2, 20))
	n := scanOf(table, whole(plan.Entries{Index: byA}))
	n.Write = true
	w.env.Profile = plan.NewProfile(plan.Delete{Input: n})
	if got := w.write(plan.Delete{Table: table, Input: n}); got != "2" {
		t.Error(got)
	}
	if got := w.env.Profile.Node(1).Lookups; got != 2 {
		t.Errorf("%d lookups", got)
	}
	if got := w.env.Profile.Node(0).Rows; got != 2 {
		t.Errorf("%d rows", got)
	}
}

// TestUniqueAcrossTransactions lets two transactions put the same unique key.
func TestUniqueAcrossTransactions(t *testing.T) {
	table := tableOf("id int4, a int4", 1)
	index(table, true, "a")
	w := newWorld(t, table)
	first := w.env.Txn
	if got := w.insert(plan.Insert{}, row(1, 10)); got != "1" {
		t.Fatal(got)
	}
	w.begin()
	if got := w.insert(plan.Insert{}, row(2, 10)); got != "1" {
		t.Fatal(got)
	}
	w.commit()
	if err := first.Commit(context.Background()); !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

// TestCopy writes what a client streams in chunks that see each other.
func TestCopy(t *testing.T) {
	table := tableOf("id int4", 1)
	w := newWorld(t, table)
	read := 0
	rows := ints(2*writeChunk + 1)
	w.env.Stream = offer(rows, nil, &read)
	if got := w.write(plan.Insert{Table: table,
		Input: plan.Stream{Cols: plan.TableColumns(table, []int{0})}}); got != "8193" {
		t.Fatal(got)
	}
	w.env.Stream = offer(append(ints(0), 10_000, 4), nil, &read)
	want := `23505 duplicate key value violates unique constraint "t_pkey" Key (id)=(4) already exists.`
	if got := w.write(plan.Insert{Table: table,
		Input: plan.Stream{Cols: plan.TableColumns(table, []int{0})}}); got != want {
		t.Error(got)
	}
}

// TestInsertFromItself reads all rows before it writes the first.
func TestInsertFromItself(t *testing.T) {
	table := tableOf("id int4", 1)
	w := newWorld(t, table)
	for i := range 1000 {
		w.insert(plan.Insert{}, row(i))
	}
	up := expr.Call{Fn: &expr.Function{Fn2: sum}, Args: []expr.Expr{column(0), constant(100_000)}, T: types.Int4}
	n := plan.Insert{Table: table, Input: plan.Project{Input: scanOf(table, plan.Access{Path: plan.Whole{}}),
		Exprs: []expr.Expr{up}}}
	if got := w.write(n); got != "1000" {
		t.Error(got)
	}
}
