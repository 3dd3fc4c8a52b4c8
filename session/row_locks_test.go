package session

import (
	"slices"
	"testing"

	"zproxy/internal/memory"
	"zproxy/sqlerr"
	"zproxy/store/memstore"
)

// TestManyRowLocks updates more rows than a session may have locks of, beside another session that has locked none, or
// one. The locks are charged for until the transaction ends.
func TestManyRowLocks(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{Memory: memory.NewPool(8 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	a, b := connect(t, db, "joe"), connect(t, db, "joe")
	if most := db.Locks.Most; most != 3276 {
		t.Errorf("a session may have %d locks", most)
	}
	if err := ask(t, a, `CREATE TABLE t (id int PRIMARY KEY, a int);
		INSERT INTO t SELECT i, 0 FROM generate_series(1, 5000) AS i`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ locks, skipped string }{
		{"SELECT 1", ""},
		{"SELECT a FROM t WHERE id = 5000 FOR KEY SHARE", ""},
		{"SELECT a FROM t WHERE id = 5000 FOR SHARE", "4999"},
	} {
		before := a.bounds.Memory.Held()
		if err := ask(t, b, "BEGIN; "+c.locks); err != nil {
			t.Fatal(err)
		}
		if err := ask(t, a, "BEGIN; UPDATE t SET a = a + 1 WHERE id <= 4500"); err != nil {
			t.Fatal(err)
		}
		locks := a.txn.Locks.Held()
		if few := locks < 1000; few != (c.skipped == "") || a.bounds.Memory.Held()-before < int64(locks*128) {
			t.Errorf("%s: %d locks, %d bytes", c.locks, locks, a.bounds.Memory.Held()-before)
		}
		var want []string
		if c.skipped != "" {
			want = []string{c.skipped}
		}
		const rows = "SELECT id FROM t WHERE id IN (1, 4999) FOR SHARE SKIP LOCKED"
		if got := answer(t, b, rows); !slices.Equal(got, want) {
			t.Errorf("%s: rows that are not locked: %q, want %q", c.locks, got, want)
		}
		const last = "SELECT id FROM t WHERE id = 4999 FOR KEY SHARE NOWAIT"
		if got := answer(t, b, last); !slices.Equal(got, []string{"4999"}) {
			t.Errorf("%s: %q", c.locks, got)
		}
		if err := ask(t, b, "COMMIT"); err != nil {
			t.Error(err)
		}
		if err := ask(t, a, "COMMIT"); err != nil || a.bounds.Memory.Held() != before || a.txn.Locks.Held() != 0 {
			t.Errorf("%s: %d bytes, %d locks: %v", c.locks, a.bounds.Memory.Held()-before, a.txn.Locks.Held(), err)
		}
	}
}

// TestLocksFillMemory takes advisory locks until there is no memory for them.
func TestLocksFillMemory(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{Memory: memory.NewPool(2 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	a := connect(t, db, "joe")
	err = ask(t, a, "SELECT count(pg_advisory_lock(i)) FROM generate_series(1, 100000) AS i")
	if !sqlerr.Has(err, sqlerr.OutOfMemory) {
		t.Errorf("%v", err)
	}
	if err := ask(t, a, "SELECT pg_advisory_unlock_all()"); err != nil || a.bounds.Memory.Held() > 64<<10 {
		t.Errorf("%d bytes are left: %v", a.bounds.Memory.Held(), err)
	}
}
