package expiry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/cluster/check"
	"zproxy/cluster/expiry"
	"zproxy/internal/nodetest"
	"zproxy/store"
)

const visits = `CREATE TABLE visits (id int PRIMARY KEY, at timestamptz) WITH (ttl = '1 hour', ttl_column = 'at');
CREATE INDEX visits_at ON visits (at);
CREATE TABLE kept (id int PRIMARY KEY, at timestamptz)`

// noon is when rows are removed.
var noon = time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)

func newRemover(t *testing.T, w *nodetest.World) *expiry.Remover {
	w.Clock = func() time.Time { return noon }
	t.Cleanup(func() { agree(t, w) })
	return &expiry.Remover{Node: w.Node, Tables: w.Tables, Now: w.Clock}
}

// agree wants no index to have entries without rows, nor rows without entries.
func agree(t *testing.T, w *nodetest.World) {
	w.Store.Commit = nil
	c := check.Checker{Node: w.Node, Tables: w.Tables, Now: w.Clock}
	for f, err := range c.All(context.WithoutCancel(t.Context()), false) {
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("index %s: %s %s", f.Name, f.Class, f.Key)
	}
}

// fill inserts numbered rows of a table, that were made some time before noon.
func fill(w *nodetest.World, table string, from, to int, before time.Duration) {
	at := noon.Add(-before).Format(time.RFC3339Nano)
	w.Exec(fmt.Sprintf("INSERT INTO %s SELECT g, '%s' FROM generate_series(%d, %d) g", table, at, from, to))
}

func ids(w *nodetest.World, table string) string {
	var out []string
	for _, row := range w.Stored(w.Table(table), "") {
		id, _, _ := strings.Cut(row, " ")
		out = append(out, id)
	}
	return strings.Join(out, " ")
}

// TestOnlyExpiredRows leaves alone what is not expired yet, what never expires, and other tables.
func TestOnlyExpiredRows(t *testing.T) {
	w := nodetest.New(t, visits)
	r := newRemover(t, w)
	fill(w, "visits", 1, 1, 2*time.Hour)
	fill(w, "visits", 2, 2, time.Hour)
	fill(w, "visits", 3, 3, time.Hour-time.Microsecond)
	fill(w, "visits", 4, 4, -time.Hour)
	w.Exec("INSERT INTO visits VALUES (5, NULL), (6, '-infinity'), (7, 'infinity')")
	fill(w, "kept", 1, 1, 2*time.Hour)
	for _, c := range []struct {
		table, left string
		removed     int64
	}{{"kept", "1", 0}, {"visits", "3 4 5 7", 3}, {"visits", "3 4 5 7", 0}} {
		n, err := r.Remove(t.Context(), w.Table(c.table).ID)
		if got := ids(w, c.table); n != c.removed || err != nil || got != c.left {
			t.Errorf("%s: removed %d, %v, left %s; want %d, %s", c.table, n, err, got, c.removed, c.left)
		}
	}
	if entries := w.Stored(w.Table("visits"), "visits_at"); len(entries) != 4 {
		t.Errorf("the index has %q", entries)
	}
	if n, err := r.Remove(t.Context(), 1); n != 0 || err != nil {
		t.Errorf("of a table that is not there %d are removed, %v", n, err)
	}
}

// TestOldDeletes removes the timestamps of deletes that are older than the table keeps them, and nothing else.
func TestOldDeletes(t *testing.T) {
	w := nodetest.New(t, `CREATE TABLE devices (id int PRIMARY KEY, a int)
		WITH (mutability = 'MUTABLE_UDT', delete_retention = '1 hour');
		CREATE INDEX devices_a ON devices (a);
		CREATE TABLE always (id int PRIMARY KEY, a int) WITH (mutability = 'MUTABLE_UDT')`)
	r := newRemover(t, w)
	at := func(before time.Duration) int64 { return noon.Add(-before).UnixMilli() }
	for _, table := range []string{"devices", "always"} {
		w.Exec(fmt.Sprintf("INSERT /*+ _l_ts_(%d) */ INTO %s VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)",
			at(4*time.Hour), table),
			fmt.Sprintf("DELETE /*+ _l_ts_(%d) */ FROM %s WHERE id = 1", at(2*time.Hour), table),
			fmt.Sprintf("DELETE /*+ _l_ts_(%d) */ FROM %s WHERE id = 2", at(time.Hour), table),
			fmt.Sprintf("DELETE /*+ _l_ts_(%d) */ FROM %s WHERE id = 3", at(time.Hour)+1, table),
			fmt.Sprintf("UPDATE /*+ _l_ts_(%d) */ %s SET a = 7 WHERE id = 4", at(3*time.Hour), table),
			fmt.Sprintf("DELETE /*+ _l_ts_(%d) */ FROM %s WHERE id = 4", at(3*time.Hour)-1, table))
	}
	for _, c := range []struct {
		table, left string
		removed     int64
	}{{"always", "1 2 3 4 5", 0}, {"devices", "3 4 5", 2}, {"devices", "3 4 5", 0}} {
		n, err := r.Remove(t.Context(), w.Table(c.table).ID)
		if got := ids(w, c.table); n != c.removed || err != nil || got != c.left {
			t.Errorf("%s: removed %d, %v, left %s; want %d, %s", c.table, n, err, got, c.removed, c.left)
		}
	}
}

// TestWrittenAgain writes a row that was deleted, after its delete was found and before it is removed.
func TestWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := nodetest.New(t, "CREATE TABLE devices (id int PRIMARY KEY, a int) "+
			"WITH (mutability = 'MUTABLE_UDT', delete_retention = '1 hour')")
		r := newRemover(t, w)
		w.Exec("INSERT /*+ _l_ts_(1) */ INTO devices VALUES (1, 1), (2, 2)",
			"DELETE /*+ _l_ts_(2) */ FROM devices WHERE a > 0")
		w.Store.Commit = func(int) error {
			w.Store.Commit = nil
			w.Exec("INSERT /*+ _l_ts_(3) */ INTO devices VALUES (2, 3)")
			return store.ErrConflict
		}
		n, err := r.Remove(t.Context(), w.Table("devices").ID)
		if n != 1 || err != nil || ids(w, "devices") != "2" {
			t.Errorf("removed %d, %v, left %s", n, err, ids(w, "devices"))
		}
	})
}

// TestRemovalGoesOn ends a removal between two of its transactions. What the first one removed is gone, and
// the next removal takes the rest.
func TestRemovalGoesOn(t *testing.T) {
	w := nodetest.New(t, visits)
	r := newRemover(t, w)
	fill(w, "visits", 1, 1200, 2*time.Hour)
	fill(w, "visits", 2000, 2001, 0)
	broken := errors.New("the store is gone")
	commits := 0
	w.Store.Commit = func(int) error {
		if commits++; commits == 2 {
			return broken
		}
		return nil
	}
	n, err := r.Remove(t.Context(), w.Table("visits").ID)
	left := len(w.Stored(w.Table("visits"), ""))
	if !errors.Is(err, broken) || commits != 2 || n < 500 || n > 1000 || left != 1202-int(n) {
		t.Errorf("%d commits removed %d, %v, left %d", commits, n, err, left)
	}
	agree(t, w)
	rest, err := r.Remove(t.Context(), w.Table("visits").ID)
	if rest != 1200-n || err != nil || ids(w, "visits") != "2000 2001" {
		t.Errorf("then removed %d of %d, %v, left %s", rest, 1200-n, err, ids(w, "visits"))
	}
}

// TestKeyIsTakenAgain inserts a row over one that has expired, after that was found and before it is removed.
func TestKeyIsTakenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := nodetest.New(t, visits)
		r := newRemover(t, w)
		fill(w, "visits", 1, 3, 2*time.Hour)
		w.Store.Commit = func(int) error {
			w.Store.Commit = nil
			w.Exec("INSERT INTO visits VALUES (2, '2026-03-28 11:30+00')")
			return store.ErrConflict
		}
		n, err := r.Remove(t.Context(), w.Table("visits").ID)
		if n != 2 || err != nil || ids(w, "visits") != "2" {
			t.Errorf("removed %d, %v, left %s", n, err, ids(w, "visits"))
		}
	})
}

// TestSmallTransactions removes rows in as many transactions as the store wants.
func TestSmallTransactions(t *testing.T) {
	w := nodetest.New(t, visits)
	r := newRemover(t, w)
	fill(w, "visits", 1, 50, 2*time.Hour)
	var sizes []int
	w.Store.Commit = func(writes int) error {
		if writes > 30 {
			return store.ErrTooLarge
		}
		sizes = append(sizes, writes)
		return nil
	}
	n, err := r.Remove(t.Context(), w.Table("visits").ID)
	if n != 50 || err != nil || ids(w, "visits") != "" || !slices.Equal(sizes, []int{24, 26, 24, 26}) {
		t.Errorf("removed %d, %v, in %v", n, err, sizes)
	}
}

// TestRounds removes what expires from time to time, until the process ends.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := nodetest.New(t, visits)
		w.Clock = time.Now
		r := &expiry.Remover{Node: w.Node, Tables: w.Tables, Now: time.Now, Every: time.Minute}
		for id, left := range []time.Duration{90 * time.Second, 10 * time.Minute} {
			at := time.Now().Add(left - time.Hour).UTC().Format(time.RFC3339Nano)
			w.Exec(fmt.Sprintf("INSERT INTO visits VALUES (%d, '%s')", id, at))
		}
		var scans atomic.Int32
		w.Store.Scan = func(*store.Space) error {
			scans.Add(1)
			return nil
		}
		r.Start()
		r.Start() // begins nothing more
		began := time.Now()
		for _, c := range []struct {
			at   time.Duration
			left string
		}{{time.Minute, "0 1"}, {119 * time.Second, "0 1"}, {2 * time.Minute, "1"}, {10 * time.Minute, ""}} {
			time.Sleep(time.Until(began.Add(c.at + time.Millisecond)))
			synctest.Wait()
			if got := ids(w, "visits"); got != c.left {
				t.Errorf("after %s there are rows %q, want %q", c.at, got, c.left)
			}
			if rounds := int32(c.at / time.Minute); scans.Load() != rounds {
				t.Errorf("after %s there were %d scans, want %d", c.at, scans.Load(), rounds)
			}
		}
		w.Node.Close()
		w.Exec("INSERT INTO visits VALUES (9, '1999-01-01+00')")
		time.Sleep(time.Hour)
		if got := ids(w, "visits"); got != "9" {
			t.Errorf("behind the end there are rows %q", got)
		}
	})
}
