// Package indextest compares indexes with their tables at the end of tests that write. How an index is compared is
// the session's CHECK INDEX, and not here. Read AtEnd first.
package indextest

import (
	"context"
	"testing"

	"zproxy/session"
	"zproxy/store"
)

// Store fails a test when an index of a table in a store does not agree with the rows. The store
// may be in use.
func Store(t testing.TB, st store.Store) {
	t.Helper()
	db, err := session.Open(context.WithoutCancel(t.Context()), st, session.Options{Shared: true})
	if err != nil {
		t.Errorf("check of indexes: %v", err)
		return
	}
	defer db.Close()
	DB(t, db)
}

// AtEnd compares the indexes of a store when a test ends, and closes it.
func AtEnd(t testing.TB, st store.Store) {
	t.Helper()
	t.Cleanup(func() {
		Store(t, st)
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}

// most is how many findings are told one by one.
const most = 10

// DB is Store for one that a DB has open already.
func DB(t testing.TB, db *session.DB) {
	t.Helper()
	found := 0
	for f, err := range db.Findings(context.WithoutCancel(t.Context()), false) {
		if err != nil {
			t.Errorf("check of indexes: %v", err)
			return
		}
		if f.Harmless() {
			continue
		}
		if found++; found <= most {
			t.Errorf("%s%s: index %s: %s: key %s, row %s. %s",
				f.Database, f.Table.Name, f.Name, f.Class, f.Key, f.Row, f.Detail)
		}
	}
	if found > most {
		t.Errorf("%d more entries of indexes are not right", found-most)
	}
}
