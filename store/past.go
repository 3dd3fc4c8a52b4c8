package store

import (
	"context"
	"iter"

	"zproxy/types"
)

// Past is a transaction whose reads see neither the writes that it makes from now on nor what others commit from now
// on, if it has Snapshots. It must not be used after its release, or behind a RollbackTo a mark that was made before.
func Past(txn Txn) (_ Txn, release func()) {
	p := past{txn, txn.Pin()}
	return p, func() { txn.Unpin(p.at) }
}

type past struct {
	Txn
	at Mark
}

// Scan implements Txn.
func (p past) Scan(ctx context.Context, s *Space, r *Scan) iter.Seq2[*types.Batch, error] {
	c := *r
	c.At = &p.at
	return p.Txn.Scan(ctx, s, &c)
}

// Get implements Txn.
func (p past) Get(ctx context.Context, s *Space, g *Get, out *types.Batch) ([]bool, error) {
	c := *g
	c.At = &p.at
	return p.Txn.Get(ctx, s, &c, out)
}
