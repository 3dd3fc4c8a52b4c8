package analyze_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/catalog/catalogstore"
	"zproxy/store"
)

// changed is what a process knows to have changed of the table a since its statistics were made.
func (w *world) changed() string {
	c := w.Node.Tally.Since(w.Table("a").ID, w.Table("a").Stats.Made())
	return fmt.Sprintf("+%d ~%d -%d", c.Inserted, c.Updated, c.Deleted)
}

func (w *world) wants(when, want string) {
	w.t.Helper()
	if got := w.changed(); got != want {
		w.t.Errorf("%s: %s, want %s", when, got, want)
	}
}

// pass lets time pass.
func pass(d time.Duration) {
	time.Sleep(d + time.Millisecond)
	synctest.Wait()
}

// stored is of how many tables counts are stored.
func (w *world) stored() (n int) {
	w.In(func(txn store.Txn) error {
		return catalogstore.EachChanged(w.t.Context(), txn, func(uint32, catalogstore.Changed) { n++ })
	})
	return n
}

const tableA = "CREATE TABLE a (id int PRIMARY KEY, b int)"

// TestCountsSurvive holds what a process knows of the changes before its time: all behind an orderly end, and behind
// another one what was stored, in a round and if it was a tenth of what renews statistics.
func TestCountsSurvive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, tableA)
		w.insert(1, 1000)
		pass(time.Second)
		w.insert(1001, 1014)
		pass(time.Minute)
		w.at(2*time.Minute, 1000, 1)
		again := begin(t, w.Another())
		pass(time.Second)
		again.wants("14 of 1000 are not stored", "+0 ~0 -0")
		again.Node.Close()
		w.insert(1015, 1020)
		pass(time.Minute)
		again = begin(t, w.Another())
		again.wants("before the first look", "+0 ~0 -0")
		pass(time.Second)
		again.wants("20 are", "+20 ~0 -0")
		again.Node.Close() // which has nothing to say
		w.Exec("DELETE FROM a WHERE id = 7", "UPDATE a SET b = 0 WHERE id < 3")
		w.Node.Close()
		again = begin(t, w.Another())
		defer again.Node.Close()
		pass(time.Second)
		again.wants("behind an orderly end", "+20 ~2 -1")
		again.insert(2000, 2126)
		again.at(2*time.Minute, 1146, 1) // which is a tenth and 50 together
		again.wants("with new statistics", "+0 ~0 -0")
	})
}

// TestCountsOfSeveral wants processes to count together, of the newest statistics.
func TestCountsOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newWorld(t, tableA)
		a.insert(1, 1000)
		pass(time.Second)
		b := begin(t, a.Another())
		for i := range 3 {
			a.insert(2000+20*i, 2019+20*i)
			b.insert(3000+20*i, 3019+20*i)
			pass(time.Minute)
		}
		if got := []string{a.changed(), b.changed()}; got[0] != "+120 ~0 -0" && got[1] != "+120 ~0 -0" {
			t.Errorf("they know of %v, and the last one knows of all", got)
		}
		a.insert(4000, 4019)
		pass(time.Minute)
		a.insert(5000, 5019) // behind a round in which it saw 140
		a.at(6*time.Minute, 1160, 2)
		b.insert(6000, 6019) // it goes by the old statistics, which count no more
		b.Node.Close()
		a.wants("with new statistics", "+0 ~0 -0")
		a.insert(7000, 7029)
		a.Node.Close()
		c := begin(t, a.Another())
		defer c.Node.Close()
		pass(time.Second)
		c.wants("of the newest statistics", "+30 ~0 -0")
	})
}

// TestCountsOfGone forgets the counts of tables that are no more, and goes on where the store fails.
func TestCountsOfGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, tableA+" WITH (autovacuum_enabled = off)")
		defer w.Node.Close()
		w.Store.Commit = func(int) error { return errors.New("a disk is broken") }
		w.insert(1, 10)
		pass(time.Minute)
		w.Store.Commit = nil
		pass(time.Minute)
		w.wants("stored with the second try", "+10 ~0 -0")
		if got := w.stored(); got != 1 {
			t.Errorf("%d counts are stored", got)
		}
		w.In(func(txn store.Txn) error { return catalogstore.Delete(txn, w.Table("a")) })
		again := begin(t, w.Another())
		defer again.Node.Close()
		pass(time.Second)
		if got := w.stored(); got != 0 {
			t.Errorf("%d counts are stored of no table", got)
		}
	})
}
