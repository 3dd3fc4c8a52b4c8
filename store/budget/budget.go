// Package budget bounds what some transactions together may take of a store a second, in the units that it charges.
// What one statement may take at all is bounded by the executor. Read Units first.
package budget

import (
	"context"
	"iter"
	"sync"
	"time"

	"zproxy/store"
	"zproxy/types"
)

// Units bound how many read and write units a second some transactions take together. What a request costs is known
// when it is answered, so the next one waits for it. Nil ones and zero ones bound nothing.
type Units struct {
	mu   sync.Mutex
	rate float64   // a second; 0: any number
	paid time.Time // when what was taken so far is within the bound
}

// Of bounds units to so many a second; 0: to any number.
func Of(units int64) *Units { return &Units{rate: float64(units)} }

// Set is another bound for what is taken from now on.
func (l *Units) Set(units int64) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate = float64(units)
}

// Take counts what requests have cost.
func (l *Units) Take(s *store.Stats) { l.take(s.ReadUnits + s.WriteUnits) }

func (l *Units) take(units float64) {
	if l == nil || units <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rate <= 0 {
		return
	}
	if now := time.Now(); l.paid.Before(now) {
		l.paid = now
	}
	l.paid = l.paid.Add(time.Duration(units / l.rate * float64(time.Second)))
}

// Wait waits until what was taken is within the bound.
func (l *Units) Wait(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	wait := time.Until(l.paid)
	l.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	return store.Sleep(ctx, wait)
}

// Limit lets a transaction take its units within the bound. writes are the Stats of its Mode; nil: it only reads. The
// context ends its waits.
func (l *Units) Limit(ctx context.Context, txn store.Txn, writes *store.Stats) store.Txn {
	if l == nil {
		return txn
	}
	t := &limited{Txn: txn, ctx: ctx, limit: l, writes: writes}
	t.charged = t.written()
	return t
}

// limited is a transaction that is bounded.
type limited struct {
	store.Txn
	ctx     context.Context
	limit   *Units
	writes  *store.Stats
	charged float64 // of the writes
}

// Unwrap is the transaction that is bounded.
func (t *limited) Unwrap() store.Txn { return t.Txn }

func (t *limited) written() float64 {
	if t.writes == nil {
		return 0
	}
	return t.writes.ReadUnits + t.writes.WriteUnits
}

// wait waits for what the writes have cost, which some stores send before the commit.
func (t *limited) wait(ctx context.Context) error {
	t.limit.take(t.written() - t.charged)
	t.charged = t.written()
	return t.limit.Wait(ctx)
}

// Scan implements store.Txn.
func (t *limited) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		if err := t.limit.Wait(ctx); err != nil {
			yield(nil, err)
			return
		}
		// The caller's Stats may count other reads, too, which are made meanwhile.
		own, took := *r, &store.Stats{}
		own.Stats = took
		charge := func() {
			r.Stats.Add(took)
			t.limit.Take(took)
			*took = store.Stats{}
		}
		defer charge()
		for batch, err := range t.Txn.Scan(ctx, s, &own) {
			charge()
			if err == nil {
				err = t.limit.Wait(ctx)
			}
			if !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// Get implements store.Txn.
func (t *limited) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	if err := t.limit.Wait(ctx); err != nil {
		return nil, err
	}
	own, took := *g, &store.Stats{}
	own.Stats = took
	found, err := t.Txn.Get(ctx, s, &own, out)
	g.Stats.Add(took)
	t.limit.Take(took)
	return found, err
}

// Put implements store.Txn.
func (t *limited) Put(s *store.Space, item store.Item, g store.Guard) error {
	if err := t.Txn.Put(s, item, g); err != nil {
		return err
	}
	return t.wait(t.ctx)
}

// Delete implements store.Txn.
func (t *limited) Delete(s *store.Space, key store.Key, g store.Guard) error {
	if err := t.Txn.Delete(s, key, g); err != nil {
		return err
	}
	return t.wait(t.ctx)
}

// Commit implements store.Txn. It does not wait for what it has cost: nothing may follow.
func (t *limited) Commit(ctx context.Context) error {
	err := t.Txn.Commit(ctx)
	t.limit.take(t.written() - t.charged)
	t.charged = t.written()
	return err
}
