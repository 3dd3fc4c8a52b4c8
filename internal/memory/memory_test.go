package memory

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
)

// TestAllowanceIsFree wants small sessions to get by without the pool.
func TestAllowanceIsFree(t *testing.T) {
	p := NewPool(0)
	a := p.Account()
	for range 100 {
		if err := a.Grow(allowance); err != nil {
			t.Fatal(err)
		}
		a.Shrink(allowance)
	}
	if err := a.Grow(allowance + 1); !sqlerr.Has(err, sqlerr.OutOfMemory) {
		t.Errorf("got %v", err)
	}
	if a.Held() != 0 || p.Counts().Refused != 1 {
		t.Errorf("held %d, %+v", a.Held(), p.Counts())
	}
}

// TestNoPoolHasNoBound grows accounts that belong to none.
func TestNoPoolHasNoBound(t *testing.T) {
	var none *Pool
	for _, a := range []Account{{}, none.Account()} {
		if err := a.Grow(1 << 60); err != nil {
			t.Error(err)
		}
		a.Shrink(1 << 60)
		a.Close()
	}
}

// TestWaitsInOrder wants accounts that hold nothing to get memory in the order in which they
// came, and one that holds some to be refused at once.
func TestWaitsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * quantum)
		first := p.Account()
		if err := first.Grow(4*quantum + allowance); err != nil {
			t.Fatal(err)
		}
		var order []int
		var mu sync.Mutex
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				a := p.Account()
				defer a.Close()
				if err := a.Grow(3*quantum + allowance); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				if err := a.Grow(2 * quantum); !sqlerr.Has(err, sqlerr.OutOfMemory) {
					t.Errorf("an account with memory got %v", err)
				}
			})
			synctest.Wait()
		}
		if got := p.Counts().Waiting; got != 3 {
			t.Errorf("%d wait", got)
		}
		first.Close()
		group.Wait()
		for i, n := range order {
			if i != n {
				t.Errorf("in the order %v", order)
			}
		}
		if c := p.Counts(); c.Used != 0 || c.Waiting != 0 {
			t.Errorf("%+v is left", c)
		}
	})
}

// TestWaitingEnds ends waits by their context and by patience, and wants those behind to go on.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * quantum)
		first := p.Account()
		if err := first.Grow(2*quantum + allowance); err != nil {
			t.Fatal(err)
		}
		large, small := p.Account(), p.Account()
		cause := errors.New("cancelled")
		ctx, cancel := context.WithCancelCause(t.Context())
		large.Begin(ctx)
		var group sync.WaitGroup
		group.Go(func() {
			if err := large.Grow(4*quantum + allowance); err != cause {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() {
			if err := small.Grow(quantum + allowance); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		cancel(cause)
		group.Wait()
		start := time.Now()
		large.End()
		if err := large.Grow(4*quantum + allowance); !sqlerr.Has(err, sqlerr.OutOfMemory) ||
			time.Since(start) != patience {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// TestGivesBackAll lets accounts grow, shrink and leave work at random, and wants the pool never to be overdrawn
// and to be empty at the end.
func TestGivesBackAll(t *testing.T) {
	seed := testseed.Of(t)
	p := NewPool(16 * quantum)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			a := p.Account()
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			a.Begin(ctx)
			var left []func()
			for range 2000 {
				switch r.IntN(5) {
				case 0, 1:
					_ = a.Grow(r.Int64N(4 * quantum))
				case 2, 3:
					a.Shrink(r.Int64N(a.Held() + 1))
				default:
					left = append(left, a.Leave(r.Int64N(a.Held()+1)))
				}
				if len(left) > 3 {
					left[0]()
					left = left[1:]
				}
				if c := p.Counts(); c.Used < 0 || c.Used > c.Limit || a.taken+allowance < a.held || a.taken < 0 {
					t.Errorf("seed %d: %+v, account %d of %d", seed, c, a.taken, a.held)
				}
			}
			a.Close()
			for _, done := range left {
				done()
			}
		})
	}
	group.Wait()
	if c := p.Counts(); c.Used != 0 {
		t.Errorf("seed %d: %+v is left", seed, c)
	}
}
