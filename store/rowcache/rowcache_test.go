package rowcache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/eventual"
	"zproxy/store/memstore"
	"zproxy/types"
)

// version is a value of a key, with the commit that made it.
type version struct {
	value   int64
	at      time.Time
	process int
	step    int
}

// world is several processes on a store, each with a cache, and a clock that the test sets.
type world struct {
	t         *testing.T
	r         *rand.Rand
	st        store.Store
	space     *store.Space
	now       time.Time
	step      int
	processes []*Cache
	history   [][]version // by key
	readers   []*openReader
}

// openReader is a transaction that reads.
type openReader struct {
	txn     store.Txn
	process int
	began   time.Time
	step    int
}

const (
	keyCount = 6
	stale    = 5 * time.Second
)

func newWorld(t *testing.T, r *rand.Rand) *world {
	w := &world{t: t, r: r, st: memstore.New(memstore.Options{}), now: time.Unix(1000, 0),
		space: &store.Space{ID: 3, Name: "s", Columns: []store.Column{{ID: 1, Name: "a", Type: types.Int8},
			{ID: 2, Name: "b", Type: types.Int8}}},
		history: make([][]version, keyCount)}
	for range 2 {
		size := func(row types.Row) int64 { return int64(20 * len(row)) }
		w.processes = append(w.processes, New(shards*4*2000, size, func() time.Time { return w.now }))
	}
	if err := w.st.Create(t.Context(), w.space); err != nil {
		t.Fatal(err)
	}
	for k := range w.history {
		for len(w.history[k]) == 0 {
			w.write(0, k)
		}
	}
	return w
}

func keyOf(k int) store.Key { return store.Key{Partition: fmt.Appendf(nil, "k%d", k)} }

// begin begins a transaction of a process.
func (w *world) begin(process int, m store.Mode) store.Txn {
	c := w.processes[process]
	start := c.Start(m.Eventual)
	txn, err := w.st.Begin(w.t.Context(), m)
	if err != nil {
		w.t.Fatal(err)
	}
	if m.ReadOnly {
		return c.Reader(txn, start, &Reader{})
	}
	return c.Writer(txn, &Writer{})
}

func (w *world) write(process, k int) {
	txn := w.begin(process, store.Mode{})
	defer txn.Rollback()
	w.step++
	v := version{int64(w.step), w.now, process, w.step}
	values := []types.Value{types.NewInt(v.value), types.NewInt(-v.value)}
	if err := txn.Put(w.space, store.Item{Key: keyOf(k), Values: values}, store.Always); err != nil {
		w.t.Fatal(err)
	}
	if w.r.IntN(8) == 0 {
		return // it is rolled back
	}
	if err := txn.Commit(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.history[k] = append(w.history[k], v)
}

func (w *world) open(process int) {
	w.step++
	w.readers = append(w.readers, &openReader{w.begin(process, store.Mode{ReadOnly: true}), process, w.now, w.step})
}

// read reads some keys and wants each value to have been current.
func (w *world) read(o *openReader) (hits int64) {
	var list []int
	for range 1 + w.r.IntN(3) {
		list = append(list, w.r.IntN(keyCount))
	}
	column := w.r.IntN(2)
	get := &store.Get{Columns: []int{column, store.NoColumn}, Stale: stale, Stats: &store.Stats{}}
	for _, k := range list {
		get.Keys = append(get.Keys, keyOf(k))
	}
	out := types.NewBatch(2)
	found, err := o.txn.Get(w.t.Context(), w.space, get, out)
	if err != nil {
		w.t.Fatal(err)
	}
	for i, k := range list {
		value := out.Row(i)[0].Int()
		if column == 1 {
			value = -value
		}
		if !found[i] || !out.Row(i)[1].IsNull() || !w.allowed(o, k, value) {
			w.t.Errorf("step %d: process %d reads %d of key %d in a transaction of step %d at %v; the key had %+v", w.step,
				o.process, value, k, o.step, w.now.Unix(), w.history[k])
		}
	}
	return get.Stats.CacheHits
}

// allowed says whether a value was current at a time that is not too long ago, or when the transaction began, and
// whether no commit of the same process had replaced it by then.
func (w *world) allowed(o *openReader, k int, value int64) bool {
	oldest := w.now.Add(-stale)
	if o.began.Before(oldest) {
		oldest = o.began
	}
	list := w.history[k]
	for i, v := range list {
		if v.value != value {
			continue
		}
		for _, later := range list[i+1:] {
			if later.process == o.process && later.step < o.step {
				return false
			}
		}
		return i+1 == len(list) || !list[i+1].at.Before(oldest)
	}
	return false
}

// TestStale reads and writes at random in two processes with transactions that stay open.
func TestStale(t *testing.T) {
	seed := testseed.Of(t)
	hits := int64(0)
	for round := range uint64(40) {
		w := newWorld(t, rand.New(rand.NewPCG(seed, round)))
		for range 2000 {
			switch n := w.r.IntN(100); {
			case n < 8:
				w.write(w.r.IntN(2), w.r.IntN(keyCount))
			case n < 25:
				w.open(w.r.IntN(2))
			case n < 35 && len(w.readers) > 0:
				at := w.r.IntN(len(w.readers))
				w.readers[at].txn.Rollback()
				w.readers = slices.Delete(w.readers, at, at+1)
			case n < 45:
				w.now = w.now.Add(time.Duration(w.r.IntN(3000)) * time.Millisecond)
			case len(w.readers) > 0:
				hits += w.read(w.readers[w.r.IntN(len(w.readers))])
			}
		}
		for _, o := range w.readers {
			o.txn.Rollback()
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if hits == 0 {
		t.Error("nothing was read from the cache")
	}
}

// TestMemory keeps no more than the cache may hold, and what was read last.
func TestMemory(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 1)))
	c := New(shards*2000, func(types.Row) int64 { return 100 }, func() time.Time { return w.now })
	w.processes[0] = c
	for range 3 {
		for i := range 2000 {
			o := w.begin(0, store.Mode{ReadOnly: true})
			get := &store.Get{Columns: []int{0}, Stale: stale, Stats: &store.Stats{}}
			get.Keys = []store.Key{keyOf(1000 + i)}
			if _, err := o.Get(t.Context(), w.space, get, types.NewBatch(1)); err != nil {
				t.Fatal(err)
			}
			o.Rollback()
		}
	}
	hits, misses, items, bytes := c.Total()
	if bytes > shards*2000 || items == 0 || hits+misses != 6000 {
		t.Errorf("%d items of %d bytes are kept, after %d hits and %d misses", items, bytes, hits, misses)
	}
	held := int64(0)
	for i := range c.shards {
		held += c.shards[i].bytes
	}
	if held != bytes {
		t.Errorf("%d bytes are held, and counted are %d", held, bytes)
	}
	c.removeAll(w.space.ID)
	if _, _, items, bytes := c.Total(); items != 0 || bytes != 0 {
		t.Errorf("%d items of %d bytes are left", items, bytes)
	}
}

// TestUncached wants reads that do not allow it, and those for writes, to go to the store.
func TestUncached(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 2)))
	o := w.begin(0, store.Mode{ReadOnly: true})
	defer o.Rollback()
	for _, g := range []store.Get{{}, {Stale: stale, Remember: true}, {Stale: stale, At: &store.Mark{}}} {
		g.Keys, g.Columns, g.Stats = []store.Key{keyOf(1)}, []int{0}, &store.Stats{}
		for range 3 {
			if _, err := o.Get(t.Context(), w.space, &g, types.NewBatch(1)); err != nil {
				t.Fatal(err)
			}
		}
		if g.Stats.CacheHits+g.Stats.CacheMisses != 0 {
			t.Errorf("%+v went to the cache", g)
		}
	}
}

// TestEventualNotKept reads an item often in transactions that may miss its last commits, which keep it in the cache
// only if they may not miss those of its space.
func TestEventualNotKept(t *testing.T) {
	for _, c := range []struct {
		reads eventual.Reads
		space bool
		kept  bool
	}{
		{eventual.Never, true, true},
		{eventual.Spaces, false, true},
		{eventual.Spaces, true, false},
		{eventual.Always, false, false},
	} {
		w := newWorld(t, rand.New(rand.NewPCG(1, 2)))
		w.space.Eventual = c.space
		hits := int64(0)
		for range 5 {
			o := w.begin(0, store.Mode{ReadOnly: true, Eventual: c.reads})
			get := &store.Get{Keys: []store.Key{keyOf(1)}, Columns: []int{0}, Stale: stale, Stats: &store.Stats{}}
			if _, err := o.Get(t.Context(), w.space, get, types.NewBatch(1)); err != nil {
				t.Fatal(err)
			}
			hits += get.Stats.CacheHits
			o.Rollback()
		}
		if hits > 0 != c.kept {
			t.Errorf("%+v: %d hits", c, hits)
		}
	}
}
