package pebblestore

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// byBlocksAfter is how many items a scan reads by its iterator before it looks for tables that it can read block by
// block: most scans are short.
const byBlocksAfter = 512

// byBlocks is where a scan reads blocks. It stays there, since the next range is often near.
type byBlocks struct {
	passed     int // items that were read by the iterator
	known      *stretches
	begun, end []byte      // the stretch of keys
	table      *blockTable // that has them alone; nil: the iterator reads them
	empty      bool        // nothing has any of them
	block      itemBlock   // of the table, if it is held
	number     int         // its position
	held       bool
	waiting
}

// waiting is what was found in the block, and is not in the batch yet.
type waiting struct {
	values      [][]byte
	keys, bytes int // of their keys and of them
}

// readsBlocks says whether the scan may read tables block by block: it wants many values, in the order of their keys.
func (sc *scan) readsBlocks() bool {
	r := sc.request
	return r.Skip == nil && r.Keys == nil && r.Next == nil && !r.Reverse && !sc.few && sc.own.Done()
}

// runBlocks reads the range from a key on, and says whether to finish.
func (sc *scan) runBlocks(from []byte) bool {
	for bytes.Compare(from, sc.to) < 0 {
		if sc.known == nil || bytes.Compare(from, sc.begun) < 0 || bytes.Compare(from, sc.end) >= 0 {
			if !sc.enterStretch(from) {
				return false
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

// enterStretch finds the stretch of a key, and opens the table that has it alone, if one has. Those that the iterator
// reads are one up to the end of the range.
func (sc *scan) enterStretch(from []byte) bool {
	if !sc.flush() {
		return false
	}
	sc.leaveTable()
	st := sc.txn.store
	if sc.known == nil || sc.known.gone.Load() {
		var err error
		if sc.known, err = st.stretchesOf(sc.snapshot); err != nil {
			return sc.fail(err)
		}
	}
	_, last := overlay.AppendBounds(nil, store.SpaceID(binary.BigEndian.Uint64(from)), store.Range{})
	n, table, end := sc.known.stretch(from, last)
	for n > 0 && table == nil && bytes.Compare(end, sc.to) < 0 {
		_, more, next := sc.known.stretch(end, last)
		if more != nil {
			break
		}
		end = next
	}
	sc.begun, sc.end, sc.empty = bytes.Clone(from), end, n == 0
	if table != nil {
		sc.enterTable(table)
	}
	return true
}

func (sc *scan) enterTable(info *pebble.SSTableInfo) {
	t, err := sc.txn.store.blocks.take(info)
	switch {
	case err != nil:
		sc.known.gone.Store(true)
	case t.plain:
		sc.table = t
	default:
		sc.txn.store.blocks.release(t)
	}
}

func (sc *scan) leaveTable() {
	sc.leaveBlock()
	if sc.table != nil {
		sc.txn.store.blocks.release(sc.table)
		sc.table = nil
	}
}

// leaveBlock releases the block, of which nothing is waiting any more.
func (sc *scan) leaveBlock() {
	if sc.held {
		sc.block.held.Release()
		sc.held = false
	}
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
		if !sc.held || sc.number != i {
			if !sc.flush() {
				return nil, false
			}
			sc.leaveBlock()
			b, err := t.read(sc.ctx, i)
			if err != nil {
				return from, true
			}
			sc.block, sc.number, sc.held = b, i, true
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

// blockOf is the position of the first block that may have keys from one on. It looks at the block that is held first,
// and at the one behind it.
func (sc *scan) blockOf(key []byte) int {
	t, i := sc.table, sc.number
	if sc.held && (i == 0 || bytes.Compare(key, t.lastKey(i-1)) > 0) {
		for ; i <= sc.number+1 && i < len(t.handles); i++ {
			if bytes.Compare(key, t.lastKey(i)) <= 0 {
				return i
			}
		}
	}
	return t.blockOf(key)
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
		w := &sc.waiting
		w.values = append(w.values, value)
		w.bytes += len(value)
		w.keys += b.keyBytes(at)
		if len(w.values) >= free || sc.form.bytes+w.bytes >= mostBatchBytes {
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
	w := &sc.waiting
	n := len(w.values)
	if n == 0 {
		return true
	}
	if err := sc.addAll(w.values); err != nil {
		return sc.fail(err)
	}
	keys, bytes := w.keys, w.bytes
	w.values, w.keys, w.bytes = w.values[:0], 0, 0
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
