package pebblestore

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// TestFinder looks up keys in ascending order, of which some are there, in the memtable or in tables: all over,
// dense, and behind all others.
func TestFinder(t *testing.T) {
	seed := testseed.Of(t)
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

var numbers = &store.Space{ID: 7, Name: "numbers", Sorted: true,
	Columns: []store.Column{{ID: 1, Name: "n", Type: types.Int8}}}

func number(n uint32) store.Item {
	return store.Item{Key: store.Key{Sort: binary.BigEndian.AppendUint32(nil, n)},
		Values: []types.Value{types.NewInt(int64(n))}}
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
