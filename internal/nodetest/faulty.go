package nodetest

import (
	"context"
	"iter"

	"zproxy/store"
	"zproxy/types"
)

// Faulty is a store that fails when it is told to.
type Faulty struct {
	store.Store
	// Commit is called before each commit of a transaction that wrote so many items; an error is that of the commit,
	// which then writes nothing. nil: no commit fails.
	Commit func(writes int) error
	// Scan says what is wrong with a space that is read; nil: nothing.
	Scan func(s *store.Space) error
}

// Begin implements store.Store.
func (f *Faulty) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	txn, err := f.Store.Begin(ctx, m)
	return &faultyTxn{Txn: txn, of: f}, err
}

type faultyTxn struct {
	store.Txn
	of     *Faulty
	writes int
}

// Put implements store.Txn.
func (t *faultyTxn) Put(s *store.Space, item store.Item, g store.Guard) error {
	t.writes++
	return t.Txn.Put(s, item, g)
}

// Delete implements store.Txn.
func (t *faultyTxn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	t.writes++
	return t.Txn.Delete(s, key, g)
}

// Scan implements store.Txn.
func (t *faultyTxn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	if t.of.Scan != nil {
		if err := t.of.Scan(s); err != nil {
			return func(yield func(*types.Batch, error) bool) { yield(nil, err) }
		}
	}
	return t.Txn.Scan(ctx, s, r)
}

// Commit implements store.Txn.
func (t *faultyTxn) Commit(ctx context.Context) error {
	if t.writes > 0 && t.of.Commit != nil {
		if err := t.of.Commit(t.writes); err != nil {
			return err
		}
	}
	return t.Txn.Commit(ctx)
}
