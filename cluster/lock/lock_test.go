package lock

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

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

// TestCommitDeadlock commits rows of a table that is changed, by a session for whose hold of another one the change
// waits.
func TestCommitDeadlock(t *testing.T) { synctest.Test(t, commitDeadlock) }

// TestAwaited freezes a table for a process that then waits for the locks of it: what its owner would do behind the
// change must not wait.
func TestAwaited(t *testing.T) {
	for name, do := range map[string]func(m *Manager, w Wait) error{
		"a commit": func(m *Manager, w Wait) error { return m.BeginCommit(w, tables(1), 0) },
		"a hold":   func(m *Manager, w Wait) error { return m.HoldTable(w, 1) },
	} {
		synctest.Test(t, func(t *testing.T) {
			m := NewManager()
			o := m.NewOwner(1)
			defer o.RollbackTo(0)
			if _, err := o.Acquire(forever(t), Relation(1), RowExclusive, Block); err != nil {
				t.Fatal(err)
			}
			if err := m.Freeze(forever(t), []uint32{1}); err != nil {
				t.Fatal(err)
			}
			w := forever(t)
			w.Owner = o
			ended := make(chan error, 1)
			go func() { ended <- do(m, w) }()
			synctest.Wait()
			select {
			case err := <-ended:
				t.Errorf("%s does not wait for the change: %v", name, err)
			default:
			}
			m.Close([]uint32{1})
			synctest.Wait()
			select {
			case err := <-ended:
				if !errors.Is(err, ErrAwaited) {
					t.Errorf("%s: %v", name, err)
				}
			default:
				t.Errorf("%s waits for the change, which waits for its owner", name)
				if err := m.Freeze(forever(t), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func commitDeadlock(t *testing.T) {
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
	if !m.tables[1].whole {
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
