package pebblestore

import (
	"bytes"

	"zproxy/store/overlay"
	"zproxy/types"
)

// byBlocksAfter is how many items the scans of a snapshot read by iterators before they look for tables that they can
// read block by block: to find these takes as long as that, and many a snapshot has few readers.
const byBlocksAfter = 512

// perRange is how many items each of many ranges counts for.
const perRange = 4

// byBlocks is what a scan has read by blocks.
type byBlocks struct {
	blockCursor
	passed int // items that were read by the iterator, and what ranges count for
	// What was found in the block, and is not in the batch yet, with the bytes of the keys and the values.
	waiting                   [][]byte
	waitingKeys, waitingBytes int
	behind, key               []byte // of the block, and of an item of it
}

// readsBlocks says whether the scan may read tables block by block: it wants many values, in the order of their keys.
func (sc *scan) readsBlocks() bool {
	r := sc.request
	return r.Keys == nil && r.Next == nil && !r.Reverse && !sc.few && sc.own.Done()
}

// runBlocks reads the range from a key on, and says whether to finish.
func (sc *scan) runBlocks(from []byte) bool {
	for bytes.Compare(from, sc.to) < 0 {
		if !sc.in(from) {
			if !sc.flush() {
				return false
			}
			if err := sc.enter(sc.txn.store, sc.snapshot, from, sc.to); err != nil {
				return sc.fail(err)
			}
		}
		end := least(sc.end, sc.to)
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
		if bytes.Compare(from, end) < 0 {
			from = end
		}
	}
	return true
}

// readTable reads the table from a key to another, and says from which key on there is still to read, by the iterator if
// that is below end, and whether to go on. An error is left to the iterator, which meets it, too, and tells what is
// damaged.
func (sc *scan) readTable(from, end []byte) (rest []byte, more bool) {
	t := sc.table
	for bytes.Compare(from, end) < 0 {
		i := sc.blockOf(from)
		if i == len(t.handles) {
			return end, true
		}
		if sc.ctx.Err() != nil {
			return nil, sc.fail(sc.ctx.Err())
		}
		if !sc.holds(i) {
			if !sc.flush() {
				return nil, false
			}
			if err := sc.hold(sc.ctx, i); err != nil {
				return from, true
			}
		}
		at, to, behind := sc.block.from(from), sc.block.items, end
		if bytes.Compare(t.lastKey(i), end) >= 0 {
			to = sc.block.from(end)
		} else {
			sc.behind = append(append(sc.behind[:0], t.lastKey(i)...), 0)
			behind = sc.behind
		}
		if from, more = sc.emitBlock(at, to, behind); !more {
			return nil, false
		}
	}
	return from, true
}

// emitBlock emits some of the items of the block, behind which the next key may be, and says from which key on to read
// then, and whether to go on.
func (sc *scan) emitBlock(at, to int, behind []byte) (from []byte, more bool) {
	if sc.request.Skip != nil {
		return sc.emitWanted(at, to, behind)
	}
	for ; at < to; at++ {
		if !sc.block.obsolete.At(at) && !sc.wait(at, sc.block.keyBytes(at)) {
			return nil, false
		}
	}
	return behind, true
}

// wait puts an item of the block, with so many bytes in its key, to those that wait, and says whether to go on.
func (sc *scan) wait(at, key int) bool {
	var value []byte
	if !sc.blank {
		value = sc.block.values.At(at)
	}
	sc.waiting = append(sc.waiting, value)
	sc.waitingBytes += len(value)
	sc.waitingKeys += key - overlay.SpaceBytes
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
	if err := sc.addAll(sc.waiting); err != nil {
		return sc.fail(err)
	}
	keys, bytes := sc.waitingKeys, sc.waitingBytes
	sc.waiting, sc.waitingKeys, sc.waitingBytes = sc.waiting[:0], 0, 0
	sc.request.Stats.Examined += int64(n)
	return !sc.count(n, keys, bytes) || sc.deliver()
}

// addAll adds rows to the batch of columns.
func (sc *scan) addAll(values [][]byte) error {
	switch {
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
