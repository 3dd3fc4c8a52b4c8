package executor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
)

// TestIndexCheck finds what is wrong with an index, each in one way only, and makes it right.
func TestIndexCheck(t *testing.T) {
	put := func(l *layout, at, values []any) func(*world) error {
		return func(w *world) error {
			return w.env.Txn.Put(l.space, store.Item{Key: l.codec.Key(row(at...)), Values: l.item(nil, row(values...))},
				store.Always)
		}
	}
	remove := func(l *layout, at ...any) func(*world) error {
		return func(w *world) error { return w.env.Txn.Delete(l.space, l.codec.Key(row(at...)), store.Always) }
	}
	type spoil = func(rows, plain, unique *layout) func(*world) error
	for _, c := range []struct {
		name  string
		spoil spoil
		want  string
		left  string // what cannot be made right
	}{
		{"nothing", func(_, x, _ *layout) func(*world) error { return put(x, []any{1, 10, 0}, []any{1, 10, 0}) }, "", ""},
		{"no entry", func(_, x, _ *layout) func(*world) error { return remove(x, 2, 20, 0) },
			"t_a_idx missing (a)=(20) (id)=(2)\n", ""},
		{"no row", func(_, x, _ *layout) func(*world) error { return put(x, []any{9, 90, 0}, []any{9, 90, 0}) },
			"t_a_idx dangling (a)=(90) (id)=(9)\n", ""},
		{"an entry where the row was", func(_, x, _ *layout) func(*world) error { return put(x, []any{2, 21, 0}, []any{2, 21, 0}) },
			"t_a_idx stale (a)=(21) (id)=(2) The row has key (a)=(20).\n", ""},
		{"another value", func(_, x, _ *layout) func(*world) error { return put(x, []any{2, 20, 0}, []any{2, 21, 0}) },
			`t_a_idx wrong (a)=(20) (id)=(2) Column "a" is 21 in the entry and 20 in the row.` + "\n", ""},
		{"another row", func(_, x, _ *layout) func(*world) error { return put(x, []any{2, 20, 0}, []any{1, 20, 0}) },
			"t_a_idx wrong (a)=(20) (id)=(2) The entry is of row (id)=(1).\n", ""},
		{"no such row", func(_, x, _ *layout) func(*world) error { return put(x, []any{2, 20, 0}, []any{9, 20, 0}) },
			"t_a_idx wrong (a)=(20) (id)=(2) The entry is of row (id)=(9).\n", ""},
		{"a key that the values do not make", func(_, x, _ *layout) func(*world) error { return put(x, []any{7, 70, 0}, []any{1, 10, 0}) },
			"t_a_idx stale (a)=(10) (id)=(1) The row has key (a)=(10).\n", ""},
		{"a unique key taken from its row", func(_, _, u *layout) func(*world) error {
			return put(u, []any{0, 0, 200}, []any{1, 0, 200})
		}, "t_b_idx wrong (b)=(200) (id)=(2) The entry is of row (id)=(1).\n", ""},
		{"a row put past the indexes", func(r, _, _ *layout) func(*world) error { return put(r, []any{3, 30, 200}, []any{3, 30, 200}) },
			"t_a_idx missing (a)=(30) (id)=(3)\nt_b_idx duplicate (b)=(200) (id)=(3) The entry is of row (id)=(2).\n",
			"t_b_idx duplicate (b)=(200) (id)=(3) The entry is of row (id)=(2).\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := tableOf("id int4, a int4, b int4", 1)
			index(table, false, "a")
			index(table, true, "b")
			w := newWorld(t, table)
			w.insert(plan.Insert{}, row(1, 10, 100), row(2, 20, 200))
			prepared, err := w.env.Tables.of(table)
			w.check(err)
			l := prepared.layouts
			w.check(c.spoil(l[0], l[1], l[2])(w))
			w.commit()
			w.begin()
			if got := w.findings(true); got != c.want {
				t.Errorf("found\n%s, want\n%s", got, c.want)
			}
			w.commit()
			w.begin()
			if got := w.findings(false); got != c.left {
				t.Errorf("behind the repair\n%s, want\n%s", got, c.left)
			}
		})
	}
}

// findings are what checks of all indexes of the table find, a line for each, and may make right.
func (w *world) findings(repair bool) string {
	w.t.Helper()
	var out strings.Builder
	for i := range w.table.Indexes {
		x := &w.table.Indexes[i]
		check := IndexCheck{Txn: w.env.Txn, Tables: w.env.Tables, Table: plan.Indexed{Table: w.table}, Index: x}
		var all []*Finding
		for f, err := range check.Findings(context.Background()) {
			w.check(err)
			fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", x.Name, f.Class, f.Key, f.Row,
				f.Detail)))
			all = append(all, f)
		}
		for _, f := range all {
			if !repair {
				break
			}
			done, err := check.Repair(context.Background(), f)
			w.check(err)
			if done != (f.Class != Duplicate) {
				w.t.Errorf("%s of %s repaired: %v", f.Class, f.Row, done)
			}
		}
	}
	return out.String()
}

// TestIndexCheckStates lets an index lack what its state lets it lack, and nothing else.
func TestIndexCheckStates(t *testing.T) {
	const missing, dangling = "t_a_idx missing (a)=(10) (id)=(1)\n", "t_a_idx dangling (a)=(90) (id)=(9)\n"
	for state, want := range map[catalog.State]string{
		catalog.Disabled:   "",
		catalog.DeleteOnly: dangling,
		catalog.WriteOnly:  dangling,
		catalog.Backfill:   dangling,
		catalog.Validate:   missing + dangling,
		catalog.Readable:   missing + dangling,
	} {
		table := tableOf("id int4, a int4", 1)
		x := index(table, false, "a")
		w := newWorld(t, table)
		w.insert(plan.Insert{}, row(1, 10))
		prepared, err := w.env.Tables.of(table)
		w.check(err)
		l := prepared.layouts[1]
		w.check(w.env.Txn.Delete(l.space, l.codec.Key(row(1, 10)), store.Always))
		w.check(w.env.Txn.Put(l.space, store.Item{Key: l.codec.Key(row(9, 90)), Values: row(9, 90)}, store.Always))
		x.State = state
		w.env.Tables = NewTables()
		if got := w.findings(false); got != want {
			t.Errorf("%s: found\n%s, want\n%s", state, got, want)
		}
	}
}

// TestRepairLooksAgain leaves alone what has become right since it was found, and its commit
// fails when another transaction writes the row meanwhile.
func TestRepairLooksAgain(t *testing.T) {
	ctx := context.Background()
	table := tableOf("id int4, a int4", 1)
	x := index(table, false, "a")
	w := newWorld(t, table)
	w.insert(plan.Insert{}, row(1, 10))
	prepared, err := w.env.Tables.of(table)
	w.check(err)
	l := prepared.layouts[1]
	w.check(w.env.Txn.Delete(l.space, l.codec.Key(row(1, 10)), store.Always))
	w.commit()
	check := func() (IndexCheck, *Finding) {
		w.begin()
		c := IndexCheck{Txn: w.env.Txn, Tables: w.env.Tables, Table: plan.Indexed{Table: table}, Index: x}
		for f, err := range c.Findings(ctx) {
			w.check(err)
			return c, f
		}
		return c, nil
	}
	repairing, found := check()
	if found == nil {
		t.Fatal("nothing found")
	}
	if done, err := repairing.Repair(ctx, found); !done || err != nil {
		t.Fatal(done, err)
	}
	w.begin()
	rows := prepared.rows
	w.check(w.env.Txn.Delete(rows.space, rows.codec.Key(row(1, 10)), store.Always))
	w.commit()
	if err := repairing.Txn.Commit(ctx); err == nil {
		t.Error("an entry was made for a row that is gone")
	}
	again, _ := check()
	if done, err := again.Repair(ctx, found); !done || err != nil {
		t.Fatal(done, err)
	}
	if _, left := check(); left != nil {
		t.Errorf("%+v", left)
	}
}

// CheckIndex is the first finding of an IndexCheck as an error.
func CheckIndex(ctx context.Context, txn store.Txn, tables *Tables, t plan.Indexed, x *catalog.Index) error {
	for f, err := range (IndexCheck{Txn: txn, Tables: tables, Table: t, Index: x}).Findings(ctx) {
		if err != nil {
			return err
		}
		return sqlerr.New(sqlerr.DataCorrupted, "index \"%s\": %s entry for key %s of row %s", x.Name, f.Class, f.Key,
			f.Row).
			WithDetail("%s", f.Detail)
	}
	return nil
}
