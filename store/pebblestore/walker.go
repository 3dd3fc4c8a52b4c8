package pebblestore

import "bytes"

// cursor is what a scan goes through the items of a range with.
type cursor interface {
	Next() bool
	SeekGE(key []byte) bool
	Key() []byte // until it moves
	ValueAndErr() ([]byte, error)
	Error() error
}

// walker goes through the items of a range of a scan in the order of their keys, by blocks where one table alone has
// them and else by the scan's iterator. What was read of a block must be copied before it moves to another, so the
// scan emits then what is waiting; if it is not to go on the walker finds nothing more.
type walker struct {
	scan       *scan
	end        []byte // where the stretch ends, or the range
	byIterator bool   // in this stretch
	at, to     int    // where it stands in the block, and where the items up to end do
	key        []byte
	keyed      bool // key is that of at
}

// SeekGE goes to the first item from a key on.
func (w *walker) SeekGE(key []byte) bool {
	sc := w.scan
	for bytes.Compare(key, sc.to) < 0 {
		var more bool
		if w.end, more = sc.stretchOf(key); !more {
			return false
		}
		if w.byIterator = sc.table == nil; w.byIterator {
			if !sc.empty && w.iterate(key) {
				return true
			}
		} else if w.seekBlock(key) {
			return true
		}
		if sc.ended || w.Error() != nil {
			return false
		}
		key = w.end
	}
	return false
}

// iterate goes to the first item from a key on by the iterator.
func (w *walker) iterate(key []byte) bool {
	w.byIterator = true
	return w.scan.flush() && w.scan.bound(key, w.end) && w.scan.it.First()
}

// seekBlock goes to the first item of the table from a key on. A block that cannot be read is left to the iterator, which
// meets the error, too, and tells what is damaged.
func (w *walker) seekBlock(key []byte) bool {
	sc := w.scan
	i := sc.blockOf(key)
	if i == len(sc.table.handles) {
		return false
	}
	if !w.hold(i) {
		return !sc.ended && w.iterate(key)
	}
	w.at = sc.block.from(key)
	return w.findItem()
}

// hold goes to a block, if the walker is not there.
func (w *walker) hold(i int) bool {
	if !w.scan.holds(i) && (!w.scan.flush() || w.scan.hold(w.scan.ctx, i) != nil) {
		return false
	}
	w.to = w.scan.block.items
	if bytes.Compare(w.scan.table.lastKey(i), w.end) >= 0 {
		w.to = w.scan.block.from(w.end)
	}
	return true
}

// findItem goes on to the first item that counts, of this block or the next ones.
func (w *walker) findItem() bool {
	w.keyed = false
	sc := w.scan
	for {
		for ; w.at < w.to; w.at++ {
			if !sc.block.obsolete.At(w.at) {
				return true
			}
		}
		i := sc.number + 1
		last := sc.table.lastKey(sc.number)
		if i == len(sc.table.handles) || bytes.Compare(last, w.end) >= 0 {
			return false
		}
		if w.at = 0; !w.hold(i) {
			return !sc.ended && w.iterate(append(bytes.Clone(last), 0))
		}
	}
}

// Next goes to the next item.
func (w *walker) Next() bool {
	if w.byIterator {
		if w.scan.it.Next() {
			return true
		}
	} else {
		w.at++
		if w.findItem() {
			return true
		}
	}
	return !w.scan.ended && w.Error() == nil && w.SeekGE(w.end)
}

// Key is that of the item.
func (w *walker) Key() []byte {
	if w.byIterator {
		return w.scan.it.Key()
	}
	if !w.keyed {
		w.key, w.keyed = w.scan.block.appendKey(w.key[:0], w.at), true
	}
	return w.key
}

// ValueAndErr is the value of the item.
func (w *walker) ValueAndErr() ([]byte, error) {
	if w.byIterator {
		return w.scan.it.ValueAndErr()
	}
	return w.scan.block.values.At(w.at), nil
}

// Error is that of the iterator, if it was used.
func (w *walker) Error() error {
	if w.scan.it.Iterator == nil {
		return nil
	}
	return w.scan.it.Error()
}
