package pebblestore

import (
	"bytes"

	"zproxy/types"
)

// byBlocksAfter is how many items a scan reads by its iterator before it looks for tables that it can read block by
// block: most scans are short.
const byBlocksAfter = 512

// readsBlocks says whether the scan may read tables block by block: it wants many values, in the order of their keys.
func (sc *scan) readsBlocks() bool {
	r := sc.request
	return r.Skip == nil && r.Keys == nil && r.Next == nil && !r.Reverse && !sc.few && sc.own.Done()
}

// runBlocks goes on from the item that the iterator stands on, and says whether to finish.
func (sc *scan) runBlocks() bool {
	st := sc.txn.store
	known, err := st.stretchesOf(sc.snapshot)
	if err != nil {
		return sc.fail(err)
	}
	from := bytes.Clone(sc.it.Key())
	for bytes.Compare(from, sc.to) < 0 {
		table, begin, end := known.next(from, sc.to)
		from = begin
		if table != nil {
			t, err := st.blocks.take(table)
			if err != nil {
				known.gone.Store(true)
			} else {
				var more bool
				from, more = sc.readTable(t, begin, end)
				st.blocks.release(t)
				if !more {
					return false
				}
			}
		}
		if bytes.Compare(from, end) < 0 {
			sc.it.SetBounds(from, end)
			if !sc.iterate(sc.it.First(), 0) {
				return false
			}
		}
		from = end
	}
	return true
}

// readTable reads a table from a key to another, and says from which key on there is still to read by the iterator, and
// whether to go on. An error is left to the iterator, which meets it, too, and tells what is damaged.
func (sc *scan) readTable(t *blockTable, from, end []byte) (rest []byte, more bool) {
	if !t.plain {
		return from, true
	}
	first := t.blockOf(from)
	for i := first; i < len(t.handles); i++ {
		if i > first {
			from = append(bytes.Clone(t.lastKey(i-1)), 0)
			if bytes.Compare(from, end) >= 0 {
				break
			}
		}
		b, err := t.read(sc.ctx, i)
		if err != nil {
			return from, true
		}
		at, to := 0, b.items
		if i == first {
			at = b.from(from)
		}
		if bytes.Compare(t.lastKey(i), end) >= 0 {
			to = b.from(end)
		}
		ok := sc.emitBlock(&b, at, to)
		b.held.Release()
		if !ok {
			return nil, false
		}
	}
	return end, true
}

// emitBlock emits some of the items of a block, and says whether to go on.
func (sc *scan) emitBlock(b *itemBlock, at, to int) bool {
	for at < to {
		if sc.ctx.Err() != nil {
			return sc.fail(sc.ctx.Err())
		}
		most := sc.pace.Room(types.BatchRows - sc.batch.Len())
		keys, values := 0, 0
		sc.values = sc.values[:0]
		for ; at < to && len(sc.values) < most && sc.bytes+values < mostBatchBytes; at++ {
			if b.obsolete.At(at) {
				continue
			}
			var value []byte
			if !sc.blank {
				value = b.values.At(at)
			}
			sc.values = append(sc.values, value)
			values += len(value)
			keys += b.keyBytes(at)
		}
		if !sc.emitAll(keys, values) {
			return false
		}
	}
	return true
}

// emitAll emits sc.values, whose keys and values have so many bytes, and says whether to go on.
func (sc *scan) emitAll(keys, values int) bool {
	n := len(sc.values)
	if n == 0 {
		return true
	}
	if err := sc.addAll(); err != nil {
		return sc.fail(err)
	}
	sc.request.Stats.Examined += int64(n)
	return !sc.count(n, keys, values) || sc.deliver()
}

// addAll adds rows of sc.values to the batch of columns.
func (sc *scan) addAll() error {
	switch {
	case sc.blank:
		for range sc.values {
			sc.batch.Add()
		}
		return nil
	case sc.late != nil:
		return sc.late.addAll(sc.batch, sc.values)
	case sc.batch.Len() == 0:
		sc.decoder.Begin(sc.batch)
	}
	return sc.decoder.AppendAll(sc.batch, sc.values)
}
