package copy

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
)

// TestWorkerPoolUnanswered halves the workers when the store does not answer, goes on until its patience
// ends, and has none with what is denied.
func TestWorkerPoolUnanswered(t *testing.T) {
	denied := fmt.Errorf("%w: %w", &store.Denied{Reason: "the token has expired"}, store.ErrUnreachable)
	for _, c := range []struct {
		fails int
		with  error
		tries int
		width int
		want  error
	}{
		{2, store.ErrUnreachable, 3, 3, nil},
		{retry.Most, store.ErrUnreachable, retry.Most + 1, 2, nil},
		{retry.Most + 1, store.ErrUnreachable, retry.Most + 1, 1, store.ErrUnreachable},
		{1, denied, 1, 8, store.ErrUnreachable},
		{1, sqlerr.New(sqlerr.UniqueViolation, "it is a test"), 1, 8, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			pool := newWorkerPool(t.Context(), 16, func(_ context.Context, p *part, _ *plan.NodeProfile) (int, error) {
				if tries++; tries <= c.fails {
					return 0, c.with
				}
				return len(p.rows), nil
			})
			pool.limit.now = 8
			pool.take(newPart(make([]executor.Staged, 5)))
			done := pool.finish(false)
			rows, err := done.written, done.err
			want := c.want
			if want == nil && tries <= c.fails {
				want = c.with
			}
			if tries != c.tries || pool.limit.now != c.width || !errors.Is(err, want) || (err == nil) != (rows == 5) {
				t.Errorf("%v: %d tries, want %d; %d workers, want %d; %d rows, %v",
					c.with, tries, c.tries, pool.limit.now, c.width, rows, err)
			}
		})
	}
}
