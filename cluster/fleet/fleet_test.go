package fleet

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/store"
	"zproxy/store/memstore"
)

// played is a process as far as a test of its membership needs one. Its store is that of all, but
// for what happens before its transactions.
type played struct {
	*Member
	store.Store
	begins   int                        // transactions so far
	before   map[int]func() error       // by their number
	applies  func(whole *catalog.Whole) // while it goes by another catalog
	looks    func()                     // while it is asked whether it changes the schema
	version  uint64
	changing bool
}

// Begin implements store.Store.
func (p *played) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	p.begins++
	if do := p.before[p.begins]; do != nil {
		if err := do(); err != nil {
			return nil, err
		}
	}
	return p.Store.Begin(ctx, m)
}

// Apply implements Host.
func (p *played) Apply(_ context.Context, whole *catalog.Whole, _, _ []uint32) bool {
	if whole != nil {
		p.version = whole.Version()
		if p.applies != nil {
			p.applies(whole)
		}
	}
	return true
}

// Oldest implements Host.
func (p *played) Sessions() int { return 0 }

func (p *played) Oldest() uint64 { return p.version }

// Changing implements Host.
func (p *played) Changing() bool {
	changing := p.changing
	if p.looks != nil {
		p.looks()
	}
	return changing
}

// Evicted implements Host.
func (p *played) Evicted(uint64) {}

// two are members of one fleet, which renew only when a test says so.
func two(t *testing.T) (a, b *played) {
	t.Helper()
	st := memstore.New(memstore.Options{})
	must(t, catalogstore.Open(t.Context(), st))
	one := func() *played {
		p := &played{Store: st}
		var err error
		p.Member, err = Join(t.Context(), p, p, Options{})
		must(t, err)
		return p
	}
	return one(), one()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// outlives lets a member go on until all others are evicted.
func (p *played) outlives(t *testing.T) {
	t.Helper()
	for range 5 {
		must(t, p.Renew(t.Context()))
		living, err := p.Living(t.Context())
		must(t, err)
		if len(living) == 1 {
			return
		}
		time.Sleep(defaultLease)
	}
	t.Fatal("no member is evicted")
}

// takes begins a change of the schema.
func (p *played) takes(t *testing.T) {
	t.Helper()
	p.changing = true
	must(t, p.Member.Begin(t.Context(), always))
}

// publishes makes the next version of the catalog.
func (p *played) publishes(t *testing.T) {
	t.Helper()
	p.takes(t)
	txn, _ := p.publishing(t)
	must(t, txn.Commit(t.Context()))
	p.changing = false
}

// publishing is a transaction that will make the next version of the catalog.
func (p *played) publishing(t *testing.T) (store.Txn, Publication) {
	t.Helper()
	txn, err := p.Store.Begin(t.Context(), store.Mode{})
	must(t, err)
	out, err := p.Publish(t.Context(), txn)
	must(t, err)
	return txn, out
}

func (p *played) agreedOn(t *testing.T) catalogstore.Agreed {
	t.Helper()
	a, err := p.readAgreed(t.Context())
	must(t, err)
	return a
}

// TestJoiningAnew holds that a process which was taken for dead goes by the newest catalog before it
// may do anything, also when it becomes a member again but does not come to read the catalog.
func TestJoiningAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := two(t)
		b.outlives(t)
		a.begins = 0
		const reading = 5 // behind what is agreed on, its item, a number, and the new item
		a.before = map[int]func() error{reading: func() error {
			b.publishes(t)
			return store.ErrUnreachable
		}}
		a.applies = func(whole *catalog.Whole) {
			if time.Now().Before(a.leaseEnd()) {
				t.Errorf("its lease begins before it goes by version %d of the catalog", whole.Version())
			}
		}
		life := a.Life()
		if _, err := a.Alive(t.Context(), life); !errors.Is(err, store.ErrUnreachable) || a.Life() == life {
			t.Fatalf("it has not failed while it joined: %v", err)
		}
		_, err := a.Alive(t.Context(), a.Life())
		must(t, err)
		if a.version != 1 {
			t.Errorf("it goes by version %d of the catalog, which is at 1", a.version)
		}
		if _, err := a.Alive(t.Context(), life); !errors.Is(err, ErrLost) {
			t.Errorf("what began in its earlier life: %v", err)
		}
	})
}

// TestOutcomeLate holds that a process which asks what became of its publication leaves the change
// alone that another one has taken meanwhile.
func TestOutcomeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := two(t)
		a.takes(t)
		txn, p := a.publishing(t)
		b.outlives(t)
		b.takes(t)
		must(t, b.Freeze(t.Context(), 7))
		if committed, err := a.Outcome(t.Context(), p); committed || err != nil {
			t.Errorf("committed: %v, %v", committed, err)
		}
		if now := b.agreedOn(t); now.Owner != b.ID() || !slices.Equal(now.Frozen, []uint32{7}) {
			t.Errorf("the other change is given back: %+v", now)
		}
		if err := txn.Commit(t.Context()); !errors.Is(err, store.ErrConflict) {
			t.Errorf("the publication arrives late: %v", err)
		}
	})
}

// TestOutcomeNone holds that a publication that has not arrived when its process asks never will.
func TestOutcomeNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := two(t)
		a.takes(t)
		txn, p := a.publishing(t)
		if committed, err := a.Outcome(t.Context(), p); committed || err != nil {
			t.Errorf("committed: %v, %v", committed, err)
		}
		if err := txn.Commit(t.Context()); !errors.Is(err, store.ErrConflict) {
			t.Errorf("the publication arrives late: %v", err)
		}
		if now := a.agreedOn(t); now.Owner != 0 {
			t.Errorf("the change is held: %+v", now)
		}
	})
}

// TestDoubt holds that a process which cannot ask what became of its publication commits nothing more before it knows:
// what has begun is lost, and a publication that has not arrived with the next renewal never will, even where another
// change of the process has begun.
func TestDoubt(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			a, _ := two(t)
			a.takes(t)
			life := a.Life()
			txn, p := a.publishing(t)
			if arrives {
				must(t, txn.Commit(t.Context()))
			}
			a.before = map[int]func() error{a.begins + 1: func() error { return store.ErrBusy }}
			if _, err := a.Outcome(t.Context(), p); !errors.Is(err, store.ErrBusy) {
				t.Fatalf("it can ask: %v", err)
			}
			a.Doubt()
			if _, err := a.Alive(t.Context(), life); !errors.Is(err, ErrLost) {
				t.Errorf("what began before goes on: %v", err)
			}
			if until, err := a.Alive(t.Context(), a.Life()); err != nil || !time.Now().Before(until) {
				t.Errorf("what begins after it has until %v: %v", until, err)
			}
			if arrives != (a.version == 1) {
				t.Errorf("it arrives: %t, and the process goes by version %d", arrives, a.version)
			}
			if err := txn.Commit(t.Context()); !arrives && !errors.Is(err, store.ErrConflict) {
				t.Errorf("the publication arrives late: %v", err)
			}
		})
	}
}

// TestGivingLate holds that a renewal which gives back what is left of one change takes nothing from
// the next, which begins at that moment.
func TestGivingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := two(t)
		a.takes(t)
		a.changing = false // without having given it back
		next := make(chan error, 1)
		a.looks = func() {
			a.looks, a.changing = nil, true
			go func() { next <- a.Member.Begin(t.Context(), always) }()
			synctest.Wait()
		}
		must(t, a.Renew(t.Context()))
		must(t, <-next)
		if now := a.agreedOn(t); now.Owner != a.ID() {
			t.Errorf("the next change is given back: %+v", now)
		}
	})
}

// TestLeaveUnderChange holds that a member that leaves gives the change back: no other could take it from one that is
// no member.
func TestLeaveUnderChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := two(t)
		a.takes(t)
		must(t, a.Leave(t.Context()))
		limited, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		must(t, b.Member.Begin(limited, always))
	})
}

// TestAnnounce holds that a change is announced when all others know of it, while no table is frozen, and that they
// look often from then on, until it is given back.
func TestAnnounce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := two(t)
		looksEvery := func(what string, want time.Duration) {
			t.Helper()
			must(t, b.Renew(t.Context()))
			if got := b.pause(); got != want {
				t.Errorf("%s it looks every %v, want %v", what, got, want)
			}
		}
		pending := func(done chan error) {
			t.Helper()
			select {
			case err := <-done:
				t.Errorf("it does not wait for a process that has not looked: %v", err)
			default:
			}
		}
		looksEvery("before", b.renew)
		a.takes(t)
		announced, frozen := make(chan error, 1), make(chan error, 1)
		go func() { announced <- a.Announce(t.Context()) }()
		time.Sleep(defaultLease)
		pending(announced)
		looksEvery("when it is announced", mostLook)
		if len(b.kicked) == 0 {
			t.Error("it goes on with the pause that it is in")
		}
		must(t, <-announced)
		if now := b.agreedOn(t); len(now.Frozen) > 0 {
			t.Errorf("tables %v are frozen by that", now.Frozen)
		}
		go func() { frozen <- a.Freeze(t.Context(), 7) }()
		time.Sleep(mostLook)
		pending(frozen)
		looksEvery("when a table is frozen", mostLook)
		must(t, <-frozen)
		must(t, a.Give(t.Context()))
		looksEvery("behind it", b.renew)
	})
}

// TestTakenLate holds that the change is free that a process has taken by a request which arrived when it had been
// evicted: it is no member, so that no process would evict it again.
func TestTakenLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := two(t)
		late := a.agreedOn(t)
		late.Owner = a.ID()
		b.outlives(t)
		txn, err := b.Store.Begin(t.Context(), store.Mode{})
		must(t, err)
		must(t, catalogstore.PutAgreed(txn, late))
		must(t, txn.Commit(t.Context()))
		limited, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		b.changing = true
		must(t, b.Member.Begin(limited, always))
		if now := b.agreedOn(t); now.Owner != b.ID() {
			t.Errorf("%+v", now)
		}
	})
}

// always waits.
func always() error { return nil }
