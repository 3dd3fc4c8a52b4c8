package pebblestore

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"zproxy/encoding/rows"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// checkEvery is after how many keys a context is asked whether to go on.
const checkEvery = 256

// fewRows is up to how many rows columns do not pay.
const fewRows = 64

// mostBatchBytes is from how many bytes of values on a batch is delivered with fewer rows than it has room for: texts
// of a column lie one behind the other, and all of a batch are held at once.
const mostBatchBytes = 32 << 20

// scan is one scan under way.
type scan struct {
	ctx     context.Context
	txn     *txn
	request *store.Scan
	it      iterator
	items   cursor // the iterator, or what has it
	bounds
	seen
	form
	batch    *types.Batch
	yield    func(*types.Batch, error) bool
	front    int // bytes of a whole key in front of those that bounds are made of
	pace     store.Pace
	skipping skipping
	left
	byBlocks
}

// bounds are those of the range.
type bounds struct {
	from, to []byte
	room     [128]byte // for them
}

// seen is what a scan sees: a state of the store, and the writes of the transaction before a mark.
type seen struct {
	snapshot *snapshot
	at       *store.Mark // nil: all writes
	own      overlay.Cursor[[]byte]
}

// form is how items become rows.
type form struct {
	decoder rows.Decoder
	blank   bool      // no column is wanted
	few     bool      // only few rows are
	late    *lateRows // makes columns later; nil: all are made at once
	bytes   int       // of the values in the batch
}

// left is what is left of a scan.
type left struct {
	ended bool        // the consumer wants no more, or got an error
	rest  store.Range // of the range, behind a turn
}

// Scan reads a range.
func (t *txn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		err := t.usable(ctx)
		if err == nil {
			err = t.store.enter() // a scan may outlive its transaction by a batch
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer t.store.leave()
		r := r.Own(s)
		sc := &scan{ctx: ctx, txn: t, request: r, seen: seen{snapshot: t.at(r.At).of(s.Home()), at: r.At}, yield: yield}
		t.store.snapshots.hold(sc.snapshot) // the transaction may see another one before the scan ends
		sc.batch = t.store.batches.Get(len(r.Columns))
		defer sc.close()
		if r.Next != nil && r.At == nil {
			sc.at = t.own.Now()
		}
		sc.decoder.Prepare(s.Columns, r.Columns)
		sc.late, sc.zones = lateOf(s, r), zonesOf(s, r)
		sc.blank = !slices.ContainsFunc(r.Columns, func(c int) bool { return c != store.NoColumn })
		sc.begins(sc.snapshot, r.Many*perKey)
		r.Range = r.Begin()
		for more := true; more; more = sc.goOn() {
			sc.begin(s.Home())
			sc.run()
		}
	}
}

// begin goes to the range that the request has now.
func (sc *scan) begin(space store.SpaceID) {
	r := sc.request
	sc.from, sc.to = overlay.AppendBounds(sc.room[:0], space, r.Range)
	sc.few = r.Next != nil || r.Enough > 0 && r.Enough < fewRows
	r.Stats.Requests++
	sc.own = sc.txn.own.Cursor(sc.from, sc.to, r.Reverse, sc.at)
	sc.front = overlay.SpaceBytes + len(r.Range.Partition)
	sc.pace = store.PaceOf(r.Enough)
	sc.skipping.begin(r.Skip, sc.from, sc.to)
}

// bound bounds the iterator, which stands nowhere then.
func (sc *scan) bound(from, to []byte) bool {
	if sc.it.Iterator != nil {
		sc.it.SetBounds(from, to)
		return true
	}
	var err error
	if sc.it, err = sc.txn.store.snapshots.iterator(sc.snapshot, from, to); err != nil {
		return sc.fail(err)
	}
	if sc.items == nil {
		sc.items = sc.it.Iterator
	}
	return true
}

func (sc *scan) close() {
	defer sc.txn.store.snapshots.release(sc.snapshot)
	sc.note(sc.snapshot)
	sc.leave()
	sc.txn.store.batches.Put(sc.batch)
	if sc.it.Iterator != nil {
		sc.txn.store.snapshots.rest(sc.snapshot, sc.it)
	}
}

// run reads the items in the range and the transaction's own. All methods that say whether to go on have delivered an
// error if not, unless enough was delivered.
func (sc *scan) run() {
	most := 0
	if sc.readsBlocks() {
		most = sc.txn.store.blocks.after
	}
	if most > 0 && sc.passed >= most {
		sc.runBlocks(sc.from)
		return
	}
	if !sc.flush() || !sc.bound(sc.from, sc.to) || !sc.iterate(sc.first(), most) {
		return
	}
	if _, ok := sc.emitOwn(nil); ok && sc.request.Next != nil {
		sc.deliver()
	}
}

// goOn begins with the next range, if there is one, and else delivers what is left.
func (sc *scan) goOn() bool {
	r, more := sc.request, false
	switch {
	case sc.ended:
		return false
	case r.Next != nil:
		r.Range, r.Enough = r.Next(sc.rest)
		return true
	case r.Then != nil:
		if sc.ctx.Err() != nil {
			return sc.fail(sc.ctx.Err())
		}
		r.Range, more = r.Then()
	}
	if !more && sc.flush() && sc.batch.Len() > 0 && sc.complete() {
		sc.yield(sc.batch, nil)
	}
	return more
}

// iterate delivers what the iterator has from the item on that it stands on, if there is one, and says whether to
// finish. When the scan has passed most items, if that is not 0, it goes on by blocks.
func (sc *scan) iterate(ok bool, most int) bool {
	for ok {
		if most > 0 && sc.passed >= most {
			return sc.runBlocks(bytes.Clone(sc.items.Key()))
		}
		sc.request.Stats.Examined++
		if sc.passed++; sc.passed%checkEvery == 0 && sc.ctx.Err() != nil {
			return sc.fail(sc.ctx.Err())
		}
		key, hidden := sc.items.Key(), false
		if !sc.own.Done() {
			if hidden, ok = sc.emitOwn(key); !ok {
				return false
			}
		}
		if sc.request.Skip != nil && !sc.request.Skip.Wanted(key[sc.front:]) {
			ok = sc.pass(key)
			continue
		}
		sc.skipping.unwanted = 0
		if !hidden && !sc.emitStored(key) {
			return false
		}
		ok = sc.next()
	}
	if err := sc.items.Error(); err != nil && !sc.ended {
		return sc.fail(err)
	}
	return !sc.ended
}

func (sc *scan) first() bool {
	if sc.request.Reverse {
		return sc.it.Last()
	}
	return sc.it.First()
}

func (sc *scan) next() bool {
	if sc.request.Reverse {
		return sc.it.Prev()
	}
	return sc.items.Next()
}

// emitOwn delivers the transaction's own items up to a stored key, or all that are left
// for nil. It says whether the stored item is hidden by one of its writes, and whether
// to go on.
func (sc *scan) emitOwn(key []byte) (hidden, ok bool) {
	for {
		w, more := sc.own.Next(key)
		if !more {
			return hidden, true
		}
		own := []byte(w.Key)
		hidden = bytes.Equal(own, key)
		if w.Delete || sc.request.Skip != nil && !sc.request.Skip.Wanted(own[sc.front:]) {
			continue
		}
		if !hidden {
			sc.request.Stats.Examined++
		}
		if !sc.emit(own, w.Payload) {
			return hidden, false
		}
	}
}

// emitStored delivers the item that the scan stands on. Its value is not fetched if no column is wanted.
func (sc *scan) emitStored(key []byte) bool {
	switch {
	case sc.inBlock():
		return sc.waitRun(len(key))
	case sc.blank:
		return sc.emit(key, nil)
	}
	value, err := sc.items.ValueAndErr()
	if err != nil {
		return sc.fail(err)
	}
	return sc.emit(key, value)
}

// emit adds a row to the batch and says whether to go on.
func (sc *scan) emit(key, value []byte) bool {
	if err := sc.add(value); err != nil {
		return sc.fail(err)
	}
	if sc.request.Keys != nil {
		sc.request.Keys(sc.keyOf(bytes.Clone(key)))
	}
	sc.request.Pass(1, func(int) store.Key { return sc.keyOf(bytes.Clone(key)) })
	if !sc.count(1, len(key)-overlay.SpaceBytes, len(value)) {
		return true
	}
	if sc.request.Next == nil {
		return sc.deliver()
	}
	sc.rest = sc.request.Range.Beyond(key[sc.front:], sc.request.Reverse)
	sc.deliver()
	return false
}

// count counts items that were added, with the bytes of their keys and values, and says whether to deliver the batch.
func (sc *scan) count(items, keys, values int) bool {
	stats := sc.request.Stats
	stats.Items += int64(items)
	stats.Bytes += int64(keys + values)
	sc.bytes += values
	return sc.pace.Steps(items) || sc.batch.Full() || sc.bytes >= mostBatchBytes && sc.request.Next == nil
}

// add adds a row to the batch, which becomes one of columns where many rows are read.
func (sc *scan) add(value []byte) error {
	switch {
	case sc.blank:
		sc.batch.Add()
		return nil
	case sc.few:
		return sc.decoder.Decode(sc.batch.Extend(), value)
	case sc.late != nil:
		return sc.late.add(sc.batch, value)
	case sc.batch.Len() == 0:
		sc.decoder.Begin(sc.batch)
	}
	return sc.decoder.Append(sc.batch, value)
}

// keyOf is the key of a whole one. It is unknown how long the partition is where the range does not say it.
func (sc *scan) keyOf(whole []byte) store.Key {
	partition := sc.front
	if sc.request.Range.Partition == nil {
		partition = len(whole)
	}
	return store.Key{Partition: whole[overlay.SpaceBytes:partition:partition], Sort: whole[partition:]}
}

// deliver yields the batch, and says whether to go on.
func (sc *scan) deliver() bool {
	sc.note(sc.snapshot)
	if sc.complete() && !sc.yield(sc.batch, nil) {
		sc.ended = true
	}
	if sc.ended {
		return false
	}
	if err := sc.txn.usable(sc.ctx); err != nil {
		return sc.fail(err)
	}
	sc.batch.Reset(len(sc.request.Columns))
	sc.bytes = 0
	return true
}

// fail yields an error, behind which nothing comes.
func (sc *scan) fail(err error) bool {
	sc.ended = true
	sc.yield(nil, sc.txn.store.damaged(err))
	return false
}
