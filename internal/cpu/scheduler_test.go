package cpu

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// compute is a long statement: it computes for a millisecond at a time, until ctx ends.
func compute(ctx context.Context, t *Task, step func(computing int)) {
	t.Begin()
	defer t.End()
	for ctx.Err() == nil {
		step(1)
		time.Sleep(time.Millisecond)
		step(-1)
		t.Yield(ctx)
	}
}

// TestSlots wants no more long statements to compute at once than there are slots, and all of them to
// get on alike.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many, slots = 10, 2
		q := NewScheduler(slots)
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		began := time.Now()
		var group sync.WaitGroup
		var computing atomic.Int64
		var steps [many]int
		for i := range many {
			group.Go(func() {
				var task Task
				task.Join(q)
				compute(ctx, &task, func(n int) {
					if computing.Add(int64(n)) > slots && time.Since(began) > time.Second {
						t.Errorf("%d compute", computing.Load())
					}
					steps[i]++
				})
			})
		}
		group.Wait()
		for _, n := range steps {
			if n < steps[0]*3/4 || n > steps[0]*5/4 {
				t.Errorf("steps %v", steps)
			}
		}
		if c := q.Counts(); c.Waiting != 0 || c.Waited == 0 || len(q.running) != 0 {
			t.Errorf("%+v, %d slots are taken", c, len(q.running))
		}
	})
}

// TestAway wants a statement that waits for something else to lose its slot, and to get one again.
func TestAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewScheduler(1)
		var first Task
		first.Join(q)
		first.Begin()
		for range 100 {
			time.Sleep(time.Millisecond)
			first.Yield(t.Context())
		}
		if len(q.running) != 1 {
			t.Fatal("it has no slot")
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		var second Task
		second.Join(q)
		steps := 0
		var group sync.WaitGroup
		group.Go(func() { compute(ctx, &second, func(int) { steps++ }) })
		time.Sleep(time.Second / 2)
		first.Yield(t.Context())
		first.End()
		group.Wait()
		if steps < 1500 {
			t.Errorf("%d steps", steps)
		}
	})
}

// TestEnds wants the end of a statement to end its waiting.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewScheduler(0)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		began := time.Now()
		var task Task
		task.Join(q)
		compute(ctx, &task, func(int) {})
		if took := time.Since(began); took != time.Second || q.Counts().Waiting != 0 {
			t.Errorf("ended after %v, %+v", took, q.Counts())
		}
	})
}

// TestShort wants short statements never to wait, and those without a scheduler to be left alone.
func TestShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var with, without Task
		with.Join(NewScheduler(0))
		for _, task := range []*Task{&with, &without, nil} {
			for range 100 {
				if task != nil {
					task.Begin()
				}
				for range 15 {
					time.Sleep(time.Millisecond)
					began := time.Now()
					if task.Yield(t.Context()); time.Since(began) != 0 {
						t.Error("it waited")
					}
				}
				if task != nil {
					task.End()
				}
			}
		}
	})
}
