package executor

import (
	"fmt"
	"strings"
	"testing"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// TestFanOutPanics wants a bug in a scan to end the connection whose statement it is, which
// catches panics of its own goroutine, and not the server.
func TestFanOutPanics(t *testing.T) {
	noLeaks(t)
	rows, partitions := even(16 * 600)
	for _, parallel := range []int{1, 2, 16} {
		w, c := mergeWorld(t, "memory", false, rows)
		w.env.Parallel = parallel
		n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
		if _, err := drain(t.Context(), n, w.env, 1); err != nil {
			t.Fatal(err)
		}
		for p := range c.items {
			c.fails, c.panics = max(c.fails, p), true
		}
		for name, n := range map[string]plan.Scan{"merge": n, "concatenation": concat(n)} {
			caught := func() (p any) {
				defer func() { p = recover() }()
				_, _ = drain(t.Context(), n, w.env, 0)
				return nil
			}()
			if !strings.Contains(fmt.Sprint(caught), errStore.Error()) || c.open != 0 || w.env.memory.used != 0 {
				t.Errorf("%s, %d at once: caught %v, %d scans are open, %d bytes are held", name, parallel, caught, c.open, w.env.memory.used)
			}
		}
	}
}

// TestStreamsHoldMemory lets a statement hold less than a batch of each stream.
func TestStreamsHoldMemory(t *testing.T) {
	noLeaks(t)
	rows, partitions := even(16 * 600)
	for _, parallel := range []int{1, 16} {
		w, c := mergeWorld(t, "memory", false, rows)
		n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
		w.env.Parallel, w.env.MaxMemory, w.env.memory = parallel, 64<<10, account{}
		if _, err := drain(t.Context(), n, w.env, 0); !sqlerr.Has(err, sqlerr.OutOfMemory) || c.open != 0 || w.env.memory.used != 0 {
			t.Errorf("%d at once: %v, %d scans are open, %d bytes are held", parallel, err, c.open, w.env.memory.used)
		}
	}
}
