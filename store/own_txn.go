package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// The pauses between two tries of InOwnTxn, which keep those apart that get in each other's way.
const (
	leastPause = 2 * time.Millisecond
	mostPause  = 128 * time.Millisecond
)

// InOwnTxn does something in a small transaction of its own, anew when the commit meets a conflict. Where
// it is not known whether it was made it runs again, too: f must not mind. An error of f ends it.
func InOwnTxn(ctx context.Context, st Store, f func(Txn) error) error {
	for try := 0; ; try++ {
		committed, err := once(ctx, st, f)
		if !committed || !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUnknown) || ctx.Err() != nil {
			return err
		}
		if err := Pause(ctx, try, leastPause, mostPause); err != nil {
			return err
		}
	}
}

// once says whether it came to a commit.
func once(ctx context.Context, st Store, f func(Txn) error) (committed bool, err error) {
	txn, err := st.Begin(ctx, Mode{})
	if err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	if err := f(txn); err != nil {
		return false, err
	}
	return true, txn.Commit(ctx)
}

// Pause waits for a random time, which is longer with each try, counted from 0, but not longer than
// most. It is an error when the context ends before.
func Pause(ctx context.Context, try int, least, most time.Duration) error {
	return Sleep(ctx, rand.N(min(least<<min(try, 20), most)))
}

// Sleep waits for a time. It is an error when the context ends before.
func Sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
