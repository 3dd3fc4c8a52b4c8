package pebblestore

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/testseed"
	"zproxy/store"
)

// noLoads wants no table to be left that is not part of the database.
func noLoads(t *testing.T, fs vfs.FS) {
	t.Helper()
	names, err := fs.List("db")
	must(t, err)
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, loadPrefix) }) {
		t.Errorf("tables are left: %v", names)
	}
}

// TestTables makes tables of runs in random order and in that of the keys, which a crash then keeps or not as a whole.
func TestTables(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, rising := range []bool{true, false} {
		fs := vfs.NewCrashableMem()
		s := openMem(t, fs)
		must(t, s.Create(ctx, texts))
		load := begin(t, s, store.Mode{Bulk: true})
		order := random.Perm(2000)
		if rising {
			slices.Sort(order)
		}
		for n, i := range order {
			must(t, load.Put(texts, textAt(i, "x"), store.Absent))
			if n%500 == 499 {
				must(t, load.emit(0))
			}
		}
		before := fs.CrashClone(vfs.CrashCloneCfg{})
		must(t, load.Commit(ctx))
		if n := len(contents(t, s)); n != 2000 {
			t.Errorf("%d items, want 2000", n)
		}
		after := fs.CrashClone(vfs.CrashCloneCfg{})
		must(t, s.Close())
		for fs, want := range map[*vfs.MemFS]int{before: 0, after: 2000} {
			s := openMem(t, fs)
			if n := len(contents(t, s)); n != want {
				t.Errorf("%d items after a crash, want %d", n, want)
			}
			noLoads(t, fs)
			must(t, s.Close())
		}
	}
}

// TestTablesTwice finds that a key was put twice, in one run and in two, and keeps nothing then.
func TestTablesTwice(t *testing.T) {
	for _, every := range []int{7, 1000} {
		fs := vfs.NewMem()
		s := openMem(t, fs)
		must(t, s.Create(ctx, texts))
		load := begin(t, s, store.Mode{Bulk: true})
		var err error
		for n, i := range []int{5, 3, 9, 1, 2, 4, 8, 3, 7} {
			must(t, load.Put(texts, textAt(i, "x"), store.Absent))
			if n%every == every-1 {
				err = errors.Join(err, load.emit(0))
			}
		}
		var twice *store.Duplicate
		if err = errors.Join(err, load.emit(0), load.Commit(ctx)); !errors.As(err, &twice) ||
			string(twice.Key) != "p000003" || twice.Space != texts.ID {
			t.Errorf("every %d: %v", every, err)
		}
		if n := len(contents(t, s)); n != 0 {
			t.Errorf("%d items are there", n)
		}
		load = begin(t, s, store.Mode{Bulk: true})
		must(t, load.Put(texts, textAt(1, "x"), store.Always))
		must(t, load.emit(0))
		load.Rollback()
		noLoads(t, fs)
		must(t, s.Close())
	}
}

// TestAdoptSpace sees what was loaded, in one transaction alone, and not behind a rollback to a mark before.
func TestAdoptSpace(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	must(t, s.Create(ctx, texts))
	tx := begin(t, s, store.Mode{})
	count := func(txn store.Txn) (n int) {
		for batch, err := range txn.Scan(ctx, texts, &store.Scan{Columns: []int{0}, Stats: &store.Stats{}}) {
			must(t, err)
			n += batch.Len()
		}
		return n
	}
	sees := func(what string, txn store.Txn, want int) {
		t.Helper()
		if n := count(txn); n != want {
			t.Errorf("%s: %d items, want %d", what, n, want)
		}
	}
	mark := tx.Mark()
	past, release := store.Past(tx)
	loadTexts(t, s, 10)
	sees("before", tx, 0)
	tx.Adopt(*texts)
	sees("adopted", tx, 10)
	sees("past", past, 0)
	release()
	must(t, tx.Put(texts, textAt(20, "own"), store.Absent))
	later := tx.Mark()
	sees("own", tx, 11)
	tx.RollbackTo(later)
	sees("later mark", tx, 11)
	tx.Refresh()
	sees("refreshed", tx, 11)
	tx.RollbackTo(mark)
	sees("rolled back", tx, 0)
	must(t, tx.Put(texts, textAt(1, "own"), store.Absent))
	must(t, tx.Commit(ctx))
	if n := len(contents(t, s)); n != 1 {
		t.Errorf("%d items are committed, want 1", n)
	}
	must(t, s.Close())
}
