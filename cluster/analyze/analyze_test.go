package analyze_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/catalog/autovacuum"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/analyze"
	"zproxy/internal/nodetest"
	"zproxy/store"
)

// world is a process that renews statistics each minute, and how often it has read a space.
type world struct {
	*nodetest.World
	t     *testing.T
	began time.Time
	scans atomic.Int32
}

func newWorld(t *testing.T, sql string) *world { return begin(t, nodetest.New(t, sql)) }

func begin(t *testing.T, process *nodetest.World) *world {
	w := &world{World: process, t: t, began: time.Now()}
	w.Clock = time.Now
	w.Store.Scan = func(s *store.Space) error {
		if s.ID != catalogstore.SpaceID {
			w.scans.Add(1)
		}
		return nil
	}
	a := &analyze.Analyzer{Node: w.Node, Tables: w.Tables, Now: time.Now, Every: time.Minute,
		Limits: autovacuum.Limits{Threshold: 50, Scale: 0.1}}
	a.Start()
	a.Start() // begins nothing more
	return w
}

// insert inserts rows with numbers.
func (w *world) insert(from, to int) {
	w.Exec(fmt.Sprintf("INSERT INTO a SELECT g, g FROM generate_series(%d, %d) g", from, to))
}

// at waits for a time since the beginning, and looks what is known of the table a then: how many rows, below 0 for
// nothing, and by how many scans.
func (w *world) at(after time.Duration, rows float64, scans int32) {
	w.t.Helper()
	time.Sleep(time.Until(w.began.Add(after + time.Millisecond)))
	synctest.Wait()
	got := -1.0
	if s := &w.Table("a").Stats; s.Known {
		got = s.Rows
		if len(s.Columns) != 2 {
			w.t.Errorf("after %s %d columns are known", after, len(s.Columns))
		}
	}
	if got != rows || w.scans.Load() != scans {
		w.t.Errorf("after %s there are thought to be %.0f rows by %d scans, want %.0f by %d", after, got, w.scans.Load(),
			rows, scans)
	}
}

// TestRounds holds when statistics are renewed: soon where there are none or they are far off, once a minute where a
// tenth has changed, and else never.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b int); CREATE INDEX a_b ON a (b)")
		w.at(2*time.Second, -1, 0)
		w.at(time.Minute, -1, 1) // it is empty, which is not read again
		w.at(3*time.Minute, -1, 1)
		w.insert(1, 20)
		w.at(3*time.Minute+time.Second, 20, 2)
		w.insert(21, 60) // below the threshold
		w.at(5*time.Minute, 20, 2)
		w.insert(61, 1000)
		w.at(5*time.Minute+time.Second, 1000, 3) // it has more than doubled
		w.insert(1001, 1149)
		w.at(7*time.Minute, 1000, 3)
		w.Exec("UPDATE a SET b = 0 WHERE id = 1") // 150 changes: 50 and a tenth
		w.at(7*time.Minute+30*time.Second, 1000, 3)
		w.at(8*time.Minute, 1149, 4)
		w.at(20*time.Minute, 1149, 4)
		if s := w.Table("a").Stats; !s.Analyzed.IsZero() || time.Since(s.Renewed) < 11*time.Minute {
			t.Errorf("analyzed at %v, renewed at %v", s.Analyzed, s.Renewed)
		}
		w.Node.Close()
		w.insert(2000, 9000)
		time.Sleep(time.Hour)
		if got := w.Table("a").Stats.Rows; got != 1149 {
			t.Errorf("behind the end %.0f rows are known", got)
		}
	})
}

// TestFailures leaves a table alone for a minute whose rows could not be read.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b int)")
		defer w.Node.Close()
		w.Store.Scan = func(s *store.Space) error {
			if s.ID != catalogstore.SpaceID && w.scans.Add(1) <= 2 {
				return errors.New("a disk is broken")
			}
			return nil
		}
		w.insert(1, 100)
		w.at(time.Second, -1, 1)
		w.at(time.Minute, -1, 1)
		w.at(time.Minute+time.Second, -1, 2)
		w.at(2*time.Minute, -1, 2)
		w.at(2*time.Minute+time.Second, 100, 3)
	})
}

// TestConflicts keeps no statistics whose commit fails, and makes them anew.
func TestConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b int)")
		defer w.Node.Close()
		failed := false
		w.Store.Commit = func(int) error {
			if failed {
				return nil
			}
			failed = true
			return store.ErrConflict
		}
		w.insert(1, 100)
		w.at(time.Second, -1, 1)
		w.insert(101, 110)
		w.at(time.Minute+time.Second, 110, 2)
	})
}

// TestTableOptions holds that a table may have limits of its own, or leave its statistics to ANALYZE.
func TestTableOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b int) WITH (autovacuum_enabled = off)")
		defer w.Node.Close()
		w.insert(1, 1000)
		w.at(10*time.Minute, -1, 0)
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b int) "+
			"WITH (autovacuum_analyze_threshold = 0, autovacuum_analyze_scale_factor = 0.01)")
		defer w.Node.Close()
		w.insert(1, 1000)
		w.at(time.Second, 1000, 1)
		w.insert(1001, 1009)
		w.at(2*time.Minute, 1000, 1)
		w.insert(1010, 1010)
		w.at(3*time.Minute, 1010, 2)
	})
}

// TestWrittenMeanwhile sees rows that are written while an empty table is read.
func TestWrittenMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b int)")
		defer w.Node.Close()
		w.Store.Scan = func(s *store.Space) error {
			if s.ID != catalogstore.SpaceID && w.scans.Add(1) == 1 {
				w.insert(1, 10)
			}
			return nil
		}
		w.at(time.Minute, -1, 1)
		w.at(time.Minute+time.Second, 10, 2)
	})
}
