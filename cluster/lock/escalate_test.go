package lock

import (
	"testing"

	"zproxy/internal/memory"
	"zproxy/sqlerr"
)

// TestIntents holds the modes in which spaces are locked against those of rows: intents never conflict with each other,
// and with the lock of all rows wherever the locks of rows would.
func TestIntents(t *testing.T) {
	rows := []Mode{KeyShare, Share, NoKeyUpdate, Update}
	conflict := func(a, b Mode) bool { return a.conflicts()&b.bit() != 0 }
	for _, a := range rows {
		if !setOf(escalated[a]).covers(a) || escalatedModes&escalated[a].bit() == 0 {
			t.Errorf("%v of all rows is less than %v of each", escalated[a], a)
		}
		for _, b := range rows {
			if conflict(intents[a], intents[b]) {
				t.Errorf("the intents of %v and %v conflict", a, b)
			}
			if conflict(a, b) && !conflict(intents[a], escalated[b]) {
				t.Errorf("%v of a row does not conflict with %v of all", a, b)
			}
		}
	}
}

// lockRows locks rows from one number on until it fails, and says how many.
func lockRows(t *testing.T, o *Owner, from, n int) (int, error) {
	for i := range n {
		tag := Tag{Class: Row, Space: 5, Key: uint64(from + i)}
		if g, err := o.Acquire(forever(t), tag, NoKeyUpdate, NoWait); err != nil || !g.Granted {
			return i, err
		}
	}
	return n, nil
}

// TestShortMemory fills the memory with locks of rows. While another owner has a row of the space that is an error,
// which leaves nothing locked; otherwise the locks become one.
func TestShortMemory(t *testing.T) {
	m, pool := NewManager(), memory.NewPool(1<<20)
	greedy, other, account := m.NewOwner(1), m.NewOwner(2), pool.Account()
	greedy.Memory = &account
	if _, err := lockRows(t, other, 0, 1); err != nil {
		t.Fatal(err)
	}
	n, err := lockRows(t, greedy, 1, 50_000)
	if !sqlerr.Has(err, sqlerr.OutOfMemory) || n < 1000 || greedy.Held() != n || account.Held() != int64(n*Bytes) {
		t.Fatalf("%d locks, %d held, %d bytes: %v", n, greedy.Held(), account.Held(), err)
	}
	if n, err := lockRows(t, other, 1+n, 1); n != 1 {
		t.Errorf("the row that was refused is locked: %v", err)
	}
	other.RollbackTo(0)
	if n, err := lockRows(t, greedy, 1, 50_000); n != 50_000 || greedy.Held() > 3 || account.Held() > 3*Bytes {
		t.Errorf("%d locks, %d held, %d bytes: %v", n, greedy.Held(), account.Held(), err)
	}
	if n, err := lockRows(t, other, 100_000, 1); n != 0 || err != nil {
		t.Errorf("another owner got a row of a space that is locked: %v", err)
	}
	greedy.RollbackTo(0)
	if n, _ := lockRows(t, other, 1, 10); n != 10 || account.Held() != 0 || m.escalations.Load() != 0 {
		t.Errorf("%d rows, %d bytes, %d spaces locked", n, account.Held(), m.escalations.Load())
	}
}

// TestManyRows escalates at the number of the manager, and not at all beside an owner that has a row. How often it
// tries does not grow with the number of locks.
func TestManyRows(t *testing.T) {
	m := NewManager()
	m.Most = 1000
	a, b := m.NewOwner(1), m.NewOwner(2)
	if n, _ := lockRows(t, a, 0, 999); n != 999 || a.Held() != 999 {
		t.Errorf("%d locks are %d", n, a.Held())
	}
	if n, _ := lockRows(t, a, 999, 5000); n != 5000 || a.Held() != 1 {
		t.Errorf("%d more are %d", n, a.Held())
	}
	a.RollbackTo(0)
	if n, _ := lockRows(t, b, 10_000, 1); n != 1 {
		t.Error("a row is left locked")
	}
	if n, _ := lockRows(t, a, 0, 5000); n != 5000 || a.Held() != 5000 || a.escalates != 8000 {
		t.Errorf("%d locks are %d, and it tries again at %d", n, a.Held(), a.escalates)
	}
}
