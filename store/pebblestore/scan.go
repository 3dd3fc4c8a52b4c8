package pebblestore

import (
	"bytes"
	"context"
	"iter"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/encoding/rows"
	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

const (
	// checkEvery is after how many keys a context is asked whether to go on.
	checkEvery = 256
	// lazySkips is how many unwanted keys in a row a scan passes over before it asks
	// where the next wanted one may be and seeks there. A seek costs about seekRows
	// rows, so passing over half of that costs little where wanted keys are near, and
	// little beside the seek where they are far.
	lazySkips = 8
)

// scan is one scan under way.
type scan struct {
	ctx      context.Context
	txn      *txn
	request  *store.Scan
	it       *pebble.Iterator
	own      overlay.Cursor[[]byte]
	decoder  rows.Decoder
	batch    *types.Batch
	yield    func(*types.Batch, error) bool
	front    int // bytes of a whole key in front of those that bounds are made of
	pace     store.Pace
	unwanted int // keys in a row
	seek     []byte
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
		from, to := overlay.AppendBounds(nil, s.ID, r.Range)
		it, err := t.snapshot.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
		if err != nil {
			yield(nil, err)
			return
		}
		defer it.Close()
		r.Stats.Requests++
		sc := &scan{ctx: ctx, txn: t, request: r, it: it, own: t.own.Cursor(from, to, r.Reverse, r.At), yield: yield}
		sc.front = overlay.SpaceBytes + len(r.Range.Partition)
		sc.pace = store.PaceOf(r.Enough)
		sc.batch = t.store.batches.Get(len(r.Columns))
		defer t.store.batches.Put(sc.batch)
		sc.decoder.Prepare(s.Columns, r.Columns)
		sc.run()
	}
}

// run delivers the items in the range and the transaction's own. All methods that say
// whether to go on have delivered an error if not, unless enough was delivered.
func (sc *scan) run() {
	passed := 0
	for ok := sc.first(); ok; {
		sc.request.Stats.Examined++
		if passed++; passed%checkEvery == 0 && sc.ctx.Err() != nil {
			sc.yield(nil, sc.ctx.Err())
			return
		}
		key, hidden := sc.it.Key(), false
		if !sc.own.Done() {
			if hidden, ok = sc.emitOwn(key); !ok {
				return
			}
		}
		if sc.request.Skip != nil && !sc.request.Skip.Wanted(key[sc.front:]) {
			ok = sc.pass(key)
			continue
		}
		sc.unwanted = 0
		if !hidden && !sc.emitStored(key) {
			return
		}
		ok = sc.next()
	}
	if err := sc.it.Error(); err != nil {
		sc.yield(nil, err)
		return
	}
	if _, ok := sc.emitOwn(nil); ok && sc.batch.Len() > 0 {
		sc.yield(sc.batch, nil)
	}
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
	return sc.it.Next()
}

// pass leaves an unwanted key behind and says whether the iterator stands on another.
func (sc *scan) pass(key []byte) bool {
	if sc.unwanted++; sc.unwanted <= lazySkips || sc.request.Reverse {
		return sc.next()
	}
	sc.seek = append(sc.seek[:0], key[:sc.front]...)
	var ok bool
	if sc.seek, ok = sc.request.Skip.Next(sc.seek, key[sc.front:]); !ok {
		return false
	}
	if bytes.Compare(sc.seek, key) <= 0 {
		return sc.next()
	}
	sc.unwanted = 0
	sc.request.Stats.Seeks++
	return sc.it.SeekGE(sc.seek)
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

// emitStored delivers the item that the iterator stands on. Its value is not fetched if
// no column is wanted.
func (sc *scan) emitStored(key []byte) bool {
	if len(sc.request.Columns) == 0 {
		return sc.emit(key, nil)
	}
	value, err := sc.it.ValueAndErr()
	if err != nil {
		sc.yield(nil, err)
		return false
	}
	return sc.emit(key, value)
}

// emit adds a row to the batch and says whether to go on.
func (sc *scan) emit(key, value []byte) bool {
	row := sc.batch.Extend()
	if len(row) > 0 {
		if err := sc.decoder.Decode(row, value); err != nil {
			sc.yield(nil, err)
			return false
		}
	}
	stats := sc.request.Stats
	stats.Items++
	stats.Bytes += int64(len(key) - overlay.SpaceBytes + len(value))
	if !sc.pace.Step() && !sc.batch.Full() {
		return true
	}
	if !sc.yield(sc.batch, nil) {
		return false
	}
	if err := sc.txn.usable(sc.ctx); err != nil {
		sc.yield(nil, err)
		return false
	}
	sc.batch.Reset(len(sc.request.Columns))
	return true
}
