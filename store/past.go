package store

import (
	"context"
	"iter"

	"zproxy/types"
)

// Past is a transaction whose reads see neither the writes that it makes from now on nor what others commit from now
// on, if it has Snapshots. It must not be used after its release, or behind a RollbackTo a mark that was made before.
func Past(txn Txn) (_ Txn, release func()) {
	p, below := past{txn, txn.Pin()}, beneath(txn)
	return p, func() { below.Unpin(p.at) }
}

// beneath is the transaction of the store that others are wrapped around, which may serve another one at the release.
func beneath(txn Txn) Txn {
	for {
		w, ok := txn.(interface{ Unwrap() Txn })
		if !ok {
			return txn
		}
		txn = w.Unwrap()
	}
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

// Overtaken implements Viewer.
func (p past) Overtaken(s *Space, key Key, _ *Mark) bool { return p.Txn.Overtaken(s, key, &p.at) }
