package dynamostore

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// prepareRead must be called before a read.
func (t *txn) prepareRead(ctx context.Context) error {
	if err := t.open(); err != nil {
		return err
	}
	return t.bulk.flush(ctx)
}

// strong says whether a read of a space must see all commits. One whose answer is remembered must, since
// what is concluded from it is guarded by the version that it found.
func (t *txn) strong(s *store.Space, remember bool) bool {
	if secondary(s) || s.Outside != nil && s.Outside.Eventual { // DynamoDB keeps it
		return false
	}
	return remember || !t.mode.Eventual.Of(s.Eventual) || t.mode.Validated || t.mode.Serializable
}

// Scan implements store.Txn.
func (t *txn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	if s.Outside != nil {
		return t.scanOutside(ctx, s, r)
	}
	r = r.Own(s)
	return func(yield func(*types.Batch, error) bool) {
		ctx, attempts := observe(ctx)
		defer attempts.tell(r.Stats)
		at := r.At
		if r.Next != nil && at == nil {
			at = t.own.Now()
		}
		emitBatches(r, yield, func(emitter *emitter) error {
			if err := t.prepareRead(ctx); err != nil {
				return err
			}
			k := scan{emitter: emitter, txn: t, space: s, at: at, after: t.store.recent.count.Load()}
			return k.run(ctx)
		})
	}
}

// scan delivers the items of a range, those committed and the transaction's own.
type scan struct {
	*emitter
	txn    *txn
	space  *store.Space
	at     *store.Mark
	after  uint64                           // commits of the process that were over before
	own    map[string][]overlay.Write[item] // by partition, in the order of the scan
	hidden map[string]bool                  // whole keys of the writes
	look   *rangeLook                       // what is found of those committed; nil: it is not noted
	last   store.Key                        // the last of them
}

// run starts with the writes as they are now: later ones are not seen.
func (k *scan) run(ctx context.Context) error {
	validates := k.txn.validates(k.space)
	r := reader{
		store: k.txn.store, space: k.space, table: k.txn.store.table(k.space),
		strong: k.txn.strong(k.space, k.ask.Remember),
		want:   newProjection(k.space, k.ask.Columns, k.ask.Remember || validates),
		filter: newFilter(k.space, k.ask.Filter),
	}
	if secondary(k.space) {
		if k.ask.Remember || validates {
			return errNotSecondary
		}
		r.want = projection{} // all that the index holds
		if err := k.takeRows(); err != nil {
			return err
		}
	} else {
		k.takeWrites()
	}
	r.intents = resolver{store: r.store, table: r.table, want: r.want}
	r.pager = pager{scan: k.ask, filtered: r.filter.expression != nil}
	if k.ask.Enough > 0 {
		r.enough = k.ask.Enough + len(k.hidden)
	}
	if validates {
		k.look = newRangeLook(k.space, k.ask)
	}
	if r.filtered && k.ask.Next == nil {
		r.behind = k.emitPage
	}
	if err := k.merge(ctx, &r); err != nil {
		return err
	}
	return k.txn.inTime(k.txn.looks.noteRange(k.look))
}

// emitPage emits what a page had, and says whether more is wanted.
func (k *scan) emitPage() bool {
	more := k.emit()
	if !more {
		k.stopLook(k.last, true)
	}
	return more
}

// stopLook notes that the range was read only up to a key, or not at all without one.
func (k *scan) stopLook(key store.Key, read bool) {
	if k.look == nil {
		return
	}
	if key.Partition == nil {
		k.look = nil
		return
	}
	k.look.endAt(key, read)
}

// takeWrites takes those in the range. Which segment a partition is in only DynamoDB knows, so all writes of a space
// come with the first of its segments.
func (k *scan) takeWrites() {
	from, to := overlay.AppendBounds(nil, k.space.Home(), k.ask.Range)
	c := k.txn.own.Cursor(from, to, k.ask.Reverse, k.at)
	k.own, k.hidden = map[string][]overlay.Write[item]{}, map[string]bool{}
	for w, ok := c.Next(nil); ok; w, ok = c.Next(nil) {
		k.hidden[w.Key] = true
		if k.ask.Range.Segment > 0 {
			continue
		}
		partition := string(splitKey(&w).Partition)
		k.own[partition] = append(k.own[partition], w)
	}
}

// merge lays the writes of each partition over its items, which come one partition after
// the other, in key order. Partitions without items come last.
func (k *scan) merge(ctx context.Context, r *reader) error {
	var partition string
	err := r.each(ctx, func(key store.Key, attributes item) (bool, error) {
		if string(key.Partition) != partition {
			if more, err := k.deliverOwn(partition, nil); !more || err != nil {
				return false, err
			}
			partition = string(key.Partition)
		}
		at := overlay.AppendKey(nil, k.space.Home(), key)
		if more, err := k.deliverOwn(partition, at); !more || err != nil {
			k.stopLook(key, false)
			return false, err
		}
		if err := k.lookAt(key, attributes); err != nil {
			return false, err
		}
		if hidden, err := k.hides(string(at), attributes); hidden || err != nil {
			return true, err
		}
		more, err := k.deliverStored(string(at), key, attributes)
		if !more {
			k.stopLook(key, true)
		}
		return more, err
	})
	for _, partition := range slices.Sorted(maps.Keys(k.own)) {
		if err != nil || !k.more() {
			return err
		}
		_, err = k.deliverOwn(partition, nil)
	}
	return err
}

// hides says whether the transaction has written an item that it reads.
func (k *scan) hides(at string, attributes item) (bool, error) {
	if secondary(k.space) && len(k.hidden) > 0 {
		var err error
		if at, err = baseKey(attributes); err != nil {
			return false, garbage(k.txn.store.table(k.space), err)
		}
	}
	return k.hidden[at], nil
}

// lookAt notes a committed item.
func (k *scan) lookAt(key store.Key, attributes item) error {
	if k.look == nil {
		return nil
	}
	version, err := decodeVersion(attributes)
	if err != nil {
		return garbage(k.txn.store.table(k.space), err)
	}
	k.look.sum.add(key, version)
	k.last = key
	return nil
}

// deliverOwn delivers the writes of a partition that the scan meets no later than a whole
// key, or all that are left for nil.
func (k *scan) deliverOwn(partition string, upTo []byte) (more bool, err error) {
	own := k.own[partition]
	for len(own) > 0 && (upTo == nil || own[0].Key == string(upTo) || own[0].Key < string(upTo) != k.ask.Reverse) {
		w := &own[0]
		own = own[1:]
		k.own[partition] = own
		if w.Delete || k.ask.Skip != nil && !k.ask.Skip.Wanted(k.rangeKey(w)) {
			continue
		}
		k.ask.Stats.Examined++
		if more, err := k.deliver(w.Key, splitKey(w), w.Payload); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// rangeKey is what the range's bounds are compared with.
func (k *scan) rangeKey(w *overlay.Write[item]) []byte {
	key := splitKey(w)
	if k.ask.Range.Partition != nil {
		return key.Sort
	}
	return append(key.Partition, key.Sort...)
}

func (k *scan) deliverStored(at string, key store.Key, attributes item) (more bool, err error) {
	if k.ask.Remember {
		before := len(k.txn.reads.first)
		err := k.txn.remember(at, attributes, k.after, false)
		k.ask.Stats.Remembered += int64(len(k.txn.reads.first) - before)
		if err != nil && !errors.Is(err, store.ErrConflict) {
			err = garbage(k.txn.store.table(k.space), err)
		}
		if err != nil {
			return false, err
		}
	}
	return k.deliver(at, key, attributes)
}

// deliver adds the row of a whole key to the batch, and hands the batch on when it is full.
func (k *scan) deliver(at string, key store.Key, attributes item) (more bool, err error) {
	if err := decodeColumns(k.space, k.ask.Columns, attributes, k.batch.Add()); err != nil {
		return false, garbage(k.txn.store.table(k.space), err)
	}
	if k.added(key, attributes) {
		k.end([]byte(at[overlay.SpaceBytes+len(k.ask.Range.Partition):]))
	}
	return k.more(), nil
}

// splitKey takes a whole key apart.
func splitKey(w *overlay.Write[item]) store.Key {
	key := []byte(w.Key[overlay.SpaceBytes:])
	return store.Key{Partition: key[:w.Partition:w.Partition], Sort: key[w.Partition:]}
}
