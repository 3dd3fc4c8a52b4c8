package faults

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"

	"zproxy/store"
	"zproxy/types"
)

// chances are how often a request fails in some way, in a thousand.
type chances struct {
	conflict      int // of a commit, without a reason that anybody sees
	refused       int // of anything, for the load
	lost          int // the answer of a commit that was made
	dropped       int // a commit and its answer
	late          int // a commit whose answer is lost is made later on
	garbled       int // an answer makes no sense
	partial, stop int // of what only the fake plays: batches half done, pages that end early
}

func drawChances(r *rand.Rand) chances {
	some := func() int { return []int{0, 0, 10, 50, 200}[r.IntN(5)] }
	return chances{some(), some(), some(), some(), some(), some() / 4, some(), some()}
}

// flaky makes a store fail.
type flaky struct {
	store.Store
	w      *world
	server *server
	chances
	mu    sync.Mutex
	dice  *rand.Rand
	late  *sync.WaitGroup // commits that are still to be made
	count int             // of them, which tells them apart
}

// newFlaky is the store as a server has it.
func newFlaky(st store.Store, s *server, c chances, late *sync.WaitGroup) *flaky {
	return &flaky{Store: st, w: s.w, server: s, chances: c, dice: rand.New(rand.NewPCG(s.w.seed, uint64(8+s.number))),
		late: late}
}

// happens draws whether a fault comes now.
func (f *flaky) happens(chance int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dice.IntN(1000) < chance && !f.w.isFaultless()
}

// read waits for the turn of a read, which may be refused.
func (f *flaky) read(ctx context.Context, what string, s *store.Space) error {
	if err := f.server.request(ctx, what+" "+s.Name); err != nil {
		return err
	}
	if f.happens(f.refused) {
		return &store.Busy{Space: s.Name, Reason: "drawn", Hot: f.happens(500)}
	}
	return nil
}

// Begin implements store.Store.
func (f *flaky) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	txn, err := f.Store.Begin(ctx, m)
	if err != nil {
		return nil, err
	}
	return &flakyTxn{Txn: txn, f: f}, nil
}

type flakyTxn struct {
	store.Txn
	f     *flaky
	ended bool
}

// Scan implements store.Txn.
func (t *flakyTxn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		if err := t.f.read(ctx, "scan", s); err != nil {
			yield(nil, err)
			return
		}
		for b, err := range t.Txn.Scan(ctx, s, r) {
			if !yield(b, err) {
				return
			}
		}
	}
}

// Get implements store.Txn.
func (t *flakyTxn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	if err := t.f.read(ctx, "get", s); err != nil {
		return nil, err
	}
	return t.Txn.Get(ctx, s, g, out)
}

// Commit implements store.Txn.
func (t *flakyTxn) Commit(ctx context.Context) error {
	f := t.f
	if t.Mark().Writes == 0 {
		return t.Txn.Commit(ctx)
	}
	if err := f.server.request(ctx, "commit"); err != nil {
		t.Txn.Rollback()
		return fmt.Errorf("never sent: %w", err)
	}
	lost := fmt.Errorf("drawn: %w", store.ErrUnknown)
	t.ended = true
	switch {
	case f.happens(f.conflict):
		t.Txn.Rollback()
		return fmt.Errorf("drawn: %w", store.ErrConflict)
	case f.happens(f.refused):
		t.Txn.Rollback()
		return &store.Busy{Space: "any", Reason: "drawn"}
	case f.happens(f.dropped):
		t.Txn.Rollback()
		return lost
	case f.happens(f.chances.late):
		f.count++
		label := fmt.Sprint("late ", f.server.number, " ", f.count)
		f.late.Go(func() {
			ctx := context.WithValue(context.Background(), clientKey{}, ctx.Value(clientKey{}))
			if err := f.w.enter(ctx, label); err == nil {
				err = t.Txn.Commit(ctx)
				f.w.note("late commit of %v: %v", ctx.Value(clientKey{}), err)
			}
		})
		return lost
	}
	err := t.Txn.Commit(ctx)
	if err == nil && f.happens(f.lost) {
		return lost
	}
	return err
}

// Rollback implements store.Txn.
func (t *flakyTxn) Rollback() {
	if !t.ended {
		t.Txn.Rollback()
	}
}
