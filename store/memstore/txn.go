package memstore

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"iter"
	"slices"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

type write = overlay.Write[*item]

// errBounds is a planner's mistake.
var errBounds = errors.New("bounds over partitions that have no order")

// errReadOnly is a caller's mistake.
var errReadOnly = errors.New("write in a read-only transaction")

type txn struct {
	store *Store
	mode  store.Mode
	view
	own   overlay.Overlay[*item]
	held  map[string]uint64 // whole keys, see store.Get, with the clock of what was found
	ended bool
}

func wholeKey(s *store.Space, key store.Key) string {
	return string(overlay.AppendKey(nil, s.Home(), key))
}

// usable says why a call cannot be answered.
func (t *txn) usable(ctx context.Context) error {
	if t.ended || t.store.isClosed() {
		return store.ErrClosed
	}
	return ctx.Err()
}

// state is what a read of a space sees of the store, perhaps at a pinned mark.
func (t *txn) state(s *store.Space, remember bool, at *store.Mark) map[store.SpaceID]space {
	if at != nil && at.State != nil {
		return at.State.(*view).seen
	}
	if !t.mode.Eventual.Of(s.Eventual) || remember || t.store.options.Lag == 0 {
		return t.seen
	}
	return t.store.late()
}

// Put writes an item.
func (t *txn) Put(s *store.Space, it store.Item, g store.Guard) error {
	if err := t.writable(); err != nil {
		return err
	}
	stored := &item{partition: len(it.Key.Partition), values: slices.Clone(it.Values)}
	for i, c := range s.Columns {
		stored.ids = append(stored.ids, c.ID)
		stored.values[i] = c.Type.Stored(it.Values[i])
	}
	stored.size = store.ItemBytes(s, it)
	stored.key = wholeKey(s, it.Key)
	return t.own.Put(s.Home(), it.Key, stored, g)
}

// Delete removes an item.
func (t *txn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	if err := t.writable(); err != nil {
		return err
	}
	return t.own.Delete(s.Home(), key, g)
}

func (t *txn) writable() error {
	if t.mode.ReadOnly {
		return errReadOnly
	}
	return t.usable(context.Background())
}

// Commit makes the writes visible.
func (t *txn) Commit(ctx context.Context) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	t.ended = true
	if t.own.Len() == 0 {
		return nil
	}
	return t.store.commit(t)
}

// Mark is the present position in the writes.
func (t *txn) Mark() store.Mark { return t.own.Mark() }

// RollbackTo forgets the writes since a mark.
func (t *txn) RollbackTo(m store.Mark) { t.own.RollbackTo(m) }

// Rollback forgets the writes.
func (t *txn) Rollback() { t.ended = true }

// Get reads items by key.
func (t *txn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	t.chargeGet(g.Stats, len(g.Keys))
	found, state, clock := make([]bool, len(g.Keys)), t.state(s, g.Remember, g.At), t.clock
	if g.Latest {
		state, clock = t.store.present()
	}
	var key []byte
	for i, k := range g.Keys {
		key = overlay.AppendKey(key[:0], s.Home(), k)
		it := find(state[s.Home()].items, string(key))
		if w, ok := t.own.Get(key, g.At); ok {
			it = w.Payload
		} else if g.Latest && g.Remember {
			t.noteLatest(string(key), clock)
		}
		row := out.Add()
		g.Stats.Examined++
		t.chargeItem(s, g, it)
		if it != nil {
			found[i] = true
			if g.Hold {
				t.hold(string(key), clock)
			}
			it.fill(row, s, g.Columns)
			count(g.Stats, it, row)
		}
	}
	return found, nil
}

// hold notes an item that the commit needs as it was found.
func (t *txn) hold(key string, clock uint64) {
	if t.held == nil {
		t.held = map[string]uint64{}
	}
	if _, there := t.held[key]; !there {
		t.held[key] = clock
	}
}

// fill puts the chosen columns into a row.
func (it *item) fill(row types.Row, s *store.Space, columns []int) {
	for i, ordinal := range columns {
		if ordinal == store.NoColumn {
			continue // the row is made of NULLs
		}
		row[i] = it.value(&s.Columns[ordinal])
	}
}

func (it *item) value(c *store.Column) types.Value {
	if at := slices.Index(it.ids, c.ID); at >= 0 {
		return c.Type.Labelled(it.values[at])
	}
	return c.Missing
}

// passes applies all tests exactly, so that one which leaves out too much shows.
func (it *item) passes(s *store.Space, tests []store.Test) bool {
	for _, t := range tests {
		if !t.Set.Contains(it.value(&s.Columns[t.Column])) {
			return false
		}
	}
	return true
}

func count(stats *store.Stats, it *item, row types.Row) {
	stats.Items++
	stats.Bytes += int64(len(it.key) - overlay.SpaceBytes)
	for _, v := range row {
		stats.Bytes += 8
		if v.Kind() == types.KindText || v.Kind() == types.KindCollated || v.Kind() == types.KindBytes {
			stats.Bytes += int64(len(v.Bytes()))
		}
	}
}

// Scan reads a range.
func (t *txn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		if err := t.usable(ctx); err != nil {
			yield(nil, err)
			return
		}
		r := r.Own(s)
		whole := r.Range.Partition == nil
		if whole && t.store.options.Unordered && (r.Range.From != nil || r.Range.To != nil) {
			yield(nil, errBounds)
			return
		}
		if !t.store.options.Unordered {
			r.Range = r.Begin()
		}
		at := r.At
		if r.Next != nil && at == nil {
			at = t.own.Now()
		}
		state := t.state(s, r.Remember, r.At)
		for {
			items := t.items(state[s.Home()].items, s, r, at)
			if whole && t.store.options.Unordered {
				items = slices.Clone(items)
				slices.SortStableFunc(items, func(a, b *item) int { return cmp.Compare(a.hash(), b.hash()) })
				items = behind(items, s, r.After)
				items = slices.DeleteFunc(items, func(it *item) bool { return !r.Range.InSegment(mixed(it.hash())) })
			}
			r.Stats.Requests++
			k := reading{txn: t, space: s, ask: r, yield: yield}
			rest, more := k.deliver(ctx, items)
			k.charge()
			switch {
			case more && r.Next != nil:
				r.Range, r.Enough = r.Next(rest)
			case more && r.Then != nil:
				r.Range, more = r.Then()
			default:
				more = false
			}
			if !more {
				return
			}
		}
	}
}

// behind are those of items, ordered by hash, that come after a key.
func behind(items []*item, s *store.Space, after *store.Key) []*item {
	if after == nil {
		return items
	}
	last := &item{key: string(overlay.AppendKey(nil, s.Home(), *after)), partition: len(after.Partition)}
	at, _ := slices.BinarySearchFunc(items, last, func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.hash(), b.hash()), cmp.Compare(a.key, b.key))
	})
	for at < len(items) && items[at].key == last.key {
		at++
	}
	return items[at:]
}

// items are those of a space in the range in key order, with the transaction's own as at a mark. No transaction
// changes them.
func (t *txn) items(stored []*item, s *store.Space, r *store.Scan, at *store.Mark) []*item {
	from, to := overlay.AppendBounds(nil, s.Home(), r.Range)
	start := search(stored, string(from))
	stored = stored[start:max(start, search(stored, string(to)))]
	var own []write
	for c := t.own.Cursor(from, to, false, at); ; {
		w, ok := c.Next(nil)
		if !ok {
			break
		}
		own = append(own, w)
	}
	if len(own) == 0 {
		return stored
	}
	return merge(stored, own)
}

// reading is a turn of a scan.
type reading struct {
	txn   *txn
	space *store.Space
	ask   *store.Scan
	yield func(*types.Batch, error) bool
	bytes int   // of items that were passed over or delivered, since the last jump
	pages int64 // that was counted of them
	units float64
}

// deliver yields the wanted items in batches, or one of them where there is a next range. It
// says what is left, and whether more is wanted.
func (k *reading) deliver(ctx context.Context, items []*item) (rest store.Range, more bool) {
	t, r := k.txn, k.ask
	batch := t.store.batches.Get(len(r.Columns))
	defer t.store.batches.Put(batch)
	pace := store.PaceOf(r.Enough)
	unwanted, filtered := 0, 0 // items one after the other
	for len(items) > 0 {
		var it *item
		if last := len(items) - 1; r.Reverse {
			it, items = items[last], items[:last]
		} else {
			it, items = items[0], items[1:]
		}
		r.Stats.Examined++
		k.bytes += it.size
		if r.Skip != nil && !r.Skip.Wanted(it.bound(r.Range)) {
			if unwanted++; t.jumps(r) && float64(unwanted) >= t.store.options.RangePrice {
				items, unwanted = k.jump(it, items), 0
			}
			continue
		}
		unwanted = 0
		if it.passes(k.space, r.Filter) {
			k.take(it, batch)
			if filtered = 0; !pace.Step() && !batch.Full() {
				continue
			}
		} else {
			r.Stats.Filtered++
			if filtered++; r.Next != nil || filtered%types.BatchRows > 0 {
				continue
			}
		}
		k.charge()
		intoColumns(batch)
		if !k.yield(batch, nil) {
			return rest, false
		}
		if err := t.usable(ctx); err != nil {
			k.yield(nil, err)
			return rest, false
		}
		if r.Next != nil {
			return r.Range.Beyond(it.bound(r.Range), r.Reverse), true
		}
		batch.Reset(len(r.Columns))
	}
	more = true
	if batch.Len() > 0 || r.Next != nil {
		k.charge()
		intoColumns(batch)
		more = k.yield(batch, nil)
	}
	return rest, more
}

// someRows is from how many rows on a batch becomes columns.
const someRows = 12

// intoColumns makes columns of a batch of more than a few rows.
func intoColumns(batch *types.Batch) {
	if batch.Len() >= someRows {
		batch.ToColumns()
	}
}

// take adds an item to a batch.
func (k *reading) take(it *item, batch *types.Batch) {
	r := k.ask
	row := batch.Add()
	it.fill(row, k.space, r.Columns)
	count(r.Stats, it, row)
	key := func(int) store.Key {
		key := []byte(it.key[overlay.SpaceBytes:])
		return store.Key{Partition: key[:it.partition:it.partition], Sort: key[it.partition:]}
	}
	if r.Keys != nil {
		r.Keys(key(0))
	}
	r.Pass(1, key)
}

// jumps says whether a scan is to jump over unwanted keys: items come in the order of keys.
func (t *txn) jumps(r *store.Scan) bool {
	o := t.store.options
	return o.RangePrice > 0 && !r.Reverse && (!o.Unordered || r.Range.Partition != nil)
}

// jump are those of the items behind one that come no earlier than the next wanted key.
func (k *reading) jump(it *item, items []*item) []*item {
	r := k.ask
	front := len(it.key) - len(it.bound(r.Range))
	next, ok := r.Skip.Next([]byte(it.key[:front]), it.bound(r.Range))
	if !ok {
		return nil
	}
	if at := search(items, string(next)); at > 0 {
		k.jumped()
		r.Stats.Seeks++
		r.Stats.Requests++
		return items[at:]
	}
	return items
}

// bound is the bytes of the key that the bounds of a range are made of.
func (it *item) bound(r store.Range) []byte {
	if r.Partition == nil {
		return []byte(it.key[overlay.SpaceBytes:])
	}
	return []byte(it.key[overlay.SpaceBytes+it.partition:])
}

func (it *item) hash() uint64 {
	h := fnv.New64a()
	h.Write([]byte(it.key[overlay.SpaceBytes : overlay.SpaceBytes+it.partition]))
	return h.Sum64()
}

// mixed is a hash whose high bits are even, too, also of short keys: by MurmurHash3's last step.
func mixed(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
