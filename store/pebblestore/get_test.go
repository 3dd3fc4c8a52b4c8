package pebblestore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// TestFinder looks up keys in ascending order, of which some are there, in the memtable or in tables: all over, dense, and
// behind all others.
func TestFinder(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	s, err := Open("", Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	there := map[uint32]bool{}
	for range 3 {
		tx, _ := s.Begin(context.Background(), store.Mode{})
		for range 2000 {
			n := random.Uint32N(20_000)
			there[n] = true
			if err := tx.Put(numbers, number(n), store.Always); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(there) < 4000 { // the last stay in memory
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		for _, step := range []uint32{1, 2, 30, 500, 5000} {
			for _, filters := range []bool{false, true} {
				if n, ok := wrongNumber(t, s, there, ascending(random, step), filters); !ok {
					t.Fatalf("seed %d, step %d, filters %v: %d is found wrongly", seed, step, filters, n)
				}
			}
		}
	}
}

var numbers = &store.Space{ID: 7, Name: "numbers", Sorted: true, Columns: []store.Column{{ID: 1, Name: "n", Type: types.Int8}}}

func number(n uint32) store.Item {
	return store.Item{Key: store.Key{Sort: binary.BigEndian.AppendUint32(nil, n)}, Values: []types.Value{types.NewInt(int64(n))}}
}

// ascending is some numbers, of which each is up to so much more than the one before.
func ascending(random *rand.Rand, step uint32) []uint32 {
	var list []uint32
	for n := random.Uint32N(3000); len(list) < 1000 && n < 30_000; n += 1 + random.Uint32N(step) {
		list = append(list, n)
	}
	return list
}

// wrongNumber is the first of some numbers that a finder does not answer rightly, ok when there is none.
func wrongNumber(t *testing.T, s *Store, there map[uint32]bool, ask []uint32, filters bool) (wrong uint32, ok bool) {
	t.Helper()
	tx, _ := s.Begin(context.Background(), store.Mode{ReadOnly: true})
	defer tx.Rollback()
	f := finder{snapshot: tx.(*txn).snapshot, filters: filters}
	defer f.close()
	for _, n := range ask {
		value, found, err := f.find(overlay.AppendKey(nil, numbers.ID, number(n).Key))
		if err != nil {
			t.Fatal(err)
		}
		if found != there[n] || found && len(value) == 0 {
			return n, false
		}
	}
	return 0, true
}

// TestAbsences asks in order for keys that were added in any order, of which some were not.
func TestAbsences(t *testing.T) {
	var a absences
	var arena overlay.Arena
	added := map[string]bool{}
	random := rand.New(rand.NewPCG(1, 1))
	var all [][]byte
	for range 1000 {
		key := binary.BigEndian.AppendUint32(nil, random.Uint32N(3000))
		if all = append(all, key); random.IntN(2) == 0 {
			a.add(key, &arena)
			added[string(key)] = true
		}
	}
	slices.SortFunc(all, bytes.Compare)
	for _, key := range all {
		if got := a.has(key); got != added[string(key)] {
			t.Errorf("key %x is remembered: %v, want %v", key, got, added[string(key)])
		}
	}
}

// TestAbsencesEnd remembers no more keys than it may.
func TestAbsencesEnd(t *testing.T) {
	var a absences
	var arena overlay.Arena
	for i := range uint32(maxAbsences + 10) {
		a.add(binary.BigEndian.AppendUint32(nil, i), &arena)
	}
	if last := binary.BigEndian.AppendUint32(nil, maxAbsences); len(a.keys) != maxAbsences || a.has(last) {
		t.Errorf("%d keys are remembered, and the one behind the last: %v", len(a.keys), a.has(last))
	}
}

// TestAbsenceOfOwn is about a key that the transaction itself has left: what stood there in its snapshot it did not find absent.
func TestAbsenceOfOwn(t *testing.T) {
	ctx := context.Background()
	s, err := Open("", Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begin := func() store.Txn {
		tx, err := s.Begin(ctx, store.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	tx := begin()
	_ = tx.Put(numbers, number(1), store.Always)
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	tx = begin()
	mark := tx.Mark()
	_ = tx.Delete(numbers, number(1).Key, store.Always)
	there, err := tx.Get(ctx, numbers, &store.Get{Keys: []store.Key{number(1).Key}, Remember: true, Stats: &store.Stats{}}, types.NewBatch(0))
	if err != nil || there[0] {
		t.Fatal(there, err)
	}
	tx.RollbackTo(mark)
	_ = tx.Put(numbers, number(1), store.Absent)
	if err := tx.Commit(ctx); !errors.Is(err, store.ErrConflict) {
		t.Errorf("commit of a key that was deleted, which was rolled back: %v", err)
	}
}
