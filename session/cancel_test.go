package session

import (
	"context"
	"testing"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
)

// endingStore ends a statement when its commit has been made.
type endingStore struct {
	store.Store
	end context.CancelCauseFunc // nil: nothing ends
}

type endingTxn struct {
	store.Txn
	of *endingStore
}

// Begin implements store.Store.
func (s *endingStore) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	txn, err := s.Store.Begin(ctx, m)
	return &endingTxn{txn, s}, err
}

// Commit implements store.Txn.
func (t *endingTxn) Commit(ctx context.Context) error {
	err := t.Txn.Commit(ctx)
	if t.of.end != nil {
		t.of.end(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout"))
	}
	return err
}

// TestCancelBehindCommit wants a statement that has been committed to succeed, whatever comes between its commit and
// the rows that it returns.
func TestCancelBehindCommit(t *testing.T) {
	st := &endingStore{Store: memstore.New(memstore.Options{})}
	db, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := connect(t, db, "joe")
	accepted(t, s, "CREATE TABLE a (id int PRIMARY KEY)", "INSERT INTO a VALUES (1), (2)")
	for _, sql := range []string{"INSERT INTO a VALUES (3) RETURNING id", "UPDATE a SET id = id + 10 RETURNING id",
		"DELETE FROM a RETURNING id"} {
		ctx, end := context.WithCancelCause(t.Context())
		st.end = end
		c := &gathering{}
		if err := s.Query(ctx, sql, c); err != nil || len(c.lines) == 0 {
			t.Errorf("%s: %v, %q", sql, err, c.lines)
		}
	}
	st.end = nil
	if got := answer(t, s, "SELECT count(*) FROM a")[0]; got != "0" {
		t.Errorf("%s rows are left", got)
	}
}
