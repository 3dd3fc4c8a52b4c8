package lock

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
)

// moment is how long a fake clock waits for what must not happen.
const moment = 20 * time.Millisecond

func forever(t *testing.T) Wait { return Wait{Ctx: t.Context()} }

func briefly(t *testing.T) Wait { return Wait{Ctx: t.Context(), Limit: moment} }

func tables(ids ...uint32) map[uint32]bool {
	out := map[uint32]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

// TestTables says of each lock of table 1 what else can be had at that time.
func TestTables(t *testing.T) { synctest.Test(t, tryTables) }

func tryTables(t *testing.T) {
	for _, test := range []struct {
		name          string
		take          func(m *Manager) error
		commits, hold bool // whether they can begin
		steps, whole  bool // whether a change of the state of an index, and another one, excludes commits
	}{
		{"nothing", func(*Manager) error { return nil }, true, true, true, true},
		{"a commit", func(m *Manager) error { return m.BeginCommit(forever(t), tables(1), 0) }, true, true, false, false},
		{"a commit of another table", func(m *Manager) error { return m.BeginCommit(forever(t), tables(2), 0) }, true, true, true, true},
		{"a hold", func(m *Manager) error { return m.HoldTable(forever(t), 1) }, true, true, true, false},
		{"a change", func(m *Manager) error { return m.Exclude(forever(t), 1, true) }, false, false, true, true},
		{"a table frozen by another process", func(m *Manager) error { return m.Freeze(forever(t), []uint32{1}) }, false, false, true, true},
	} {
		for what, try := range map[string]struct {
			do   func(m *Manager) error
			want bool
		}{
			"a commit":     {func(m *Manager) error { return m.BeginCommit(briefly(t), tables(1), 0) }, test.commits},
			"a hold":       {func(m *Manager) error { return m.HoldTable(briefly(t), 1) }, test.hold},
			"a step":       {func(m *Manager) error { return m.Exclude(briefly(t), 1, false) }, test.steps},
			"a change":     {func(m *Manager) error { return m.Exclude(briefly(t), 1, true) }, test.whole},
			"a frozen one": {func(m *Manager) error { return m.Freeze(briefly(t), []uint32{1}) }, test.name != "a commit" && test.name != "a hold"},
		} {
			m := NewManager()
			if err := test.take(m); err != nil {
				t.Fatal(test.name, err)
			}
			err := try.do(m)
			if (err == nil) != try.want || err != nil && !sqlerr.Has(err, sqlerr.LockNotAvailable) {
				t.Errorf("%s beside %s: %v, want it: %v", what, test.name, err, try.want)
			}
		}
	}
}

// TestDeadlock commits rows of a table that is changed, by a session for whose hold of another one the change waits.
func TestDeadlock(t *testing.T) { synctest.Test(t, deadlock) }

func deadlock(t *testing.T) {
	m := NewManager()
	if err := m.HoldTable(forever(t), 1); err != nil {
		t.Fatal(err)
	}
	if err := m.Exclude(forever(t), 2, true); err != nil {
		t.Fatal(err)
	}
	changed := make(chan error, 1)
	go func() { changed <- m.Exclude(forever(t), 1, true) }()
	synctest.Wait()
	if !m.ChangeWaits(1) {
		t.Error("the change does not wait")
	}
	if err := m.BeginCommit(forever(t), tables(1, 2), 1); !sqlerr.Has(err, sqlerr.DeadlockDetected) {
		t.Errorf("%v", err)
	}
	m.ReleaseTables(tables(1))
	if err := <-changed; err != nil {
		t.Error(err)
	}
	m.EndChange(tables(1, 2))
	if !m.Idle() {
		t.Error("something is left")
	}
}

// TestAdvisoryModel takes advisory locks in many sessions and holds who has which against a model. Sessions that
// wait for each other in a circle would never end.
func TestAdvisoryModel(t *testing.T) {
	seed := testseed.Of(t)
	const sessions, keys, steps = 6, 4, 300
	m, refused := NewManager(), 0
	var mu sync.Mutex
	owners := map[Key]map[uint32][2]int{} // exclusive, shared
	count := func(session uint32, l Advisory, by int) {
		mu.Lock()
		defer mu.Unlock()
		if owners[l.Key] == nil {
			owners[l.Key] = map[uint32][2]int{}
		}
		n := owners[l.Key][session]
		if l.Shared {
			n[1] += by
		} else {
			n[0] += by
		}
		owners[l.Key][session] = n
		for other, h := range owners[l.Key] {
			if by > 0 && other != session && (h[0] > 0 || h[1] > 0 && !l.Shared) {
				t.Errorf("sessions %d and %d both have %+v", session, other, l)
			}
		}
	}
	var all sync.WaitGroup
	for session := range uint32(sessions) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(session)))
			var mine []Advisory
			for range steps {
				l := Advisory{Key{Number: int64(r.IntN(keys))}, r.IntN(2) == 0}
				got, err := m.Advise(forever(t), session, l, r.IntN(4) == 0)
				if err != nil && !sqlerr.Has(err, sqlerr.DeadlockDetected) {
					t.Error(err)
				}
				if got {
					count(session, l, 1)
					mine = append(mine, l)
				}
				if err != nil || len(mine) > 3 { // a session that was refused gives back what others wait for
					mu.Lock()
					if err != nil {
						refused++
					}
					mu.Unlock()
					for _, l := range mine {
						count(session, l, -1)
					}
					m.ReleaseAdvisory(session, mine)
					mine = nil
				}
			}
			for _, l := range mine {
				count(session, l, -1)
			}
			m.ReleaseAdvisory(session, mine)
		})
	}
	all.Wait()
	m.Each(func(session uint32, l Advisory, granted bool) {
		t.Errorf("session %d has %+v, %v", session, l, granted)
	})
	t.Logf("%d refused", refused)
}

// TestBlocking asks whom a session waits for, and lets its wait end by its context and by its time.
func TestBlocking(t *testing.T) { synctest.Test(t, blocking) }

func blocking(t *testing.T) {
	m, l := NewManager(), Advisory{Key: Key{Number: 7}}
	for session := range uint32(2) {
		if got, err := m.Advise(forever(t), session, Advisory{l.Key, true}, false); !got || err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := m.Advise(Wait{Ctx: ctx}, 2, l, false)
		ended <- err
	}()
	synctest.Wait()
	if list := m.Blocking(2); !slices.Equal(list, []uint32{0, 1}) {
		t.Errorf("it waits for %v", list)
	}
	stop(context.DeadlineExceeded)
	if err := <-ended; err != context.DeadlineExceeded {
		t.Error(err)
	}
	if _, err := m.Advise(briefly(t), 2, l, false); !sqlerr.Has(err, sqlerr.LockNotAvailable) {
		t.Error(err)
	}
	if list := m.Blocking(2); list != nil {
		t.Errorf("it waits for %v", list)
	}
}
