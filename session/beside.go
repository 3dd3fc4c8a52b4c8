package session

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// fillNew hands out a transaction to fill spaces with that the session's one has made, from rows that
// this sees. A store of which a transaction sees what is committed meanwhile takes few writes in one,
// and it need not take these: no other transaction knows the spaces, which go if the session's transaction does.
func (s *Session) fillNew(ctx context.Context, txn store.Txn, spaces []store.Space, fill func(store.Txn) error) error {
	if s.db.Store.Capabilities().Snapshots {
		return fill(txn)
	}
	bulk, err := s.db.Store.Begin(ctx, store.Mode{Bulk: true, Stats: &s.running.used.Stats})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer bulk.Rollback()
	if err := fill(&beside{Txn: bulk, reads: txn, filled: spaces}); err != nil {
		return err
	}
	return bulk.Commit(ctx)
}

// beside is a bulk transaction that fills spaces, and sees of others what another transaction does.
type beside struct {
	store.Txn
	reads  store.Txn
	filled []store.Space
}

// Scan implements store.Txn.
func (b *beside) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return b.reader(s).Scan(ctx, s, r)
}

// Get implements store.Txn.
func (b *beside) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	return b.reader(s).Get(ctx, s, g, out)
}

func (b *beside) reader(s *store.Space) store.Txn {
	if slices.ContainsFunc(b.filled, func(f store.Space) bool { return f.ID == s.ID }) {
		return b.Txn
	}
	return b.reads
}

// changedHere says whether the transaction wrote rows of a table, or made the space that they are in.
func (s *Session) changedHere(t *catalog.Table) bool {
	space := t.TableSpace().ID
	return slices.ContainsFunc(s.txn.Wrote, func(w *catalog.Table) bool { return w.ID == t.ID }) ||
		slices.ContainsFunc(s.txn.Changed().Created(nil), func(c store.Space) bool { return c.ID == space })
}
