package pebblestore

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
	"zproxy/types"
)

// TestItems counts the items of two spaces while they are in memory, in tables, and in both.
func TestItems(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	defer s.Close()
	column := []store.Column{{ID: 1, Name: "v", Type: types.Int8}}
	sizes := map[*store.Space]int{
		{ID: 1, Name: "few", Columns: column}: 3000, {ID: 2, Name: "many", Columns: column}: 9000,
	}
	check := func(when string, times int) {
		t.Helper()
		for space, n := range sizes {
			items, known, err := s.Items(ctx, space)
			must(t, err)
			want := float64(n * times)
			if !known || math.Abs(float64(items)-want) > 0.2*want {
				t.Errorf("%s: space %s is said to have %d items and has %.0f", when, space.Name, items, want)
			}
		}
	}
	next := uint32(0)
	put := func() {
		for space, n := range sizes {
			tx := begin(t, s, store.Mode{})
			for range n {
				next++
				key := store.Key{Partition: binary.BigEndian.AppendUint32(nil, next)}
				must(t, tx.Put(space, store.Item{Key: key, Values: types.Row{types.NewInt(int64(next))}}, store.Absent))
			}
			must(t, tx.Commit(ctx))
		}
	}
	put()
	check("in memory", 1)
	must(t, s.db.Flush())
	check("in tables", 1)
	put()
	check("in both", 2)
	must(t, s.db.Compact(ctx, []byte{0}, []byte{255}, true))
	check("compacted", 2)
}
