package executor

import (
	"context"
	"testing"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

func TestBuildUnique(t *testing.T) {
	ctx := context.Background()
	table := tableOf("id int4, a int4", 1)
	w := newWorld(t, table)
	var rows [][]types.Value
	for i := range 2 * writeChunk {
		rows = append(rows, row(i, i))
	}
	w.insert(plan.Insert{}, append(rows, row(-1, nil), row(-2, nil))...)
	w.commit()
	with := *table
	x := index(&with, true, "a")
	build := func() error {
		w.check(w.store.Drop(ctx, with.IndexSpace(x)))
		w.check(w.store.Create(ctx, with.IndexSpace(x)))
		return IndexBuild{Tables: w.env.Tables, Table: plan.Indexed{Table: table}, Index: x}.InOwnTxns(ctx, w.store)
	}
	w.check(build())
	w.begin()
	w.check(CheckIndex(ctx, w.env.Txn, w.env.Tables, plan.Indexed{Table: &with}, x))

	w.insert(plan.Insert{}, row(9000, 1))
	w.commit()
	want := `23505 could not create unique index "t_a_idx" Key (a)=(1) is duplicated.`
	if err := build(); err == nil || shown(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestStaleEntries leaves out entries whose row is gone, and still finds as many rows as
// are wanted.
func TestStaleEntries(t *testing.T) {
	table := tableOf("id int4, a int4", 1)
	x := index(table, false, "a")
	w := newWorld(t, table)
	for i := range 300 {
		w.insert(plan.Insert{}, row(i, i/100))
	}
	prepared, err := w.env.Tables.of(table)
	w.check(err)
	for _, id := range []int{0, 2, 3} {
		w.check(w.env.Txn.Delete(prepared.rows.space, prepared.rows.codec.Key(row(id, 0)), store.Always))
	}
	w.commit()
	most := &plan.Limit{Count: constant(4)}
	n := plan.Limit{Count: most.Count, Input: scanOf(table, plan.Access{Path: plan.Whole{Entries: plan.Entries{Index: x,
		Reads: []int{0}}}, Lookup: &plan.Lookups{}, Most: most})}
	w.env.Profile = plan.NewProfile(n)
	if got, want := w.rows(n), "(1,0) (4,0) (5,0) (6,0)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p := w.env.Profile.Node(1); p.Missing != 3 {
		t.Errorf("%d missing", p.Missing)
	}
}
