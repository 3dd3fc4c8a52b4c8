package budget_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store"
	"zproxy/store/budget"
	"zproxy/types"
)

// charging is a transaction whose requests cost units.
type charging struct {
	store.Txn
	writes *store.Stats
	batch  *types.Batch
}

// Scan reads three batches of 10 units.
func (c charging) Scan(_ context.Context, _ *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		for range 3 {
			if r.Stats.ReadUnits += 10; !yield(c.batch, nil) {
				return
			}
		}
	}
}

func (c charging) Get(_ context.Context, _ *store.Space, g *store.Get, _ *types.Batch) ([]bool, error) {
	g.Stats.ReadUnits += 5
	return nil, nil
}

func (c charging) Put(*store.Space, store.Item, store.Guard) error {
	c.writes.WriteUnits += 20
	return nil
}

// TestUnits takes units by two transactions together, in the time of a bubble.
func TestUnits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		at := func(what string, want time.Duration) {
			t.Helper()
			if got := time.Since(began); got != want {
				t.Errorf("%s ends after %v, want %v", what, got, want)
			}
		}
		limit, writes, reads := budget.Of(10), &store.Stats{}, &store.Stats{}
		reader := limit.Limit(t.Context(), charging{batch: types.NewBatch(0)}, nil)
		writer := limit.Limit(t.Context(), charging{writes: writes}, writes)
		for range reader.Scan(t.Context(), nil, &store.Scan{Stats: reads}) {
			// A Get counts where the scan does, and is not charged twice.
			if _, err := reader.Get(t.Context(), nil, &store.Get{Stats: reads}, nil); err != nil {
				t.Fatal(err)
			}
		}
		at("reading", 4*time.Second) // the last Get is not paid for
		if reads.ReadUnits != 45 {
			t.Errorf("%v units are counted, want 45", reads.ReadUnits)
		}
		if err := writer.Put(nil, store.Item{}, store.Always); err != nil {
			t.Fatal(err)
		}
		at("writing behind it", 6500*time.Millisecond)
		limit.Set(0)
		limit.Take(&store.Stats{WriteUnits: 1e9})
		if err := limit.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		at("what is not bounded", 6500*time.Millisecond)
		limit.Set(1)
		limit.Take(&store.Stats{ReadUnits: 100})
		ended, stop := context.WithCancel(t.Context())
		stop()
		if err := limit.Wait(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a wait that is ended: %v", err)
		}
	})
}
