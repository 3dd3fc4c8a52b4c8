package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// fewGets is how many keys are looked up one by one before an iterator pays.
const fewGets = 4

// finder looks up keys of a snapshot, which must come in ascending order if they are
// more than fewGets. It opens an iterator for many, and does not move it for a key that
// lies before the place where it stands: keys behind all others cost nothing.
type finder struct {
	snapshot *snapshot
	gets     int
	closer   io.Closer
	it       *pebble.Iterator
	valid    bool
}

// find is the value at a key, until the next call.
func (f *finder) find(key []byte) ([]byte, bool, error) {
	if f.gets < fewGets {
		f.gets++
		return f.get(key)
	}
	if f.it == nil {
		it, err := f.snapshot.NewIter(&pebble.IterOptions{LowerBound: key})
		if err != nil {
			return nil, false, err
		}
		f.it, f.valid = it, it.First()
	} else if f.valid && bytes.Compare(f.it.Key(), key) < 0 {
		f.valid = f.it.SeekGE(key)
	}
	if !f.valid || !bytes.Equal(f.it.Key(), key) {
		return nil, false, f.it.Error()
	}
	value, err := f.it.ValueAndErr()
	return value, err == nil, err
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
	if f.closer != nil {
		f.closer.Close()
	}
	if f.it != nil {
		f.it.Close()
	}
}

// Get reads items by key.
func (t *txn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	g.Stats.Requests++
	t.decoder.Prepare(s.Columns, g.Columns)
	there := make([]bool, len(g.Keys))
	first := out.Len()
	for range g.Keys {
		out.Add()
	}
	f := finder{snapshot: t.snapshot}
	defer f.close()
	look := func(i int, key []byte) (err error) {
		there[i], err = t.look(&f, g, key, out.Row(first+i))
		return err
	}
	if len(g.Keys) > fewGets {
		return there, t.inOrder(ctx, s, g.Keys, look)
	}
	for i, k := range g.Keys {
		t.key = overlay.AppendKey(t.key[:0], s.ID, k)
		if err := look(i, t.key); err != nil {
			return nil, err
		}
	}
	return there, nil
}

// look fills the row of one key and says whether there is an item.
func (t *txn) look(f *finder, g *store.Get, key []byte, row types.Row) (bool, error) {
	g.Stats.Examined++
	var value []byte
	var there bool
	if w, own := t.own.Get(key, g.At); own {
		value, there = w.Payload, !w.Delete
	} else {
		var err error
		if value, there, err = f.find(key); err != nil {
			return false, err
		}
	}
	if !there {
		return false, nil
	}
	g.Stats.Items++
	g.Stats.Bytes += int64(len(key) - overlay.SpaceBytes + len(value))
	return true, t.decoder.Decode(row, value)
}

// inOrder visits keys in ascending order.
func (t *txn) inOrder(ctx context.Context, s *store.Space, keys []store.Key, visit func(i int, key []byte) error) error {
	type place struct {
		key []byte
		i   int
	}
	places := make([]place, len(keys))
	var arena overlay.Arena
	for i, k := range keys {
		t.key = overlay.AppendKey(t.key[:0], s.ID, k)
		places[i] = place{arena.Copy(t.key), i}
	}
	slices.SortFunc(places, func(a, b place) int { return bytes.Compare(a.key, b.key) })
	for n, p := range places {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := visit(p.i, p.key); err != nil {
			return err
		}
	}
	return nil
}
