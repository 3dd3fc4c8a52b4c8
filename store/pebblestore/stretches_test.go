package pebblestore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// stretchTest changes spaces at random, with transactions open that see them as they were.
type stretchTest struct {
	*testing.T
	dice    *rand.Rand
	fs      vfs.FS
	store   *Store
	spaces  []*store.Space
	readers []*txn
	deletes bool // until it is opened again
	scans   int
	inRow   int    // keys that scans knew to be wanted without asking
	taken   uint64 // of tables by stores that were closed
}

// stretchKeys is how many keys a space may have.
const stretchKeys = 20_000

func (st *stretchTest) open() {
	s, err := Open("db", Options{FS: st.fs, CacheBytes: 4 << 20, MemTableBytes: 512 << 10})
	must(st, err)
	s.blocks.after, s.blocks.least = 1+st.dice.IntN(40), 1
	st.store, st.deletes = s, st.dice.IntN(2) == 0
}

func (st *stretchTest) close() {
	for _, tx := range st.readers {
		tx.Rollback()
	}
	st.readers = nil
	st.taken += st.store.blocks.clock
	must(st, st.store.Close())
}

// item is one of a random key, or of one from a first one on.
func (st *stretchTest) item(key int) store.Item {
	return textAt(key, fmt.Sprint(key, " ", st.dice.Uint64(), bytes.Repeat([]byte{'x'}, st.dice.IntN(40))))
}

// change does one thing to the store.
func (st *stretchTest) change() {
	space := st.spaces[st.dice.IntN(len(st.spaces))]
	from, to := overlay.AppendBounds(nil, space.ID, store.Range{})
	switch st.dice.IntN(12) {
	case 0:
		must(st, st.store.db.Flush())
	case 1:
		must(st, st.store.db.Compact(ctx, from, to, false))
	case 2: // a stretch of keys, as tables
		tx, first := begin(st, st.store, store.Mode{Bulk: true}), st.dice.IntN(stretchKeys)
		for i := range st.dice.IntN(stretchKeys) {
			must(st, tx.Put(space, st.item(first+i), store.Always))
		}
		must(st, tx.Commit(ctx))
	case 3:
		must(st, st.store.Drop(ctx, space))
		must(st, st.store.Create(ctx, space))
		st.write(space, 1+st.dice.IntN(200), 1)
	case 4:
		st.close()
		st.open()
	case 5:
		changed := *space
		changed.Dense = st.dice.IntN(2) == 0
		must(st, st.store.AlterSpace(ctx, &changed))
	case 6: // some keys, among them what is larger than a memtable
		st.write(space, st.dice.IntN(stretchKeys), 1)
	case 7, 8:
		st.write(space, 1+st.dice.IntN(1000), 1)
	default:
		st.write(space, 1+st.dice.IntN(20), st.dice.IntN(stretchKeys))
	}
}

// write commits n changes, to keys from one on or, for 1, to random ones.
func (st *stretchTest) write(space *store.Space, n, first int) {
	tx := begin(st, st.store, store.Mode{})
	for i := range n {
		key := first + i
		if first == 1 {
			key = st.dice.IntN(stretchKeys)
		}
		if st.deletes && st.dice.IntN(4) == 0 {
			must(st, tx.Delete(space, textAt(key, "").Key, store.Always))
			continue
		}
		must(st, tx.Put(space, st.item(key), store.Always))
	}
	must(st, tx.Commit(ctx))
}

// ranges are all keys, those between two, or some short ranges, mostly in order.
func (st *stretchTest) ranges() []store.Range {
	between := func(a, b int) store.Range {
		return store.Range{Partition: []byte("p"), From: textAt(a, "").Key.Sort, To: textAt(b, "").Key.Sort}
	}
	switch st.dice.IntN(3) {
	case 0:
		return []store.Range{{Partition: []byte("p")}}
	case 1:
		a, b := st.dice.IntN(stretchKeys), st.dice.IntN(stretchKeys)
		return []store.Range{between(min(a, b), max(a, b))}
	}
	starts := make([]int, 1+st.dice.IntN(300))
	for i := range starts {
		starts[i] = st.dice.IntN(stretchKeys)
	}
	if st.dice.IntN(4) > 0 {
		slices.Sort(starts)
	}
	out := make([]store.Range, len(starts))
	for i, a := range starts {
		out[i] = between(a, a+st.dice.IntN(20))
	}
	return out
}

// stripes want the first keys of each so many, up to lastWanted. They may say that keys lie evenly.
type stripes struct {
	wide, wanted int
	even         bool
	inRow        *int
}

func (s *stripes) Even() bool { return s.even }

func (s *stripes) WantsAll(from, to []byte, keys int) bool {
	a, b := s.number(from), s.number(to)
	if b-a < keys-1 {
		panic(fmt.Sprintf("%d keys from %d to %d", keys, a, b))
	}
	all := a/s.wide == b/s.wide && s.Wanted(from) && s.Wanted(to)
	if all {
		*s.inRow += keys - 1
	}
	return all
}

// number is the number of a key of the partition.
func (s *stripes) number(key []byte) int {
	n, err := strconv.Atoi(string(key))
	if err != nil {
		panic(err)
	}
	return n
}

const lastWanted = stretchKeys * 3 / 4

func (s *stripes) Wanted(key []byte) bool {
	n := s.number(key)
	return n <= lastWanted && n%s.wide < s.wanted
}

// Next is only a bound below the next wanted key for some of the keys.
func (s *stripes) Next(dst, key []byte) ([]byte, bool) {
	n := s.number(key)
	next := n + s.wide - n%s.wide
	return fmt.Appendf(dst, "%06d", next-n%2), next <= lastWanted
}

// skipper is one of half of the scans.
func (st *stretchTest) skipper() store.Skipper {
	if st.dice.IntN(2) == 0 {
		return nil
	}
	wide := 2 + st.dice.IntN(1<<st.dice.IntN(12))
	return &stripes{wide: wide, wanted: st.dice.IntN(wide), even: st.dice.IntN(2) == 0, inRow: &st.inRow}
}

// check reads ranges by blocks and by an iterator.
func (st *stretchTest) check(tx *txn, space *store.Space) {
	ranges, after, skip, gap := st.ranges(), st.store.blocks.after, st.skipper(), st.dice.IntN(50)
	got, cost := st.read(tx, space, ranges, skip, gap)
	st.store.blocks.after = 0
	want, plain := st.read(tx, space, ranges, skip, gap)
	st.store.blocks.after = after
	st.scans++
	st.checkKeys(tx, space)
	if !slices.Equal(got, want) || cost != plain {
		st.Fatalf("space %d, %d ranges from %q: %d texts, %+v; want %d, %+v", space.ID, len(ranges), ranges[0].From,
			len(got), cost, len(want), plain)
	}
}

// checkKeys asks for many keys by blocks, and for each alone.
func (st *stretchTest) checkKeys(tx *txn, space *store.Space) {
	get := store.Get{Columns: []int{0}, Stats: &store.Stats{}}
	for range 128 + st.dice.IntN(100) {
		get.Keys = append(get.Keys, st.item(st.dice.IntN(stretchKeys)).Key)
	}
	all, one := types.NewBatch(1), types.NewBatch(1)
	found, err := tx.Get(ctx, space, &get, all)
	must(st, err)
	for i, k := range get.Keys {
		one.Reset(1)
		alone := store.Get{Keys: []store.Key{k}, Columns: get.Columns, Stats: &store.Stats{}}
		there, err := tx.Get(ctx, space, &alone, one)
		must(st, err)
		if there[0] != found[i] || there[0] && one.Row(0)[0].Text() != all.Row(i)[0].Text() {
			st.Fatalf("space %d, key %q: %v %v, alone %v %v", space.ID, k.Sort, found[i], all.Row(i), there, one.Row(0))
		}
	}
}

// read reads ranges, and samples keys that are some items apart. It gives the texts, and behind them these keys.
func (st *stretchTest) read(tx *txn, space *store.Space, ranges []store.Range, skip store.Skipper, gap int) (
	texts []string, cost store.Stats) {
	scan := store.Scan{Range: ranges[0], Columns: []int{0}, Skip: skip, Stats: &store.Stats{}}
	scan.Many = st.dice.IntN(2) * len(ranges)
	scan.Then = func() (then store.Range, more bool) {
		if ranges = ranges[1:]; len(ranges) == 0 {
			return then, false
		}
		return ranges[0], true
	}
	var sample []string
	scan.Unsampled, scan.Sample = gap, func(k store.Key) int {
		sample = append(sample, string(k.Partition)+" "+string(k.Sort))
		return gap
	}
	for batch, err := range tx.Scan(ctx, space, &scan) {
		must(st, err)
		for i := range batch.Len() {
			texts = append(texts, batch.Row(i)[0].Text())
		}
	}
	if want := len(texts) / (gap + 1); len(sample) != want {
		st.Fatalf("%d keys of %d items were sampled, each %d; want %d", len(sample), len(texts), gap+1, want)
	}
	return append(texts, sample...), *scan.Stats
}

// TestStretches compares scans that read tables block by block with some that read by iterators, while what they read
// is changed, flushed, compacted, loaded, dropped and opened again.
func TestStretches(t *testing.T) {
	seed := testseed.Of(t)
	st := &stretchTest{T: t, dice: rand.New(rand.NewPCG(seed, 0)), fs: vfs.NewMem()}
	st.open()
	for id := range store.SpaceID(3) {
		space := *texts
		space.ID, space.Name = texts.ID+id, fmt.Sprint("texts ", id)
		must(t, st.store.Create(ctx, &space))
		st.spaces = append(st.spaces, &space)
	}
	for range 250 {
		st.change()
		if st.dice.IntN(3) == 0 {
			st.readers = append(st.readers, begin(t, st.store, store.Mode{ReadOnly: true}))
		}
		if n := len(st.readers); n > 0 {
			st.check(st.readers[st.dice.IntN(n)], st.spaces[st.dice.IntN(len(st.spaces))])
		}
		if n := len(st.readers); n > 4 || n > 0 && st.dice.IntN(8) == 0 {
			st.readers[0].Rollback()
			st.readers = st.readers[1:]
		}
		now := begin(t, st.store, store.Mode{ReadOnly: true})
		st.check(now, st.spaces[st.dice.IntN(len(st.spaces))])
		now.Rollback()
	}
	st.close()
	if int(st.taken) < st.scans/4 {
		t.Errorf("%d scans read %d tables by blocks", st.scans, st.taken)
	}
	if st.inRow < 10*st.scans {
		t.Errorf("%d scans did not ask for %d keys", st.scans, st.inRow)
	}
	t.Logf("%d scans read %d tables by blocks", st.scans, st.taken)
}
