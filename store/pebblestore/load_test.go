package pebblestore

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
)

// TestLoads commits transactions that are large enough for tables of their own: writes, overwrites and deletes, and one
// that only says of many keys that there is nothing.
func TestLoads(t *testing.T) {
	s, err := openSmall(vfs.NewMem(), nil)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	commit := func(do func(tx *txn, i int)) {
		t.Helper()
		tx := begin(t, s, store.Mode{})
		for i := range 2000 {
			do(tx, i)
		}
		if !isLoad(tx) {
			t.Fatal("the transaction is no load")
		}
		must(t, tx.Commit(ctx))
	}
	text := func(i int) string { return fmt.Sprintf("text %d", i) }
	commit(func(tx *txn, i int) { must(t, tx.Delete(texts, textAt(i, "").Key, store.Absent)) })
	commit(func(tx *txn, i int) { must(t, tx.Put(texts, textAt(i*7%2000, text(i*7%2000)), store.Absent)) })
	commit(func(tx *txn, i int) {
		if i%2 == 0 {
			must(t, tx.Delete(texts, textAt(i, "").Key, store.Always))
		} else if i%3 == 0 {
			must(t, tx.Put(texts, textAt(i, "new "+text(i)), store.Always))
		}
	})
	found := contents(t, s)
	for i := range 2000 {
		want := text(i)
		if i%3 == 0 {
			want = "new " + want
		}
		got, there := found[fmt.Sprintf("%06d", i)]
		if there != (i%2 == 1) || there && got != want {
			t.Errorf("text %d: %q, there: %v; want %q", i, got, there, want)
		}
	}
}
