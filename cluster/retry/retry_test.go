package retry

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store"
)

// TestQueueEnds runs a statement until it meets no conflict, meets another error, or has met too many conflicts.
func TestQueueEnds(t *testing.T) {
	other := errors.New("it is a test")
	for _, c := range []struct {
		conflicts int
		then      error
		runs      int
		want      error
	}{
		{0, nil, 1, nil},
		{3, nil, 4, nil},
		{2, other, 3, other},
		{100, nil, Most, store.ErrConflict},
	} {
		t.Run(fmt.Sprint(c.conflicts, c.then), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				err := NewQueue().Run(t.Context(), func() error {
					if runs++; runs <= c.conflicts {
						return fmt.Errorf("met: %w", store.ErrConflict)
					}
					return c.then
				})
				if !errors.Is(err, c.want) || runs != c.runs {
					t.Errorf("%d runs, want %d; %v, want %v", runs, c.runs, err, c.want)
				}
			})
		})
	}
}

// TestQueueInsists holds others back behind a few conflicts, and no longer than until the statement has ended.
func TestQueueInsists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue()
		passes := func() bool {
			ctx, stop := context.WithTimeout(t.Context(), time.Nanosecond)
			defer stop()
			return q.Pass(ctx) == nil
		}
		runs := 0
		err := q.Run(t.Context(), func() error {
			if runs++; passes() != (runs <= patience) {
				t.Errorf("in run %d others may write: %v", runs, !(runs <= patience))
			}
			if runs < patience+3 {
				return store.ErrConflict
			}
			return nil
		})
		if err != nil || !passes() {
			t.Errorf("behind it others may not write: %v", err)
		}
	})
}

// TestQueueIsOneByOne lets one statement run at a time, and who waits ends with its context.
func TestQueueIsOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue()
		leave := make(chan struct{})
		go func() {
			_ = q.Run(context.WithoutCancel(t.Context()), func() error {
				<-leave
				return nil
			})
		}()
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		err := q.Run(ctx, func() error {
			t.Error("two run at once")
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the one that waits ends with %v", err)
		}
		close(leave)
		if err := q.Run(t.Context(), func() error { return nil }); err != nil {
			t.Error(err)
		}
	})
}
