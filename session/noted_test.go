package session

import (
	"context"
	"testing"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/store/memstore"
)

// conflicting is a store whose next commits of transactions that have an owner meet conflicts.
type conflicting struct {
	store.Store
	next int
}

func (s *conflicting) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	txn, err := s.Store.Begin(ctx, m)
	if m.Stats == nil || err != nil {
		return txn, err
	}
	return conflictingTxn{txn, s}, nil
}

type conflictingTxn struct {
	store.Txn
	of *conflicting
}

func (t conflictingTxn) Commit(ctx context.Context) error {
	if t.of.next > 0 {
		t.of.next--
		return store.ErrConflict
	}
	return t.Txn.Commit(ctx)
}

func TestStatementsThatRunAgainAreNotedOnce(t *testing.T) {
	st := &conflicting{Store: memstore.New(memstore.Options{})}
	db, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := connect(t, db, "ann")
	run := func(text string, conflicts int) {
		t.Helper()
		st.next = conflicts
		if err := ask(t, s, text); err != nil {
			t.Fatal(err)
		}
		if st.next != 0 {
			t.Fatalf("%s met %d conflicts less", text, st.next)
		}
	}
	run("CREATE TABLE t (a int, b int, PRIMARY KEY (a, b))", 0)
	run("INSERT INTO t SELECT 1, i FROM generate_series(1, 2000) AS i", 0)
	run("INSERT INTO t SELECT 2, i FROM generate_series(1, 700) AS i", 3)
	run("DELETE FROM t WHERE a = 1 AND b <= 100", 2)
	table := db.Snapshot().Relation("public", "t").(*catalog.Table)
	if got := table.Stats.Extent.Added(); got != 2600 {
		t.Errorf("%g rows were noted, want 2600", got)
	}
}
