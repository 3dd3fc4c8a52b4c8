package pebblestore

import (
	"bytes"

	"zproxy/store"
)

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
	bundle     int  // whose keys begin with so many bytes of key; below 0: none
	prefix     int
	runs
}

// runs are what a walker knows of keys that are wanted in a row.
type runs struct {
	last []byte // a key
	most int    // how many keys are tried at once, or fewestRun if that is more
	wait int    // how many are passed one by one before that is tried again
}

const (
	// fewestRun is how many keys in a row are tried at first, and mostRun how many at the most.
	fewestRun = 4
	mostRun   = 512
	// patience is how many wanted keys pass one by one where so few in a row were not all wanted for sure.
	patience = 8
)

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
	w.to, w.bundle = w.scan.block.items, -1
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
	if w.keyed {
		return w.key
	}
	b := &w.scan.block
	if first := b.bundleOf(w.at); first != w.bundle {
		w.key = b.appendPrefix(w.key[:0], w.at)
		w.bundle, w.prefix = first, len(w.key)
	}
	w.key, w.keyed = append(w.key[:w.prefix], b.keys.RowSuffix(w.at)...), true
	return w.key
}

// run is where in the block the items end that are wanted in a row, from the one on that the walker stands on, which
// is. At most so many are, none of which is obsolete. Twice as many are tried after a run, and half as many after a try
// in vain.
func (w *walker) run(skip store.EvenSkipper, front, most int) int {
	b, next := &w.scan.block, w.at+1
	if w.wait > 0 {
		w.wait--
		return next
	}
	for w.most = max(w.most, fewestRun); w.most >= fewestRun; w.most /= 2 {
		end := min(w.at+min(w.most, most), w.to, b.obsolete.SeekSetBitGE(w.at))
		if end-w.at < fewestRun {
			return next
		}
		w.last = b.appendKey(w.last[:0], end-1)
		if skip.WantsAll(w.Key()[front:], w.last[front:], end-w.at) {
			w.most = min(2*w.most, mostRun)
			return end
		}
	}
	w.wait = patience
	return next
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
