package pebblestore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/types"
)

// TestParts divides a space with keys that lie unevenly: the parts are next to each other, are the whole space, and
// most of them are about as large as the others.
func TestParts(t *testing.T) {
	s := openMem(t, vfs.NewMem())
	defer s.Close()
	space := &store.Space{ID: 3, Name: "parted", Columns: []store.Column{{ID: 1, Name: "v", Type: types.Text}}}
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	const items, parts = 40_000, 200
	for from := 0; from < items; from += 1000 {
		tx := begin(t, s, store.Mode{})
		for i := from; i < from+1000; i++ {
			key := binary.BigEndian.AppendUint64([]byte("all keys begin so"), uint64(i))
			if i%2 == 1 { // the half of them far from the others, and nearer to each other
				key = fmt.Appendf(nil, "z%x", random.Uint64())
			}
			value := make([]byte, 300)
			for at := range value {
				value[at] = 'a' + byte(random.IntN(26))
			}
			it := store.Item{Key: store.Key{Partition: key}, Values: types.Row{types.NewText(string(value))}}
			must(t, tx.Put(space, it, store.Always))
		}
		must(t, tx.Commit(ctx))
	}
	if _, ok, err := s.Part(ctx, space, 0, parts); ok || err != nil {
		t.Errorf("what is in memory is divided, %v", err)
	}
	must(t, s.db.Flush())
	must(t, s.db.Compact(ctx, []byte{0}, []byte{255}, true)) // so that the tables stay as they are
	var sizes []int
	var before []byte
	tx := begin(t, s, store.Mode{ReadOnly: true})
	defer tx.Rollback()
	for i := range parts {
		part, ok, err := s.Part(ctx, space, i, parts)
		must(t, err)
		if !ok || !bytes.Equal(part.From, before) || (part.To == nil) != (i == parts-1) {
			t.Fatalf("part %d is from %q to %q, behind %q", i, part.From, part.To, before)
		}
		n := 0
		scan := &store.Scan{Range: part, Columns: []int{0}, Stats: &store.Stats{}}
		for batch, err := range tx.Scan(ctx, space, scan) {
			must(t, err)
			n += batch.Len()
		}
		sizes, before = append(sizes, n), part.To
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	slices.Sort(sizes)
	t.Logf("the parts have %d to %d items, in the middle %d", sizes[0], sizes[parts-1], sizes[parts/2])
	if total != items || sizes[parts-1] > 3*items/parts || sizes[parts/10] < items/parts/3 {
		t.Errorf("%d items in parts of %v", total, sizes)
	}
}
