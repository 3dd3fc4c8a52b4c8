package pebblestore

import (
	"bytes"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// byBlocksAfter is how many items of a snapshot are read by iterators before one looks for tables that can be read
// block by block: to find these takes as long as that, and many a snapshot has few readers.
const byBlocksAfter = 512

// perKey is how many items each of many ranges or keys counts for.
const perKey = 4

// byBlocks is what a scan has read by blocks.
type byBlocks struct {
	blockCursor
	passed int // items of the snapshot that were read by iterators, and what ranges count for
	noted  int // of these, those that the snapshot knows of
	// What was found in the block, and is not in the batch yet, with the bytes of the keys and the values.
	waiting                   [][]byte
	waitingKeys, waitingBytes int
	walker                    walker // of a scan that skips
	zones                     *zoned // nil: there are no tests for them
}

// begins begins a scan that counts for some items.
func (b *byBlocks) begins(sn *snapshot, items int) {
	b.noted = int(sn.passed.Load())
	b.passed = b.noted + items
}

// note lets the snapshot know what was passed, for what is read of it meanwhile.
func (b *byBlocks) note(sn *snapshot) {
	sn.passed.Add(int64(b.passed - b.noted))
	b.noted = b.passed
}

// readsBlocks says whether the scan may read tables block by block: it wants many values, in the order of their keys.
func (sc *scan) readsBlocks() bool {
	r := sc.request
	return r.Keys == nil && r.Next == nil && !r.Reverse && !sc.few && sc.own.Done()
}

// runBlocks reads the range from a key on, and says whether to finish.
func (sc *scan) runBlocks(from []byte) bool {
	if sc.request.Skip != nil {
		sc.walker.scan, sc.items = sc, &sc.walker
		return sc.iterate(sc.walker.SeekGE(from), 0)
	}
	for bytes.Compare(from, sc.to) < 0 {
		end, ok := sc.stretchOf(from)
		if !ok {
			return false
		}
		switch more := true; {
		case sc.empty:
			from = end
		case sc.table != nil:
			if from, more = sc.readTable(from, end); !more {
				return false
			}
		}
		if bytes.Compare(from, end) < 0 {
			if !sc.flush() || !sc.bound(from, end) || !sc.iterate(sc.it.First(), 0) {
				return false
			}
		}
		from = end
	}
	return true
}

// stretchOf goes to the stretch of a key, and says where that ends, or the range, and whether to go on.
func (sc *scan) stretchOf(key []byte) (end []byte, more bool) {
	if !sc.in(key) {
		if !sc.flush() {
			return nil, false
		}
		if err := sc.enter(sc.txn.store, sc.snapshot, key, sc.to); err != nil {
			return nil, sc.fail(err)
		}
	}
	return least(sc.end, sc.to), true
}

// readTable reads the table from a key to another, and says from which key on there is still to read by the iterator,
// and whether to go on. An error is left to the iterator, which meets it, too, and tells what is damaged.
func (sc *scan) readTable(from, end []byte) (rest []byte, more bool) {
	t := sc.table
	if sc.zones != nil {
		sc.zones.enter(t)
	}
	first := sc.blockOf(from)
	for i := first; i < len(t.handles); i++ {
		if i > first {
			from = append(bytes.Clone(t.lastKey(i-1)), 0)
			if bytes.Compare(from, end) >= 0 {
				break
			}
		}
		if sc.ctx.Err() != nil {
			return nil, sc.fail(sc.ctx.Err())
		}
		if i > first && sc.passesOver(i, end) {
			continue
		}
		if !sc.holds(i) {
			if !sc.flush() {
				return nil, false
			}
			if err := sc.hold(sc.ctx, i); err != nil {
				return from, true
			}
		}
		at, to := 0, sc.block.items
		if i == first {
			at = sc.block.from(from)
		}
		if bytes.Compare(t.lastKey(i), end) >= 0 {
			to = sc.block.from(end)
		}
		if sc.zones != nil {
			items := sc.block.items
			sc.zones.begin(i, at == 0 && to == items && sc.block.obsolete.SeekSetBitGE(0) >= items)
		}
		if !sc.emitBlock(at, to) {
			return nil, false
		}
	}
	return end, true
}

// emitBlock emits some of the items of the block, and says whether to go on.
func (sc *scan) emitBlock(at, to int) bool {
	b := &sc.block
	for at < to {
		if b.obsolete.At(at) {
			at++
			continue
		}
		end := min(to, b.obsolete.SeekSetBitGE(at), at+sc.free()-len(sc.waiting))
		sc.request.Stats.Examined += int64(end - at)
		if !sc.wait(at, end, b.keysBytes(at, end)) {
			return false
		}
		at = end
	}
	return true
}

// inBlock says whether the scan skips and stands on an item of a block.
func (sc *scan) inBlock() bool { return sc.walker.scan != nil && !sc.walker.byIterator }

// waitRun is wait for the item that the scan stands on, with a key of so many bytes, and for those behind it that are
// wanted, too. It comes to stand on the last of them.
func (sc *scan) waitRun(key int) bool {
	w := &sc.walker
	at, to := w.at, w.at+1
	if sc.skipping.runs != nil {
		to = w.run(sc.skipping.runs, sc.front, sc.free()-len(sc.waiting))
	}
	if more := to - at - 1; more > 0 {
		key = sc.block.keysBytes(at, to)
		sc.request.Stats.Examined += int64(more)
		w.at, w.keyed = to-1, false
	}
	return sc.wait(at, to, key)
}

// wait puts items of the block, with so many bytes in their keys, to those that wait. It emits these if they are
// enough for a batch, and says whether to go on.
func (sc *scan) wait(at, to, keys int) bool {
	sc.waitingKeys += keys - (to-at)*overlay.SpaceBytes
	first := at
	sc.request.Pass(to-at, func(i int) store.Key { return sc.keyOf(sc.block.appendKey(nil, first+i)) })
	for ; at < to; at++ {
		var value []byte
		if !sc.blank {
			value = sc.block.values.At(at)
		}
		sc.waiting = append(sc.waiting, value)
		sc.waitingBytes += len(value)
	}
	return len(sc.waiting) < sc.free() && sc.bytes+sc.waitingBytes < mostBatchBytes || sc.flush()
}

// free is how many items come before the batch is to be delivered.
func (sc *scan) free() int { return sc.pace.Room(types.BatchRows - sc.batch.Len()) }

// flush emits what is waiting, and says whether to go on.
func (sc *scan) flush() bool {
	n := len(sc.waiting)
	if n == 0 {
		return true
	}
	before := sc.batch.Len()
	if err := sc.addAll(sc.waiting); err != nil {
		return sc.fail(err)
	}
	if sc.zones != nil && !sc.inBlock() && sc.held {
		sc.zones.learn(sc.batch, before, sc.block.items)
	}
	keys, bytes := sc.waitingKeys, sc.waitingBytes
	sc.waiting, sc.waitingKeys, sc.waitingBytes = sc.waiting[:0], 0, 0
	return !sc.count(n, keys, bytes) || sc.deliver()
}

// addAll adds rows to the batch of columns.
func (sc *scan) addAll(values [][]byte) error {
	switch {
	case len(sc.request.Columns) == 0:
		sc.batch.Grow(len(values))
		return nil
	case sc.blank:
		for range values {
			sc.batch.Add()
		}
		return nil
	case sc.late != nil:
		return sc.late.addAll(sc.batch, values)
	case sc.batch.Len() == 0:
		sc.decoder.Begin(sc.batch)
	}
	return sc.decoder.AppendAll(sc.batch, values)
}
