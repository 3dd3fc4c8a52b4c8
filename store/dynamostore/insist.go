package dynamostore

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"zproxy/store"
)

const (
	// roundFailures is how many failures end a round: the service is in trouble, and the rest had better wait.
	roundFailures = stageWidth
	// vainRounds is how many rounds in a row may come to nothing.
	vainRounds = 60
)

// task is something that is to be done to one of many.
type task[T any] struct {
	to    *T
	tries int // that failed
	done  bool
}

// insist does something to many, so many at once. Where that fails it is done again, behind a pause, in rounds of those
// that are left: what took long is not begun anew for a request that failed. It ends with an error when rounds in a row
// come to nothing, or the context ends.
func insist[T any](ctx context.Context, width int, list []T, do func(context.Context, *T) error) error {
	left := make([]task[T], len(list))
	for i := range list {
		left[i].to = &list[i]
	}
	for vain := 0; len(left) > 0; {
		err := round(ctx, width, left, do)
		before := len(left)
		left = slices.DeleteFunc(left, func(t task[T]) bool { return t.done })
		// Those for which it fails must not keep others from their turn.
		slices.SortStableFunc(left, func(a, b task[T]) int { return a.tries - b.tries })
		if vain++; len(left) < before {
			vain = 0
		}
		if len(left) == 0 {
			break
		}
		if cause := context.Cause(ctx); cause != nil || vain == vainRounds {
			return cmp.Or(cause, err)
		}
		if err := store.Sleep(ctx, delay(vain)); err != nil {
			return err
		}
	}
	return nil
}

// round does something to those that are left, until it has failed for many. The error is one of them.
func round[T any](ctx context.Context, width int, left []task[T], do func(context.Context, *T) error) error {
	var mu sync.Mutex
	var failed []error
	err := each(ctx, width, left, func(ctx context.Context, t *task[T]) error {
		err := do(ctx, t.to)
		if err == nil {
			t.done = true
			return nil
		}
		t.tries++
		mu.Lock()
		defer mu.Unlock()
		if failed = append(failed, err); len(failed) < roundFailures {
			return nil
		}
		return err
	})
	if err == nil && len(failed) > 0 {
		err = failed[0]
	}
	return err
}
