package pebblestore

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// blockCursor is where a scan or a Get of many keys reads blocks. It stays in a stretch, a table and a block, since the
// next keys are often near.
type blockCursor struct {
	store      *Store
	known      *stretches
	begun, end []byte      // the stretch; nil: none yet
	table      *blockTable // that has it alone; nil: the iterators read it
	empty      bool        // nothing has any of its keys
	block      itemBlock   // of the table, if it is held
	number     int         // its position
	held       bool
}

// in says whether a key is in the stretch.
func (c *blockCursor) in(key []byte) bool {
	return c.end != nil && bytes.Compare(key, c.begun) >= 0 && bytes.Compare(key, c.end) < 0
}

// enter finds the stretch of a key, and opens the table that has it alone, if one has. Those that the iterators read
// are one up to a key behind, or farther.
func (c *blockCursor) enter(s *Store, sn *snapshot, from, to []byte) (err error) {
	c.leave()
	if c.store = s; c.known == nil || c.known.gone.Load() {
		if c.known, err = s.stretchesOf(sn); err != nil {
			return err
		}
	}
	_, last := overlay.AppendBounds(nil, overlay.SpaceOf(from), store.Range{})
	n, table, end := c.known.stretch(from, last)
	for n > 0 && table == nil && bytes.Compare(end, to) < 0 {
		_, more, next := c.known.stretch(end, last)
		if more != nil {
			break
		}
		end = next
	}
	c.begun, c.end, c.empty = bytes.Clone(from), end, n == 0
	if table != nil {
		c.open(table)
	}
	return nil
}

func (c *blockCursor) open(info *pebble.SSTableInfo) {
	t, err := c.store.blocks.take(info)
	switch {
	case err != nil:
		c.known.gone.Store(true)
	case t.plain:
		c.table = t
	default:
		c.store.blocks.release(t)
	}
}

// leave releases the block and the table.
func (c *blockCursor) leave() {
	c.leaveBlock()
	if c.table != nil {
		c.store.blocks.release(c.table)
		c.table = nil
	}
}

func (c *blockCursor) leaveBlock() {
	if c.held {
		c.block.held.Release()
		c.held = false
	}
}

// holds says whether the cursor is in a block.
func (c *blockCursor) holds(i int) bool { return c.held && c.number == i }

// hold goes to a block of the table.
func (c *blockCursor) hold(ctx context.Context, i int) (err error) {
	c.leaveBlock()
	if c.block, err = c.table.read(ctx, i); err != nil {
		return err
	}
	c.number, c.held = i, true
	return nil
}

// blockOf is the position of the first block that may have keys from one on. The cursor looks at its block first, and
// at the one behind it.
func (c *blockCursor) blockOf(key []byte) int {
	t, i := c.table, c.number
	if c.held && (i == 0 || bytes.Compare(key, t.lastKey(i-1)) > 0) {
		for ; i <= c.number+1 && i < len(t.handles); i++ {
			if bytes.Compare(key, t.lastKey(i)) <= 0 {
				return i
			}
		}
	}
	return t.blockOf(key)
}

// find is the value at a key in the stretch, until the cursor moves, and whether there is one. It says if it is sure.
func (c *blockCursor) find(key []byte) (value []byte, there, sure bool) {
	if c.table == nil {
		return nil, false, c.empty
	}
	i := c.blockOf(key)
	if i == len(c.table.handles) {
		return nil, false, true
	}
	if !c.holds(i) && c.hold(context.Background(), i) != nil {
		return nil, false, false // the iterators meet the error, too, and tell what is damaged
	}
	at, equal := c.block.keys.Search(key)
	switch {
	case !equal:
		return nil, false, true
	case c.block.obsolete.At(at):
		return nil, false, false
	}
	return c.block.values.At(at), true, true
}
