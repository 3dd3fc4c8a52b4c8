package heat

import (
	"context"
	"iter"
	"math/rand/v2"

	"zproxy/store"
	"zproxy/types"
)

// Txn is a transaction whose requests are counted.
type Txn struct {
	store.Txn
	meter *Meter
}

// Watch counts what a transaction asks for, in memory of the caller. A write counts when it is made, also if it is not
// committed.
func (m *Meter) Watch(t store.Txn, memory *Txn) store.Txn {
	if m == nil {
		return t
	}
	*memory = Txn{t, m}
	return memory
}

// Unwrap is the transaction that is counted.
func (t *Txn) Unwrap() store.Txn { return t.Txn }

// Scan implements store.Txn.
func (t *Txn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	counted := *r
	n := t.meter.density()
	counted.Unsampled = rand.IntN(n)
	counted.Sample = func(key store.Key) int {
		t.meter.add(s, key, aRead.times(int64(n)))
		n = t.meter.density()
		return rand.IntN(2*n - 1) // n - 1 in the mean
	}
	return t.Txn.Scan(ctx, s, &counted)
}

// Get implements store.Txn.
func (t *Txn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	for _, key := range g.Keys {
		t.meter.count(s, key, aRead)
	}
	return t.Txn.Get(ctx, s, g, out)
}

// Put implements store.Txn.
func (t *Txn) Put(s *store.Space, item store.Item, g store.Guard) error {
	t.meter.count(s, item.Key, aWrite)
	return t.Txn.Put(s, item, g)
}

// Delete implements store.Txn.
func (t *Txn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	t.meter.count(s, key, aWrite)
	return t.Txn.Delete(s, key, g)
}
