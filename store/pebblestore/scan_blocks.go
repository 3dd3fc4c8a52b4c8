package pebblestore

import (
	"bytes"

	"zproxy/types"
)

// byBlocksAfter is how many items a scan reads by its iterator before it looks for tables that it can read block by
// block: most scans are short.
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
}

// readsBlocks says whether the scan may read tables block by block: it wants many values, in the order of their keys.
func (sc *scan) readsBlocks() bool {
	r := sc.request
	return r.Skip == nil && r.Keys == nil && r.Next == nil && !r.Reverse && !sc.few && sc.own.Done()
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
		from = end
	}
	return true
}

// readTable reads the table from a key to another, and says from which key on there is still to read by the iterator,
// and whether to go on. An error is left to the iterator, which meets it, too, and tells what is damaged.
func (sc *scan) readTable(from, end []byte) (rest []byte, more bool) {
	t := sc.table
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
		if !sc.emitBlock(at, to) {
			return nil, false
		}
	}
	return end, true
}

// emitBlock emits some of the items of the block, and says whether to go on.
func (sc *scan) emitBlock(at, to int) bool {
	b, free := &sc.block, sc.free()
	for ; at < to; at++ {
		if b.obsolete.At(at) {
			continue
		}
		var value []byte
		if !sc.blank {
			value = b.values.At(at)
		}
		sc.waiting = append(sc.waiting, value)
		sc.waitingBytes += len(value)
		sc.waitingKeys += b.keyBytes(at)
		if len(sc.waiting) >= free || sc.bytes+sc.waitingBytes >= mostBatchBytes {
			if !sc.flush() {
				return false
			}
			free = sc.free()
		}
	}
	return true
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
