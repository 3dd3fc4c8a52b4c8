package dynamostore

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// loose are rows with entries of the same keys, which are written loosely.
type loose struct {
	*testing.T
	*Store
	rows, entries *store.Space
}

func createLoose(t *testing.T, s *Store) *loose {
	t.Helper()
	l := &loose{t, s, items(1), items(2)}
	for _, sp := range []*store.Space{l.rows, l.entries} {
		if err := l.Create(t.Context(), sp); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func (l *loose) commit(do func(tx store.Txn) error) {
	l.Helper()
	tx := begin(l.T, l.Store)
	if err := errors.Join(do(tx), tx.Commit(l.Context())); err != nil {
		l.Fatal(err)
	}
}

func (l *loose) put(numbers ...int) {
	l.Helper()
	l.commit(func(tx store.Txn) (err error) {
		for _, n := range numbers {
			err = errors.Join(err, tx.Put(l.rows, bodied(n), store.Absent), tx.Put(l.entries, bodied(n), store.Loose))
		}
		return err
	})
}

// fill puts a row and its entry into spaces that are not read.
func (l *loose) fill(n int) {
	l.Helper()
	tx, err := l.Begin(l.Context(), store.Mode{Bulk: true})
	if err == nil {
		err = errors.Join(tx.Put(l.rows, bodied(n), store.Always), tx.Put(l.entries, bodied(n), store.Always),
			tx.Commit(l.Context()))
	}
	if err != nil {
		l.Fatal(err)
	}
}

// late puts a row that has no entry, or no more.
func (l *loose) late(n int) {
	l.Helper()
	l.commit(func(tx store.Txn) error { return tx.Put(l.rows, bodied(n), store.Absent) })
}

// delete deletes rows that it has read.
func (l *loose) delete(numbers ...int) {
	l.Helper()
	l.commit(func(tx store.Txn) error {
		err := l.remember(tx, numbers...)
		for _, n := range numbers {
			err = errors.Join(err, tx.Delete(l.rows, key(n), store.Unchanged),
				tx.Delete(l.entries, key(n), store.Loose))
		}
		return err
	})
}

func (l *loose) remember(tx store.Txn, rows ...int) error {
	ask := store.Get{Remember: true, Stats: &store.Stats{}}
	for _, n := range rows {
		ask.Keys = append(ask.Keys, key(n))
	}
	_, err := tx.Get(l.Context(), l.rows, &ask, types.NewBatch(0))
	return err
}

// left are the numbers below ten of which there is an entry.
func (l *loose) left() (numbers []int) {
	l.Helper()
	ask := store.Get{Stats: &store.Stats{}}
	for n := range 10 {
		ask.Keys = append(ask.Keys, key(n))
	}
	there, err := begin(l.T, l.Store).Get(l.Context(), l.entries, &ask, types.NewBatch(0))
	if err != nil {
		l.Fatal(err)
	}
	for n, is := range there {
		if is {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// TestDeferredDeletes deletes rows young, whose entries go later. Those stay whose rows are there again, be it by a
// request that comes late, and those of rows that were deleted in one commit with such a one.
func TestDeferredDeletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		defer f.Close()
		l := createLoose(t, openOn(t, f, ""))
		l.put(1, 2, 3, 4)
		l.put(5)
		l.put(6)
		l.delete(1)
		l.delete(2)
		l.put(2)
		l.delete(3)
		l.late(3)
		l.delete(4, 5)
		l.late(4)
		l.commit(func(tx store.Txn) error { // the row gets another entry
			return errors.Join(l.remember(tx, 6), tx.Put(l.rows, bodied(6), store.Unchanged),
				tx.Delete(l.entries, key(6), store.Loose), tx.Put(l.entries, bodied(7), store.Loose))
		})
		time.Sleep(lateness - time.Second)
		if got := l.left(); !slices.Equal(got, []int{1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("entries %v before others can come late", got)
		}
		l.put(8)
		l.delete(8)
		time.Sleep(2 * time.Second)
		if got := l.left(); !slices.Equal(got, []int{2, 3, 4, 5, 7, 8}) {
			t.Errorf("entries %v", got)
		}
		if n := l.Measures()["extras"]; n != 4 {
			t.Errorf("%v entries are told to have stayed, want those in doubt: 2, 3, 4 and 5", n)
		}
		time.Sleep(lateness)
		if got := l.left(); !slices.Equal(got, []int{2, 3, 4, 5, 7}) {
			t.Errorf("entries %v at the end", got)
		}
		l.fill(0)
		l.delete(0)
		l.put(9)
		time.Sleep(2 * lateness)
		if got := l.left(); !slices.Equal(got, []int{2, 3, 4, 5, 7, 9}) {
			t.Errorf("entries %v when that of a row that was filled in has gone", got)
		}
		l.put(0)
		l.delete(0)
		if err := l.Close(); err != nil { // though a deferred delete waits
			t.Error(err)
		}
	})
}

// TestDeferredDeletesMany holds that no more deferred deletes wait than memory is for.
func TestDeferredDeletesMany(t *testing.T) {
	s, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	s.putOff(deferredDelete{runAt: time.Now().Add(time.Hour), entries: make([]write, maxDeferred)})
	s.putOff(deferredDelete{runAt: time.Now().Add(time.Hour), entries: make([]write, 7)})
	if n := s.Measures()["extras"]; n != 7 {
		t.Errorf("%v entries stay", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
