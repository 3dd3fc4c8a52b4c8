package executor

import (
	"errors"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/internal/routine"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// TestLimitBehindMerge looks no more rows up than are wanted, and reads little more where a
// filter may drop some.
func TestLimitBehindMerge(t *testing.T) {
	rows, partitions := even(16 * 600)
	for _, parallel := range []int{1, 16} {
		w, c := mergeWorld(t, "memory", false, rows)
		w.env.Parallel = parallel
		n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
		n.Access = lookingUp(*n.Access, 0, 1)
		n.Access.Most = &plan.Limit{Count: constant(150)}
		top := plan.Limit{Input: n, Count: constant(150)}
		w.env.Profile = plan.NewProfile(top)
		got, err := drain(t.Context(), top, w.env, 0)
		if p := w.env.Profile.Node(1); err != nil || got != 150 || p.Lookups != 150 {
			t.Errorf("%d at once: %d rows, %v; %d lookups", parallel, got, err, p.Lookups)
		}
		n = mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
		n.Access = filtering(*n.Access, compare(expr.NE, column(1), constant(2)))
		n.Access.Most = &plan.Limit{Count: constant(10)}
		clear(c.items)
		w.env.Profile = nil
		got, err = drain(t.Context(), plan.Limit{Input: n, Count: constant(10)}, w.env, 0)
		total := 0
		for _, items := range c.items {
			total += items
		}
		if err != nil || got != 10 || total > 60 {
			t.Errorf("%d at once: %d rows behind a filter, %v; %d were read", parallel, got, err, total)
		}
	}
}

// TestLimitStopsScans reads little more of each stream than is needed, and nothing behind it.
func TestLimitStopsScans(t *testing.T) {
	noLeaks(t)
	rows, partitions := even(16 * 600)
	for kind := range storeKinds {
		for _, parallel := range []int{1, 4, 16} {
			w, c := mergeWorld(t, kind, false, rows)
			w.env.Parallel = parallel
			n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
			for _, limit := range []int{0, 1, 10, 1000} {
				n.Access.Most = &plan.Limit{Count: constant(limit)}
				clear(c.items)
				got, err := drain(t.Context(), plan.Limit{Input: n, Count: constant(limit)}, w.env, 0)
				total := 0
				for _, items := range c.items {
					total += items
				}
				most := limit*4/3 + 16*4
				if limit == 0 {
					most = 0
				}
				if err != nil || got != limit || total > most || c.open != 0 {
					t.Errorf("%s, %d at once: %d rows, %v; %d were read, %d may be; %d scans are open", kind, parallel,
						got, err, total, most, c.open)
				}
			}
			one := concat(n)
			one.Access.Most = &plan.Limit{Count: constant(500)}
			clear(c.items)
			if got, err := drain(t.Context(), plan.Limit{Input: one, Count: constant(500)}, w.env, 0); err != nil ||
				got != 500 || len(c.items) != 1 {
				t.Errorf("%s, %d at once: %d rows, %v, of %d partitions", kind, parallel, got, err, len(c.items))
			}
		}
	}
}

// TestFanOutPanics wants a bug in a scan to end its statement, whichever goroutine it is in, with nothing left open.
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
			err := routine.Do(func() error {
				_, err := drain(t.Context(), n, w.env, 0)
				return err
			})
			var bug *routine.Bug
			if !errors.As(err, &bug) || !strings.Contains(err.Error(), errStore.Error()) || c.open != 0 ||
				w.env.memory.used != 0 {
				t.Errorf("%s, %d at once: %v; %d scans are open, %d bytes are held", name, parallel, err, c.open,
					w.env.memory.used)
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
		if _, err := drain(t.Context(), n, w.env, 0); !sqlerr.Has(err, sqlerr.OutOfMemory) || c.open != 0 ||
			w.env.memory.used != 0 {
			t.Errorf("%d at once: %v, %d scans are open, %d bytes are held", parallel, err, c.open, w.env.memory.used)
		}
	}
}
