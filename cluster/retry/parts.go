package retry

import (
	"context"
	"errors"

	"zproxy/store"
)

// InParts does something to items that may be done twice, in one transaction, which once makes, or in two halves where
// a transaction cannot be so large. Each runs until no other transaction conflicts with it. It adds up what once gives.
func InParts[T any](ctx context.Context, items []T, once func([]T) (int, error)) (int, error) {
	if len(items) == 0 {
		return 0, nil
	}
	n, err := again(ctx, func() (int, error) { return once(items) })
	half := len(items) / 2
	if half == 0 || !errors.Is(err, store.ErrTooLarge) {
		return n, err
	}
	if n, err = InParts(ctx, items[:half], once); err != nil {
		return n, err
	}
	more, err := InParts(ctx, items[half:], once)
	return n + more, err
}

// again runs a transaction until it meets no conflict and its outcome is known, or has met too many.
func again(ctx context.Context, once func() (int, error)) (int, error) {
	for try := 1; ; try++ {
		n, err := once()
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown) || try == Most {
			return n, err
		}
		if err := Pause(ctx, try); err != nil {
			return 0, err
		}
	}
}
