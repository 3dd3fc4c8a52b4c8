package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
)

// TestLoadOutage loads tables while the store answers nothing about them for a minute, once to
// writes and once to reads. Each row is there once.
func TestLoadOutage(t *testing.T) {
	for name, ops := range map[string][]string{
		"writes": {"PutItem", "BatchWriteItem", "TransactWriteItems"}, "reads": {"GetItem", "BatchGetItem", "TransactGetItems", "Query"},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, carried out %v", name, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { loadOutage(t, ops, after) })
			})
		}
	}
}

func loadOutage(t *testing.T, ops []string, after bool) {
	f := dynamofake.New(dynamofake.Options{})
	p := joined(t, f, "a")
	s := connect(t, p.DB, "joe")
	accepted(t, s, "CREATE TABLE loaded (k int PRIMARY KEY, a int, b text)", "CREATE INDEX ON loaded (a)")
	faults := dynamofake.Faults{Only: func(r *dynamofake.Request) bool {
		ofTable := slices.ContainsFunc(r.Tables, func(name string) bool { return strings.Contains(name, "loaded") })
		return ofTable && slices.Contains(ops, r.Op)
	}}
	faults.ErrorBefore = 1
	if after {
		faults.ErrorBefore, faults.ErrorAfter = 0, 1
	}
	f.SetFaults(faults)
	time.AfterFunc(time.Minute, f.Calm)
	c := &loader{data: strings.NewReader(lines(1, 600))}
	if err := s.Query(t.Context(), "COPY loaded FROM STDIN", c); err != nil || c.tag != "COPY 600" {
		t.Fatalf("%v, %s", err, c.tag)
	}
	f.Calm()
	if got := answer(t, s, "SELECT count(*), sum(a) FROM loaded"); got[0] != "600 2700" {
		t.Errorf("%v", got)
	}
	p.agreesWithRows(t)
}

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
			pool.width = 8
			pool.take(newPart(make([]executor.Staged, 5)))
			rows, _, err := pool.finish(false)
			want := c.want
			if want == nil && tries <= c.fails {
				want = c.with
			}
			if tries != c.tries || pool.width != c.width || !errors.Is(err, want) || (err == nil) != (rows == 5) {
				t.Errorf("%v: %d tries, want %d; %d workers, want %d; %d rows, %v", c.with, tries, c.tries, pool.width, c.width, rows, err)
			}
		})
	}
}
