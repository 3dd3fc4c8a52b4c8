package pebblestore

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
	"zproxy/types"
)

// writeText commits one text.
func writeText(t testing.TB, s *Store, value string) {
	t.Helper()
	tx := begin(t, s, store.Mode{})
	must(t, tx.Put(texts, textAt(1, value), store.Always))
	must(t, tx.Commit(ctx))
}

// readText is the text that writeText wrote, as a transaction sees it.
func readText(t testing.TB, tx *txn) string {
	t.Helper()
	out := types.NewBatch(1)
	_, err := tx.Get(ctx, texts, &store.Get{Keys: []store.Key{textAt(1, "").Key}, Columns: []int{0},
		Stats: &store.Stats{}}, out)
	must(t, err)
	return out.Row(0)[0].Text()
}

// TestSnapshots shares snapshots between two writes, and closes those that no one holds.
func TestSnapshots(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	open := func(want int) {
		t.Helper()
		if got := s.db.Metrics().Snapshots.Count; got != want {
			t.Errorf("%d snapshots are open, want %d", got, want)
		}
	}
	writeText(t, s, "old")
	a, b := begin(t, s, store.Mode{ReadOnly: true}), begin(t, s, store.Mode{})
	open(1)
	a.Rollback()
	open(1)
	writeText(t, s, "new")
	c := begin(t, s, store.Mode{ReadOnly: true})
	open(2)
	if got := readText(t, b) + " " + readText(t, c); got != "old new" {
		t.Errorf("an old and a new transaction read %s", got)
	}
	b.Rollback()
	open(1)
	c.Rollback()
	open(1)
	writeText(t, s, "newer")
	open(1)
	begin(t, s, store.Mode{ReadOnly: true}).Rollback()
	must(t, s.Close())
}

// TestSnapshotsConcurrent begins transactions beside a writer: each must see what was
// committed before it began, and none less than one before it.
func TestSnapshotsConcurrent(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	defer s.Close()
	const writes = 500
	var committed atomic.Int64
	var readers sync.WaitGroup
	writeText(t, s, "0")
	for _, mode := range []store.Mode{{ReadOnly: true}, {ReadOnly: true}, {}} {
		readers.Go(func() {
			for seen := 0; seen < writes; {
				least := max(seen, int(committed.Load()))
				tx := begin(t, s, mode)
				got, _ := strconv.Atoi(readText(t, tx))
				tx.Rollback()
				if got < least {
					t.Errorf("read %d after %d was committed and %d was read", got, committed.Load(), seen)
					return
				}
				seen = got
			}
		})
	}
	for i := range writes {
		writeText(t, s, strconv.Itoa(i+1))
		committed.Store(int64(i + 1))
	}
	readers.Wait()
}

// TestResting lets iterators of scans that are done rest, but not on tables that are no more.
func TestResting(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	scan := func(want string) {
		t.Helper()
		tx := begin(t, s, store.Mode{ReadOnly: true})
		defer tx.Rollback()
		r := store.Scan{Range: store.Range{Partition: []byte("p")}, Columns: []int{0}, Stats: &store.Stats{}}
		for batch, err := range tx.Scan(ctx, texts, &r) {
			must(t, err)
			if got := batch.Row(0)[0].Text(); got != want {
				t.Errorf("read %s, want %s", got, want)
			}
		}
	}
	rest := func(want int) {
		t.Helper()
		got := 0
		if sn := s.snapshots.latest; sn != nil {
			got = len(sn.resting)
		}
		if got != want {
			t.Errorf("%d iterators rest, want %d", got, want)
		}
	}
	writeText(t, s, "old")
	scan("old")
	scan("old")
	rest(1)
	must(t, s.db.Flush())
	for { // that tables have changed is told a little later, perhaps during a scan
		before := s.snapshots.tables.Load()
		scan("old")
		if before > 0 && before == s.snapshots.tables.Load() {
			break
		}
	}
	rest(1)
	writeText(t, s, "new")
	rest(0)
	scan("new")
	must(t, s.db.Flush())
	begin(t, s, store.Mode{ReadOnly: true}).Rollback()
	rest(0)
	must(t, s.Close())
}
