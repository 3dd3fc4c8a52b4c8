package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/encoding/span"
	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// growing has a column that grows with the key, one of any growing, both perhaps NULL, and a text.
var growing = &store.Space{ID: 7, Name: "growing", Sorted: true, Columns: []store.Column{
	{ID: 1, Name: "grows", Type: types.Int4}, {ID: 2, Name: "any", Type: types.Date}, {ID: 3, Name: "t", Type: types.Text},
}}

// zoneTrial changes a space at random, and reads it with tests.
type zoneTrial struct {
	*testing.T
	dice    *rand.Rand
	store   *Store
	readers []*txn

	unread, filtered int64 // of all scans
	left             int64 // items, by the last scan
}

const zoneKeys = 20_000

func (z *zoneTrial) item(key int) store.Item {
	values := []types.Value{types.NewInt(int64(key / 10)), types.NewDate(z.dice.Int32N(100)),
		types.NewText(fmt.Sprint("text ", key))}
	for at := range 2 {
		if z.dice.IntN(20) == 0 {
			values[at] = types.Null
		}
	}
	return store.Item{Key: textAt(key, "").Key, Values: values}
}

// change writes some keys, or makes tables of what is written.
func (z *zoneTrial) change() {
	from, to := overlay.AppendBounds(nil, growing.ID, store.Range{})
	switch z.dice.IntN(4) {
	case 0:
		must(z, z.store.db.Flush())
		must(z, z.store.db.Compact(ctx, from, to, false))
	case 1:
		tx, deletes := begin(z, z.store, store.Mode{}), z.dice.IntN(8) == 0
		for range z.dice.IntN(20) {
			key := z.dice.IntN(zoneKeys)
			if deletes {
				must(z, tx.Delete(growing, textAt(key, "").Key, store.Always))
			} else {
				must(z, tx.Put(growing, z.item(key), store.Always))
			}
		}
		must(z, tx.Commit(ctx))
	default:
		tx, first := begin(z, z.store, store.Mode{Bulk: true}), z.dice.IntN(zoneKeys)
		for i := range z.dice.IntN(zoneKeys / 4) {
			must(z, tx.Put(growing, z.item(first+i), store.Always))
		}
		must(z, tx.Commit(ctx))
	}
}

// set is a random set of growing, as values that a function makes.
func (z *zoneTrial) set(below int, of func(int64) types.Value) span.Set {
	if z.dice.IntN(6) == 0 {
		return span.OnlyNull
	}
	bound := func() (types.Value, bool) {
		if z.dice.IntN(4) == 0 {
			return types.Null, false
		}
		return of(z.dice.Int64N(int64(below))), z.dice.IntN(2) == 0
	}
	var in span.Interval
	in.Low, in.LowOpen = bound()
	in.High, in.HighOpen = bound()
	set := span.Of(in)
	set.Null = z.dice.IntN(4) == 0
	return set
}

// rows reads a range with tests. Columns come in the order of their ordinals from the last one on.
func (z *zoneTrial) rows(tx *txn, g store.Range, tests []store.Test) (rows []types.Row) {
	scan := store.Scan{Range: g, Columns: []int{2, 1, 0}, Filter: tests, Stats: &store.Stats{}}
	delivered := int64(0)
	for batch, err := range tx.Scan(ctx, growing, &scan) {
		must(z, err)
		delivered += int64(batch.Len())
		for i := range batch.Len() {
			row := slices.Clone(batch.Row(i))
			slices.Reverse(row)
			rows = append(rows, row)
		}
	}
	if s := scan.Stats; s.Items != delivered || s.Examined < delivered || len(tests) == 0 && s.Unread > 0 {
		z.Fatalf("%d rows, %+v", delivered, s)
	}
	z.unread, z.filtered = z.unread+scan.Stats.Unread, z.filtered+scan.Stats.Filtered
	if z.left = scan.Stats.Filtered; z.left > 0 != (scan.Stats.Unread > 0) {
		z.Fatalf("%+v", scan.Stats)
	}
	return rows
}

// check compares what passes tests with what a scan without tests has of it.
func (z *zoneTrial) check(tx *txn) {
	tests := []store.Test{{Column: 0, Set: z.set(zoneKeys/10, types.NewInt)}}
	if z.dice.IntN(2) == 0 {
		day := func(n int64) types.Value { return types.NewDate(int32(n)) }
		tests = append(tests, store.Test{Column: 1, Set: z.set(100, day)})
	}
	g := store.Range{Partition: []byte("p")}
	if z.dice.IntN(3) == 0 {
		g.From = textAt(z.dice.IntN(zoneKeys), "").Key.Sort
	}
	fails := func(r types.Row) bool {
		return slices.ContainsFunc(tests, func(t store.Test) bool { return !t.Set.Contains(r[t.Column]) })
	}
	want, got := z.rows(tx, g, nil), z.rows(tx, g, tests)
	if len(got)+int(z.left) != len(want) {
		z.Fatalf("%d rows were delivered, %d left out, of %d", len(got), z.left, len(want))
	}
	want, got = slices.DeleteFunc(want, fails), slices.DeleteFunc(got, fails)
	if !slices.EqualFunc(got, want, func(a, b types.Row) bool { return slices.EqualFunc(a, b, types.Identical) }) {
		z.Fatalf("%d rows pass %+v, want %d", len(got), tests, len(want))
	}
}

// TestZones compares scans with tests of columns with scans without them, while blocks become known, are written anew
// by compactions, and are covered by later writes.
func TestZones(t *testing.T) {
	z := &zoneTrial{T: t, dice: rand.New(rand.NewPCG(testseed.Of(t), 3))}
	s, err := Open("db", Options{FS: vfs.NewMem(), CacheBytes: 4 << 20, MemTableBytes: 512 << 10})
	must(t, err)
	s.blocks.after, s.blocks.least = 1, 1
	z.store = s
	must(t, s.Create(ctx, growing))
	for range 80 {
		z.change()
		if z.dice.IntN(6) == 0 {
			z.readers = append(z.readers, begin(t, s, store.Mode{ReadOnly: true}))
		}
		if n := len(z.readers); n > 0 {
			z.check(z.readers[z.dice.IntN(n)])
		}
		if z.dice.IntN(8) == 0 {
			for _, tx := range z.readers {
				tx.Rollback()
			}
			z.readers = nil
		}
		now := begin(t, s, store.Mode{ReadOnly: true})
		for range 3 {
			z.check(now)
		}
		now.Rollback()
	}
	for _, tx := range z.readers {
		tx.Rollback()
	}
	must(t, s.Close())
	t.Logf("%d blocks were not read, with %d items", z.unread, z.filtered)
	if z.unread < 30 {
		t.Errorf("%d blocks were not read", z.unread)
	}
}

// TestZoneMeets compares what a zone says of sets with its values.
func TestZoneMeets(t *testing.T) {
	z := &zoneTrial{T: t, dice: rand.New(rand.NewPCG(testseed.Of(t), 4))}
	left := 0
	for range 5000 {
		v, n := &types.Vector{}, 1+z.dice.IntN(5)
		v.Shape(types.KindInt, n)
		for i := range n {
			if v.Ints[i] = z.dice.Int64N(10); z.dice.IntN(4) == 0 {
				v.SetNull(i, n)
			}
		}
		var known zone
		known.add(v, 0, n/2)
		known.add(v, n/2, n)
		set, some := z.set(10, types.NewInt), false
		for i := range n {
			some = some || set.Contains(v.Value(i))
		}
		if !known.meets(&set) {
			if left++; some {
				t.Fatalf("%+v says that %+v has none of its values", known, set)
			}
		}
	}
	if left < 500 {
		t.Errorf("%d of 5000 sets were told apart", left)
	}
}
