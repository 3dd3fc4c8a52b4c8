package executor

import (
	"context"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
)

// TestLock reads rows FOR UPDATE, along every kind of path, when another transaction has written one of them or another
// row.
func TestLock(t *testing.T) {
	stores := map[string]func() (store.Store, error){
		"memory": func() (store.Store, error) { return memstore.New(memstore.Options{}), nil },
		"pebble": func() (store.Store, error) { return pebblestore.Open(t.TempDir(), pebblestore.Options{}) },
	}
	for name, open := range stores {
		st, err := open()
		if err != nil {
			t.Fatal(err)
		}
		table := tableOf("id int8, a int8, b int8", 1)
		x := index(table, false, "a")
		w := newWorldIn(t, table, st)
		w.insert(plan.Insert{}, row(1, 10, 0), row(2, 20, 0))
		w.commit()
		of := func(a int) []expr.Expr { return []expr.Expr{compare(expr.LT, column(a), constant(15))} }
		for path, n := range map[string]plan.Scan{
			"table": {Access: &plan.Access{Path: plan.Whole{Entries: plan.Entries{Filter: of(1)}}}},
			"lookup": {Access: &plan.Access{Lookup: &plan.Lookups{},
				Path: plan.Whole{Entries: plan.Entries{Index: x, Reads: []int{1, 0}, Filter: of(0)}}}},
		} {
			n.Table, n.Write, n.Reads, n.Cols = table, true, []int{0, 1, 2}, plan.TableColumns(table, []int{0, 1, 2})
			checkLock(t, w, name+", "+path, lockedFrom(n, table, 0), [2]string{"(1,10,0)", "(1,10,7)"})
		}
		looked := plan.Scan{Table: table, Write: true, Reads: []int{0, 1, 2},
			Cols: plan.TableColumns(table, []int{0, 1, 2}),
			Access: &plan.Access{Path: spansOf(plan.Entries{Index: x, Reads: []int{1, 0}}, 1, plan.Bound{Column: 2,
				Terms: []plan.Term{{Op: plan.TermEQ, Args: []expr.Expr{outer(0)}}}}), Lookup: &plan.Lookups{}}}
		checkLock(t, w, name+", join", lockedFrom(plan.Join{Left: listOf(1, row(10)), Right: looked,
			Method: &plan.JoinMethod{
				Strategy: plan.Lookup, Slots: []plan.Slot{{Number: 0, Value: columnOf(0)}},
				Keys: []plan.JoinKey{{Left: columnOf(0), Right: columnOf(1)}},
			}}, table, 1), [2]string{"(10,1,10,0)", "(10,1,10,7)"})
		w.check(st.Close())
	}
}

// lockedFrom locks the rows of a table whose columns come out of a node from one on.
func lockedFrom(n plan.Node, table *catalog.Table, first int) plan.LockRows {
	t := plan.LockTarget{Table: table, Lock: rowlock.Lock{Strength: rowlock.Update}}
	for i := range table.Columns {
		t.Row = append(t.Row, columnOf(first+i))
	}
	return plan.LockRows{Input: n, Targets: []plan.LockTarget{t}}
}

// given are RowLocks that no other transaction has, and counts them by their keys.
type given struct {
	keys  map[string]int
	fixed bool
}

func (g given) Lock(_ context.Context, _ store.SpaceID, k store.Key, _ rowlock.Lock) (RowLocked, error) {
	g.keys[string(k.Partition)+string(k.Sort)]++
	return RowLocked{Granted: true}, nil
}

func (g given) LockKeys(ctx context.Context, spaces []store.SpaceID, keys []store.Key, fresh []bool) error {
	for i, k := range keys {
		got, err := g.LockKey(ctx, spaces[i], k)
		if fresh[i] = !got.Already; err != nil {
			return err
		}
	}
	return nil
}

func (g given) LockKey(context.Context, store.SpaceID, store.Key) (RowLocked, error) {
	return RowLocked{Granted: true}, nil
}

func (g given) UnlockKey(store.SpaceID, store.Key) {}

func (g given) Shared() bool { return false }

func (g given) Fixed() bool { return g.fixed }

// checkLock runs a plan that locks row 1 when another transaction has written one of the rows, later than what the plan
// sees.
func checkLock(t *testing.T, w *world, what string, n plan.Node, wants [2]string) {
	t.Helper()
	want, changed := wants[0], wants[1]
	for _, c := range []struct {
		row   int
		fixed bool
		want  string
	}{{1, false, changed}, {2, false, want}, {2, true, want},
		{1, true, "40001 could not serialize access due to concurrent update"}} {
		other := *w
		other.env = &Env{Expr: w.env.Expr, Store: w.env.Store, Tables: w.env.Tables}
		w.begin()
		other.begin()
		write := func(value int) {
			if got := other.write(plan.Update{Table: w.table,
				Input: other.wholeScan(compare(expr.EQ, column(0), constant(c.row))),
				Set:   []plan.Assignment{{Column: 2, Value: constant(value)}}}); got != "1" {
				t.Fatal(got)
			}
			other.commit()
		}
		write(7)
		locks := given{map[string]int{}, c.fixed}
		w.env.Locks = locks
		got := w.rows(n)
		if got != c.want || len(locks.keys) != 1 {
			t.Errorf("%s, with a write of row %d: %q, and locks %v", what, c.row, got, locks.keys)
		}
		w.env.Locks = nil
		w.env.Txn.Rollback()
		other.begin()
		write(0)
	}
}

// TestLockAndWrite writes a row that it has read FOR UPDATE.
func TestLockAndWrite(t *testing.T) {
	w := pairs(t)
	if got := w.rows(lockedFrom(w.wholeScan(), w.table, 0)); got != "(1,10,0) (2,20,0)" {
		t.Fatal(got)
	}
	if got := w.write(plan.Update{Table: w.table, Input: w.wholeScan(),
		Set: []plan.Assignment{{Column: 2, Value: constant(5)}}}); got != "2" {
		t.Fatal(got)
	}
	if got := w.write(plan.Delete{Table: w.table,
		Input: w.wholeScan(compare(expr.EQ, column(0), constant(1)))}); got != "1" {
		t.Fatal(got)
	}
	w.commit()
	if got := w.all(); got != "(2,20,5)" {
		t.Error(got)
	}
	w.indexesAgree()
}
