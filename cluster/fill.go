package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/store"
	"zproxy/store/budget"
	"zproxy/types"
)

// NewSpaces are spaces that a transaction has made and fills.
type NewSpaces struct {
	Spaces []store.Space
	// Table is that of the rows.
	Table *catalog.Table
	// Limit bounds what filling them takes, where a transaction of its own does it; nil: nothing does.
	Limit *budget.Units
}

// Filling is a transaction that fills new spaces.
type Filling struct {
	store.Txn
	// Sorted says that it finds rows with equal keys by itself, and keeps what it has written to itself.
	Sorted bool
}

// FillNew hands out a transaction of the store to fill spaces with that this one has made, from rows that
// this one sees. Where that is not this one, it is a bulk transaction: no other transaction knows the spaces, which go
// if this transaction does. A store of which a transaction sees what is committed meanwhile takes few writes in one,
// and one that sorts takes any number, in bounded memory. If that finds rows with equal keys they are written once
// more, by this transaction, which tells which.
func (t *Transaction) FillNew(ctx context.Context, n NewSpaces, fill func(Filling) error) error {
	sorted := t.txn.Adopt()
	if t.node.Store.Capabilities().Snapshots && !(sorted && sortable(n.Table)) {
		return fill(Filling{Txn: t.txn})
	}
	err := fillInBulk(ctx, t, n, func(bulk store.Txn) error { return fill(Filling{bulk, sorted}) })
	if errors.As(err, new(*store.Duplicate)) {
		return fill(Filling{Txn: t.txn})
	}
	return err
}

// sortable says whether two rows that a table must not have both have one key in the store, whatever there is.
func sortable(t *catalog.Table) bool {
	if t.TTL != nil || celltime.Has(t) || t.Space.In != nil || t.Primary.Random() != nil {
		return false
	}
	return !slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool {
		return x.Space.In != nil || x.Layout.Random() != nil || x.Layout.Deferrable
	})
}

// fillInBulk fills spaces in a bulk transaction.
func fillInBulk(ctx context.Context, t *Transaction, n NewSpaces, fill func(store.Txn) error) error {
	mode := t.owner.Mode(true)
	mode.Bulk = true
	counts, took := mode.Stats, &store.Stats{}
	mode.Stats = took
	bulk, err := t.node.Store.Begin(ctx, mode)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer bulk.Rollback()
	bulk = n.Limit.Limit(ctx, bulk, took)
	err = fill(&bulkFill{Txn: bulk, reads: n.Limit.Limit(ctx, t.txn, nil), filled: n.Spaces})
	if err == nil {
		err = bulk.Commit(ctx)
	}
	if err == nil {
		t.txn.Adopt(n.Spaces...)
	}
	if counts != nil {
		counts.Add(took)
	}
	return err
}

// bulkFill is a bulk transaction that fills spaces, and sees of others what another transaction does.
type bulkFill struct {
	store.Txn
	reads  store.Txn
	filled []store.Space
}

// Scan implements store.Txn.
func (b *bulkFill) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return b.reader(s).Scan(ctx, s, r)
}

// Get implements store.Txn. Nothing that is not filled is held: who fills has it alone.
func (b *bulkFill) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	from := b.reader(s)
	if from != b.Txn && g.Hold {
		free := *g
		free.Remember, free.Hold, g = false, false, &free
	}
	return from.Get(ctx, s, g, out)
}

func (b *bulkFill) reader(s *store.Space) store.Txn {
	if slices.ContainsFunc(b.filled, func(f store.Space) bool { return f.ID == s.ID }) {
		return b.Txn
	}
	return b.reads
}

// Touched says whether the transaction wrote rows of a table, or made the space that they are in.
func (t *Transaction) Touched(of *catalog.Table) bool {
	space := of.TableSpace().ID
	return slices.ContainsFunc(t.Wrote, func(w *catalog.Table) bool { return w.ID == of.ID }) ||
		slices.ContainsFunc(t.change.Created(nil), func(c store.Space) bool { return c.ID == space })
}
