package lock

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"zproxy/sqlerr"
)

var oneRow = Tag{Class: Row, Space: 5, Key: 7}

// TestManyWaiters lets ten thousand owners wait for one row, and look for circles. They have it in the order in which
// they came, and a search takes a few steps, however long the queue is.
func TestManyWaiters(t *testing.T) {
	const many = 10_000
	for name, mode := range map[string]func(i int) Mode{
		"update": func(int) Mode { return NoKeyUpdate },
		"mixed":  func(i int) Mode { return []Mode{NoKeyUpdate, Update, Share, KeyShare}[i%4] },
	} {
		began := time.Now()
		synctest.Test(t, func(t *testing.T) {
			m := NewManager()
			first := m.NewOwner(0)
			if _, err := first.Acquire(forever(t), oneRow, Update, NoWait); err != nil {
				t.Fatal(err)
			}
			w := Wait{Ctx: t.Context(), DeadlockAfter: time.Second}
			var mu sync.Mutex
			var order []int
			var all sync.WaitGroup
			for i := range many {
				all.Go(func() {
					o := m.NewOwner(uint32(i))
					if g, err := o.Acquire(w, oneRow, mode(i), Block); !g.Granted || err != nil {
						t.Errorf("%d: %v", i, err)
					}
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					o.RollbackTo(0)
				})
				synctest.Wait()
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if m.searches < many || m.steps > 20*m.searches {
				t.Errorf("%s: %d searches take %d steps", name, m.searches, m.steps)
			}
			t.Logf("%s: %d searches, %d steps", name, m.searches, m.steps)
			first.RollbackTo(0)
			all.Wait()
			for i, o := range order {
				if name == "update" && i != o {
					t.Fatalf("owner %d is number %d", o, i)
				}
			}
		})
		t.Logf("%s: %v", name, time.Since(began))
	}
}

// TestNoStarvation has shares that always overlap. An update among them gets its lock when those before it have ended,
// and those that overtook it.
func TestNoStarvation(t *testing.T) { synctest.Test(t, noStarvation) }

func noStarvation(t *testing.T) {
	m := NewManager()
	updated, stop := make(chan time.Duration, 1), make(chan struct{})
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			o := m.NewOwner(uint32(i))
			time.Sleep(time.Duration(i) * time.Millisecond)
			for {
				select {
				case <-stop:
					return
				default:
				}
				if g, err := o.Acquire(forever(t), oneRow, Share, Block); !g.Granted {
					t.Error(err)
				}
				time.Sleep(3 * time.Millisecond)
				o.RollbackTo(0)
			}
		})
	}
	time.Sleep(10 * time.Millisecond)
	all.Go(func() {
		o := m.NewOwner(9)
		_, err := o.Acquire(Wait{Ctx: t.Context(), Limit: time.Second}, oneRow, Update, Block)
		if err != nil {
			t.Error(err)
		}
		o.RollbackTo(0)
		updated <- o.Waited()
	})
	if waited := <-updated; waited > mostPassed*time.Millisecond+3*time.Millisecond {
		t.Errorf("the update waited %v", waited)
	}
	close(stop)
	all.Wait()
}

// TestWithdraw ends a wait by its context, by its time and by the grant of the lock at the same moment: either the
// owner has the lock or it is not in the queue any more, and the one behind it goes on.
func TestWithdraw(t *testing.T) {
	granted := 0
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			m := NewManager()
			first, second, third := m.NewOwner(1), m.NewOwner(2), m.NewOwner(3)
			if _, err := first.Acquire(forever(t), oneRow, Update, NoWait); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			var all sync.WaitGroup
			all.Go(func() {
				w := Wait{Ctx: ctx, Limit: time.Second, DeadlockAfter: time.Second}
				g, err := second.Acquire(w, oneRow, Update, Block)
				if g.Granted {
					granted++
				}
				late := sqlerr.Has(err, sqlerr.LockNotAvailable) || errors.Is(err, context.DeadlineExceeded)
				if g.Granted == late {
					t.Errorf("%+v, %v", g, err)
				}
				second.RollbackTo(0)
			})
			synctest.Wait()
			all.Go(func() {
				if g, err := third.Acquire(forever(t), oneRow, Update, Block); !g.Granted || !g.Waited {
					t.Errorf("%+v, %v", g, err)
				}
				third.RollbackTo(0)
			})
			time.Sleep(time.Second)
			first.RollbackTo(0)
			all.Wait()
			if n := m.shardOf(Row, oneRow.hash()).count; n != 0 {
				t.Errorf("%d entries are left", n)
			}
		})
	}
	t.Logf("granted %d times", granted)
}

// TestWaited adds up the time that an owner waits, and tells others what it waits for meanwhile.
func TestWaited(t *testing.T) { synctest.Test(t, waitsAddUp) }

func waitsAddUp(t *testing.T) {
	m := NewManager()
	a, b := m.NewOwner(1), m.NewOwner(2)
	for range 2 {
		if g, _ := a.Acquire(forever(t), oneRow, Update, Block); !g.Granted || g.Waited {
			t.Fatalf("%+v", g)
		}
		began := time.Now()
		go func() {
			time.Sleep(time.Second)
			if w, ok := b.Waiting(); !ok || w != (Waiting{oneRow, KeyShare, began}) {
				t.Errorf("it waits for %+v", w)
			}
			a.RollbackTo(0)
		}()
		if g, _ := b.Acquire(forever(t), oneRow, KeyShare, Block); !g.Waited {
			t.Errorf("%+v", g)
		}
		if b.Held() != 1 {
			t.Errorf("it has %d locks", b.Held())
		}
		b.RollbackTo(0)
		synctest.Wait()
	}
	if b.Waited() != 2*time.Second {
		t.Errorf("it waited %v", b.Waited())
	}
	if w, ok := b.Waiting(); ok {
		t.Errorf("it waits for %+v", w)
	}
}

// TestBytes holds the memory of a lock against what is said of it.
func TestBytes(t *testing.T) {
	bucket := unsafe.Sizeof(&entry{})
	if n := unsafe.Sizeof(entry{}) + unsafe.Sizeof(taken{}) + 2*bucket; n > Bytes || n < Bytes/2 {
		t.Errorf("a lock takes %d bytes", n)
	}
	m := NewManager()
	o, w := m.NewOwner(1), Wait{}
	fill := func() {
		for key := range uint64(100) {
			if _, err := o.Acquire(w, Tag{Class: Row, Space: 5, Key: key}, NoKeyUpdate, NoWait); err != nil {
				t.Error(err)
			}
		}
		o.RollbackTo(0)
	}
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkLock takes a lock of a row that no other owner wants, and gives it back.
func BenchmarkLock(b *testing.B) {
	m := NewManager()
	var spaces atomic.Uint64
	b.RunParallel(func(pb *testing.PB) {
		o, w, space := m.NewOwner(1), Wait{}, spaces.Add(1)
		for key := uint64(0); pb.Next(); key++ {
			tag := Tag{Class: Row, Space: space, Key: key}
			if _, err := o.Acquire(w, tag, NoKeyUpdate, Block); err != nil {
				b.Error(err)
			}
			o.RollbackTo(0)
		}
	})
}

// BenchmarkManyLocks takes a hundred thousand locks in a transaction: each by itself, and so that they become the lock
// of a space.
func BenchmarkManyLocks(b *testing.B) {
	const many = 100_000
	for name, most := range map[string]int{"rows": many + 1, "space": many} {
		b.Run(name, func(b *testing.B) {
			m := NewManager()
			m.Most = most
			o, w := m.NewOwner(1), Wait{}
			for b.Loop() {
				for key := range uint64(many) {
					if _, err := o.Acquire(w, Tag{Class: Row, Space: 5, Key: key}, NoKeyUpdate, Block); err != nil {
						b.Error(err)
					}
				}
				o.RollbackTo(0)
			}
		})
	}
}
