package dynamostore

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// prepareRead must be called before a read.
func (t *txn) prepareRead(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return err
	}
	return t.bulk.flush(ctx)
}

// Scan implements store.Txn.
func (t *txn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		k := scan{txn: t, space: s, ask: r, batch: types.NewBatch(len(r.Columns)), yield: yield}
		err := t.prepareRead(ctx)
		if err == nil {
			err = k.run(ctx)
		}
		switch {
		case k.gone:
		case err != nil:
			yield(nil, err)
		case k.batch.Len() > 0:
			yield(k.batch, nil)
		}
	}
}

// scan delivers the items of a range, those committed and the transaction's own.
type scan struct {
	txn   *txn
	space *store.Space
	ask   *store.Scan
	own   overlay.Cursor[item]
	batch *types.Batch
	yield func(*types.Batch, error) bool
	found int
	gone  bool // the caller wants no more
}

// run starts with the writes as they are now: later ones are not seen.
func (k *scan) run(ctx context.Context) error {
	from, to := overlay.AppendBounds(nil, k.space.ID, k.ask.Range)
	k.own = k.txn.own.Cursor(from, to, k.ask.Reverse)
	r := reader{
		store: k.txn.store, space: k.space, scan: k.ask,
		want: newProjection(k.space, k.ask.Columns, k.ask.Remember),
	}
	if k.ask.Limit > 0 {
		r.limit = k.ask.Limit + k.txn.own.Len() // each write may hide an item
	}
	merge := k.ordered
	if k.ask.Range.Partition == nil {
		merge = k.unordered
	}
	return merge(ctx, &r)
}

// ordered merges the writes with a partition's items, which come in key order.
func (k *scan) ordered(ctx context.Context, r *reader) error {
	var at []byte
	err := r.each(ctx, func(key store.Key, attributes item) (bool, error) {
		at = overlay.AppendKey(at[:0], k.space.ID, key)
		for w, ok := k.own.Next(at); ok; w, ok = k.own.Next(at) {
			if w.Key == string(at) {
				attributes = nil
			}
			if more, err := k.deliverOwn(&w); !more || err != nil {
				return false, err
			}
		}
		if attributes == nil {
			return true, nil
		}
		return k.deliverStored(string(at), attributes)
	})
	if err != nil || k.finished() {
		return err
	}
	return k.deliverRest()
}

// unordered delivers the writes before a table's items, which have no order.
func (k *scan) unordered(ctx context.Context, r *reader) error {
	hidden := map[string]bool{}
	for w, ok := k.own.Next(nil); ok; w, ok = k.own.Next(nil) {
		hidden[w.Key] = true
		if more, err := k.deliverOwn(&w); !more || err != nil {
			return err
		}
	}
	return r.each(ctx, func(key store.Key, attributes item) (bool, error) {
		at := placeOf(k.space, key)
		if hidden[at] {
			return true, nil
		}
		return k.deliverStored(at, attributes)
	})
}

func (k *scan) deliverRest() error {
	for w, ok := k.own.Next(nil); ok; w, ok = k.own.Next(nil) {
		if more, err := k.deliverOwn(&w); !more || err != nil {
			return err
		}
	}
	return nil
}

func (k *scan) deliverOwn(w *overlay.Write[item]) (more bool, err error) {
	if w.Delete || k.ask.Skip != nil && !k.ask.Skip.Wanted(k.rangeKey(w)) {
		return true, nil
	}
	return k.deliver(w.Payload)
}

// rangeKey is what the range's bounds are compared with.
func (k *scan) rangeKey(w *overlay.Write[item]) []byte {
	key := splitKey(w)
	if k.ask.Range.Partition != nil {
		return key.Sort
	}
	return append(key.Partition, key.Sort...)
}

func (k *scan) deliverStored(at string, attributes item) (more bool, err error) {
	if k.ask.Remember {
		if err := k.txn.remember(at, attributes); err != nil {
			return false, fmt.Errorf("dynamodb: %w", err)
		}
	}
	return k.deliver(attributes)
}

// deliver adds a row to the batch, and hands the batch on when it is full.
func (k *scan) deliver(attributes item) (more bool, err error) {
	if err := decodeColumns(k.space, k.ask.Columns, attributes, k.batch.Add()); err != nil {
		return false, fmt.Errorf("dynamodb: space %s: %w", k.space.Name, err)
	}
	k.found++
	k.ask.Stats.Items++
	k.ask.Stats.Bytes += int64(size(attributes))
	if k.batch.Full() {
		k.gone = !k.yield(k.batch, nil)
		k.batch.Reset(len(k.ask.Columns))
	}
	return !k.finished(), nil
}

func (k *scan) finished() bool { return k.gone || k.ask.Limit > 0 && k.found >= k.ask.Limit }

// splitKey takes a whole key apart.
func splitKey(w *overlay.Write[item]) store.Key {
	key := []byte(w.Key[overlay.SpaceBytes:])
	return store.Key{Partition: key[:w.Partition:w.Partition], Sort: key[w.Partition:]}
}

func spaceOf(w *overlay.Write[item]) store.SpaceID {
	return store.SpaceID(binary.BigEndian.Uint64([]byte(w.Key)))
}

// Get implements store.Txn.
func (t *txn) Get(ctx context.Context, s *store.Space, ask *store.Get, out *types.Batch) ([]bool, error) {
	if err := t.prepareRead(ctx); err != nil {
		return nil, err
	}
	g := getter{
		store: t.store, space: s, stats: ask.Stats, found: map[string]item{},
		want: newProjection(s, ask.Columns, ask.Remember),
	}
	var keys []store.Key
	for _, k := range ask.Keys {
		at := placeOf(s, k)
		if w, ok := t.own.Get([]byte(at)); ok {
			g.found[at] = w.Payload
		} else {
			keys = append(keys, k)
		}
	}
	if err := g.get(ctx, keys); err != nil {
		return nil, err
	}
	return t.rows(s, ask, g.found, out)
}

// rows puts what a Get has found in the order of its keys.
func (t *txn) rows(s *store.Space, ask *store.Get, found map[string]item, out *types.Batch) ([]bool, error) {
	is := make([]bool, len(ask.Keys))
	for i, k := range ask.Keys {
		at := placeOf(s, k)
		attributes, row := found[at], out.Add()
		if _, own := t.own.Get([]byte(at)); ask.Remember && !own {
			if err := t.remember(at, attributes); err != nil {
				return nil, fmt.Errorf("dynamodb: %w", err)
			}
		}
		if attributes == nil {
			continue
		}
		if err := decodeColumns(s, ask.Columns, attributes, row); err != nil {
			return nil, fmt.Errorf("dynamodb: space %s: %w", s.Name, err)
		}
		is[i] = true
		ask.Stats.Items++
		ask.Stats.Bytes += int64(size(attributes))
	}
	return is, nil
}
