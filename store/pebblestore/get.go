package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/encoding/rows"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// fewGets is how many keys are looked up one by one before an iterator pays.
const fewGets = 4

// aloneSeeks is for how many keys a finder goes on to ask for each alone.
const aloneSeeks = 64

// finder looks up keys of a snapshot, which must come in ascending order if they are
// more than fewGets. It opens an iterator for many. That stands at the first key there is
// from the last one on that was asked for, and is not moved for those before: keys behind
// all others cost nothing. Where keys lie between others, this saves no seek, and it is
// cheaper to ask for each alone, which filters answer for most tables.
type finder struct {
	store    *Store
	snapshot *snapshot
	blocks   *blockCursor // nil: only iterators are asked
	gets     int
	closer   io.Closer
	it       *pebble.Iterator
	valid    bool
	alone    int  // how many keys more to ask for alone
	stands   bool // at the first key from the last one on; otherwise it knows of that key only
	saved    bool // a seek, where it stands
	filters  bool // most keys are expected to be absent: also the largest tables had better be asked by their filters
}

// find is the value at a key, until the next call.
func (f *finder) find(key []byte) ([]byte, bool, error) {
	if f.blocks != nil {
		if !f.blocks.in(key) {
			if err := f.blocks.enter(f.store, f.snapshot, key, key); err != nil {
				return nil, false, err
			}
		}
		if value, there, sure := f.blocks.find(key); sure {
			return value, there, nil
		}
	}
	if f.gets < fewGets {
		f.gets++
		return f.get(key)
	}
	if f.it == nil {
		it, err := f.snapshot.NewIter(&pebble.IterOptions{LowerBound: key, UseL6Filters: f.filters})
		if err != nil {
			return nil, false, err
		}
		f.it, f.valid, f.stands = it, it.First(), true
	} else {
		f.move(key)
	}
	if !f.valid || !bytes.Equal(f.it.Key(), key) {
		return nil, false, f.it.Error()
	}
	value, err := f.it.ValueAndErr()
	return value, err == nil, err
}

// move moves the iterator to a key.
func (f *finder) move(key []byte) {
	if f.stands {
		if !f.valid || bytes.Compare(f.it.Key(), key) >= 0 {
			f.saved = true
			return
		}
		if !f.saved {
			f.alone = aloneSeeks
		}
	}
	f.stands, f.saved = f.alone == 0, false
	if f.stands {
		f.valid = f.it.SeekGE(key)
		return
	}
	f.alone--
	f.valid = f.it.SeekPrefixGE(key) // a prefix is a whole key
}

func (f *finder) get(key []byte) ([]byte, bool, error) {
	if f.closer != nil {
		f.closer.Close()
		f.closer = nil
	}
	value, closer, err := f.snapshot.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	f.closer = closer
	return value, err == nil, err
}

func (f *finder) close() {
	if f.blocks != nil {
		f.blocks.leave()
	}
	if f.closer != nil {
		f.closer.Close()
	}
	if f.it != nil {
		f.it.Close()
	}
}

// getter is one Get.
type getter struct {
	txn     *txn
	ask     *store.Get
	finder  finder
	cursor  blockCursor
	clock   uint64 // of the snapshot of the finder
	decoder rows.Decoder
	key     []byte
}

// getters keeps those that are done with, for their memory. The zero value is ready.
type getters struct{ pool sync.Pool }

func (p *getters) get(t *txn, s *store.Space, ask *store.Get) *getter {
	g, ok := p.pool.Get().(*getter)
	if !ok {
		g = &getter{}
	}
	g.txn, g.ask, g.finder = t, ask, finder{store: t.store, filters: len(ask.Columns) == 0}
	at := t.at(ask.At)
	g.finder.snapshot, g.clock = at.of(s.Home()), at.clock
	if ask.Latest {
		g.finder.snapshot = t.store.snapshots.takeApplied()
		g.clock = g.finder.snapshot.clock
	}
	if t.store.blocks.pay(g.finder.snapshot, len(ask.Keys)*perKey) {
		g.finder.blocks = &g.cursor
	}
	g.decoder.Prepare(s.Columns, ask.Columns)
	return g
}

func (p *getters) put(g *getter) {
	g.finder.close()
	if g.ask.Latest {
		g.txn.store.snapshots.release(g.finder.snapshot)
	}
	*g = getter{decoder: g.decoder, key: g.key}
	p.pool.Put(g)
}

// Get reads items by key.
func (t *txn) Get(ctx context.Context, s *store.Space, ask *store.Get, out *types.Batch) ([]bool, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	ask.Stats.Requests++
	there := make([]bool, len(ask.Keys))
	first := out.Len()
	for range ask.Keys {
		out.Add()
	}
	g := t.store.getters.get(t, s, ask)
	defer t.store.getters.put(g)
	look := func(i int, key []byte) (err error) {
		there[i], err = g.look(key, out.Row(first+i))
		return err
	}
	if len(ask.Keys) > fewGets {
		return there, t.store.damaged(g.inOrder(ctx, s, look))
	}
	for i, k := range ask.Keys {
		g.key = overlay.AppendKey(g.key[:0], s.Home(), k)
		if err := look(i, g.key); err != nil {
			return nil, t.store.damaged(err)
		}
	}
	return there, nil
}

// look fills the row of one key and says whether there is an item.
func (g *getter) look(key []byte, row types.Row) (bool, error) {
	stats := g.ask.Stats
	stats.Examined++
	var value []byte
	var there bool
	w, own := g.txn.own.Get(key, g.ask.At)
	if own {
		value, there = w.Payload, !w.Delete
	} else {
		var err error
		if value, there, err = g.finder.find(key); err != nil {
			return false, err
		}
		if g.ask.Latest {
			g.latest(key)
		}
		if there && g.ask.Hold {
			g.txn.hold(key, g.clock)
		}
	}
	if !there {
		return false, nil
	}
	stats.Items++
	stats.Bytes += int64(len(key) - overlay.SpaceBytes + len(value))
	return true, g.decoder.Decode(row, value)
}

// latest notes that a key was read as it is now.
func (g *getter) latest(key []byte) {
	c := g.txn.store.conflicts
	g.txn.undurable = max(g.txn.undurable, c.number(maphash.Bytes(c.seed, key), g.clock))
	if g.ask.Remember {
		g.txn.noteLatest(key, g.clock)
	}
}

// inOrder visits the keys in ascending order.
func (g *getter) inOrder(ctx context.Context, s *store.Space, visit func(i int, key []byte) error) error {
	type sortedKey struct {
		key []byte
		i   int
	}
	sorted := make([]sortedKey, len(g.ask.Keys))
	var arena overlay.Arena
	for i, k := range g.ask.Keys {
		g.key = overlay.AppendKey(g.key[:0], s.Home(), k)
		sorted[i] = sortedKey{arena.Copy(g.key), i}
	}
	slices.SortFunc(sorted, func(a, b sortedKey) int { return bytes.Compare(a.key, b.key) })
	for n, p := range sorted {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := visit(p.i, p.key); err != nil {
			return err
		}
	}
	return nil
}
