// Package indextest compares indexes with their tables at the end of tests that write.
package indextest

import (
	"context"
	"testing"

	"zproxy/session"
	"zproxy/store"
)

// Clean fails a test when an index of a table in a store does not agree with the rows. The store
// may be in use.
func Clean(t testing.TB, st store.Store) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	db, err := session.Open(ctx, st, session.Options{Shared: true})
	if err != nil {
		t.Errorf("check of indexes: %v", err)
		return
	}
	defer db.Close()
	found := 0
	for f, err := range db.CheckIndexes(ctx, false) {
		if err != nil {
			t.Errorf("check of indexes: %v", err)
			return
		}
		if found++; found <= 10 {
			t.Errorf("%s: index %s: %s: key %s, row %s. %s", f.Table.Name, f.Index.Name, f.Class, f.Key, f.Row, f.Detail)
		}
	}
	if found > 10 {
		t.Errorf("and %d more", found-10)
	}
}
