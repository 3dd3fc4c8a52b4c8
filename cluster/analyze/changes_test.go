package analyze_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/extent"
	"zproxy/store"
	"zproxy/types"
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
		return catalogstore.EachChanged(w.t.Context(), txn, w.Node.Whole(),
			func(uint32, *catalog.Table, catalogstore.Changed) { n++ })
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

// TestEndsSurvive wants what is written beyond the statistics to be known to other processes and to later ones, until
// there are new ones.
func TestEndsSurvive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b timestamp); CREATE INDEX ON a (b DESC)")
		write := func(w *world, from, to int) {
			w.Exec(fmt.Sprintf("INSERT INTO a SELECT n, '2024-01-01'::timestamp + n * '1 day'::interval "+
				"FROM generate_series(%d, %d) AS n", from, to))
		}
		write(a, 1, 1000)
		pass(time.Second)
		a.ends("with statistics", "none, none; none, none")
		write(a, -19, 0)
		write(a, 1001, 1040)
		a.Exec("DELETE FROM a WHERE id > 1030")
		pass(time.Minute)
		a.ends("where it was written", "20 from -19, 30 to 1040; 20 from 2023-12-13 00:00:00, 30 to 2026-11-06 00:00:00")
		b := begin(t, a.Another())
		pass(time.Second)
		b.ends("in another process", "20 from -19, 30 to 1040; 20 from 2023-12-13 00:00:00, 30 to 2026-11-06 00:00:00")
		write(b, 1041, 1045)
		b.Node.Close()
		write(a, 1046, 1050)
		a.Node.Close()
		c := begin(t, a.Another())
		defer c.Node.Close()
		pass(time.Second)
		c.ends("in a later one", "20 from -19, 40 to 1050; 20 from 2023-12-13 00:00:00, 40 to 2026-11-16 00:00:00")
		write(c, 2000, 2200)
		pass(time.Minute)
		c.ends("with new statistics", "none, none; none, none")
	})
}

// ends wants what is known to lie beyond the statistics of the columns of the table a, on either side.
func (w *world) ends(when, want string) {
	w.t.Helper()
	var got []string
	for _, c := range w.Table("a").Columns {
		tails := w.Table("a").Stats.Column(c.ID).Beyond
		text := func(in extent.Tail, towards string) string {
			if in == (extent.Tail{}) {
				return "none"
			}
			return fmt.Sprintf("%g %s %s", in.Rows, towards, types.FormatText(in.Value, c.Type, &types.Env{}))
		}
		got = append(got, text(tails.Below, "from")+", "+text(tails.Above, "to"))
	}
	if got := strings.Join(got, "; "); got != want {
		w.t.Errorf("%s: %s, want %s", when, got, want)
	}
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
		w.In(func(txn store.Txn) error { return catalogstore.Delete(txn, catalog.DatabaseID, w.Table("a")) })
		again := begin(t, w.Another())
		defer again.Node.Close()
		pass(time.Second)
		if got := w.stored(); got != 0 {
			t.Errorf("%d counts are stored of no table", got)
		}
	})
}
