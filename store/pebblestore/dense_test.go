package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

const denseItems = 4000

// fill puts items into a space that take less room the better they are compressed.
func fill(t *testing.T, s *Store, sp *store.Space) {
	t.Helper()
	tx := begin(t, s, store.Mode{})
	for i := range denseItems {
		it := textAt(i, fmt.Sprintf("order %d of customer %x, to be delivered at %d", i, i*7919%5000, i*31%977))
		must(t, tx.Put(sp, it, store.Always))
	}
	must(t, tx.Commit(ctx))
}

// compacted is how many bytes a space takes once all of its tables are written anew that are to be.
func compacted(t *testing.T, s *Store, sp *store.Space) int64 {
	t.Helper()
	s.compact(overlay.AppendBounds(nil, sp.ID, store.Range{}))
	bytes, known, err := s.Bytes(ctx, sp)
	must(t, err)
	if !known || bytes == 0 {
		t.Fatalf("space %s: %d bytes, known %v", sp.Name, bytes, known)
	}
	return bytes
}

// compressions are those of the tables that have items of a space.
func compressions(t *testing.T, s *Store, sp *store.Space) []string {
	t.Helper()
	from, to := overlay.AppendBounds(nil, sp.ID, store.Range{})
	levels, err := s.db.SSTables(pebble.WithProperties(), pebble.WithKeyRangeFilter(from, to))
	must(t, err)
	var names []string
	for _, table := range slices.Concat(levels...) {
		names = append(names, table.Properties.CompressionName)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestDenseSpaces fills two spaces with the same items, one of which is dense, lets them change places, and opens
// the store again. Whichever is dense then takes less room, what is between two dense ones is not dense, and the items
// stay.
func TestDenseSpaces(t *testing.T) {
	fs := vfs.NewMem()
	s := openMem(t, fs)
	usual := &store.Space{ID: 6, Name: "usual", Sorted: true, Columns: texts.Columns}
	dense := &store.Space{ID: 5, Name: "dense", Sorted: true, Columns: texts.Columns, Dense: true}
	last := &store.Space{ID: 7, Name: "last", Sorted: true, Columns: texts.Columns, Dense: true}
	all := []*store.Space{dense, usual, last}
	for _, sp := range all {
		must(t, s.Create(ctx, sp))
		fill(t, s, sp)
	}
	compare := func(when string) {
		t.Helper()
		most, least := compacted(t, s, usual), max(compacted(t, s, dense), compacted(t, s, last))
		if ratio := float64(least) / float64(most); ratio > 0.8 {
			t.Errorf("%s: dense spaces take %d bytes, the other one %d: %.2f", when, least, most, ratio)
		}
		for _, sp := range all {
			if n, _, err := s.Items(ctx, sp); err != nil || n < denseItems/2 {
				t.Errorf("%s: %s has %d items, %v", when, sp.Name, n, err)
			}
		}
	}
	compare("made")
	usual.Dense, dense.Dense = true, false
	for _, sp := range all {
		must(t, s.AlterSpace(ctx, sp))
		must(t, s.AlterSpace(ctx, sp))
	}
	usual, dense = dense, usual
	compare("altered")
	must(t, s.Close())
	s = openMem(t, fs)
	for _, sp := range all {
		fill(t, s, sp)
	}
	compare("opened again")
	must(t, s.Drop(ctx, last))
	must(t, s.Close())
	s = openMem(t, fs)
	defer s.Close()
	if got := s.ledger.denseSpaces(); !slices.Equal(got, []store.SpaceID{dense.ID}) {
		t.Errorf("after the drop of a dense space these are: %v", got)
	}
}

// TestDenseInLedger writes the ledger anew, which keeps what spaces are dense.
func TestDenseInLedger(t *testing.T) {
	l := newLedger(vfs.NewMem(), "")
	for id := range store.SpaceID(9) {
		l.putDense(9-id, true)
	}
	l.putDense(4, false)
	must(t, l.rewrite())
	read, err := readLedger(l.fs, "")
	must(t, err)
	if want := []store.SpaceID{1, 2, 3, 5, 6, 7, 8, 9}; !slices.Equal(read.dense, want) {
		t.Errorf("%v, want %v", read.dense, want)
	}
}

// TestUsualCompression wants a store without dense spaces to be written as before there were any, and so again when
// the last one is gone.
func TestUsualCompression(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	defer s.Close()
	must(t, s.Create(ctx, texts))
	want := func(when, names string) {
		t.Helper()
		fill(t, s, texts)
		compacted(t, s, texts)
		if got := strings.Join(compressions(t, s, texts), " "); !strings.HasPrefix(got, names) {
			t.Errorf("%s: %q, want %s", when, got, names)
		}
	}
	want("without a dense space", "Snappy")
	other := &store.Space{ID: texts.ID + 1, Name: "other", Sorted: true, Columns: texts.Columns, Dense: true}
	must(t, s.Create(ctx, other))
	want("beside one", "Fastest")
	must(t, s.Drop(ctx, other))
	want("without one again", "Snappy")
}

// TestSalvageKeepsDense salvages a store while a space was about to become dense: its items are all there, and it
// is dense in the new store.
func TestSalvageKeepsDense(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := openSmall(fs, nil)
	must(t, err)
	must(t, s.Create(ctx, texts))
	fill(t, s, texts)
	tx := begin(t, s, store.Mode{})
	must(t, tx.Put(texts, store.Item{Values: textAt(0, "the first key that there is").Values}, store.Absent))
	must(t, tx.Commit(ctx))
	altered := *texts
	altered.Dense = true
	must(t, s.AlterSpace(ctx, &altered))
	files := imageOf(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100,
		RNG: rand.New(rand.NewPCG(1, 1))}))
	must(t, s.Close())
	copied := files.onDisk(t)
	again, lost := salvage(t, files, copied, "dense")
	if again == nil {
		return
	}
	defer again.Close()
	tx = begin(t, again, store.Mode{ReadOnly: true})
	defer tx.Rollback()
	first, err := tx.Get(ctx, texts, &store.Get{Keys: []store.Key{{}}, Stats: &store.Stats{}}, types.NewBatch(0))
	must(t, err)
	if len(lost) > 0 || !first[0] || !again.ledger.isDense(texts.ID) {
		t.Errorf("lost %v, first item there %v, dense %v", lost, first, again.ledger.isDense(texts.ID))
	}
}
