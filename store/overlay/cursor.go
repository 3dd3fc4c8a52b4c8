package overlay

import (
	"math"

	"zproxy/store"
)

// Cursor walks the writes in a range as they were when it was made, or before that at a
// mark. A store asks it
// before each item of its own for the writes up to there:
//
//	for each stored item {
//		hidden := false
//		for w, ok := c.Next(key); ok; w, ok = c.Next(key) {
//			hidden = w.Key == key
//			deliver w unless w.Delete
//		}
//		deliver the item unless hidden
//	}
//	deliver the rest: c.Next(nil)
type Cursor[P any] struct {
	o       *Overlay[P]
	s       *order
	key     string   // of the next write; the cursor is done when there is none
	p       position // of key, as long as the overlay has not moved
	moved   uint32
	before  uint32 // the first epoch that it does not see
	end     string // the bound that the walk goes to
	reverse bool
	done    bool
}

// Cursor begins a walk over whole keys of a space with from <= key < to, at a mark or with nil at the
// present. It keeps the bounds.
func (o *Overlay[P]) Cursor(from, to []byte, reverse bool, at *store.Mark) Cursor[P] {
	s := o.of(SpaceOf(from))
	if s == nil {
		return Cursor[P]{done: true}
	}
	o.arrange(s)
	c := Cursor[P]{o: o, s: s, before: o.before(at), moved: s.moved, end: view(to), reverse: reverse}
	if reverse {
		c.end, c.p = view(from), o.seek(s, view(to))
		c.step()
	} else {
		c.p = o.seek(s, view(from))
	}
	c.advance()
	if !c.done {
		o.reach(c.before)
	}
	return c
}

// Now is a mark at which cursors made later see what one sees that is made now.
func (o *Overlay[P]) Now() *store.Mark {
	m := store.Mark{Writes: o.nodes.count, Epoch: o.before(nil)}
	o.reach(m.Epoch)
	return &m
}

// before is the first epoch that is not seen at a mark, or with nil at the present.
func (o *Overlay[P]) before(at *store.Mark) uint32 {
	if at == nil {
		return o.epoch.Load() + 1
	}
	return at.Epoch
}

// reach lets writes from now on be in an epoch, or a later one.
func (o *Overlay[P]) reach(epoch uint32) {
	for now := o.epoch.Load(); now < epoch && !o.epoch.CompareAndSwap(now, epoch); {
		now = o.epoch.Load()
	}
}

// Done says whether no write is left.
func (c *Cursor[P]) Done() bool { return c.done }

// Next is the next write whose key the walk meets no later than key, or the next one of
// all for nil. A write at key itself says what becomes of the stored item there.
func (c *Cursor[P]) Next(key []byte) (Write[P], bool) {
	if c.done || key != nil && c.key != view(key) && c.key < view(key) == c.reverse {
		return Write[P]{}, false
	}
	if c.moved != c.s.moved {
		c.p, c.moved = c.o.seek(c.s, c.key), c.s.moved
	}
	w := c.o.nodes.at(c.version()).write()
	c.step()
	c.advance()
	return w, true
}

// step moves the position by one.
func (c *Cursor[P]) step() {
	if !c.reverse {
		if c.p.at++; c.p.at == len(c.s.blocks[c.p.block].nodes) {
			c.p = position{block: c.p.block + 1}
		}
		return
	}
	if c.p.at == 0 {
		if c.p.block == 0 {
			c.done = true
			return
		}
		c.p.block--
		c.p.at = len(c.s.blocks[c.p.block].nodes)
	}
	c.p.at--
}

// advance goes on to a write that the cursor may see, or is done at its bound.
func (c *Cursor[P]) advance() {
	for !c.done {
		if c.p.block == len(c.s.blocks) {
			c.done = true
			return
		}
		n := c.version()
		c.key = c.o.nodes.at(c.s.at(c.p).node).key
		if c.reverse && c.key < c.end || !c.reverse && c.key >= c.end {
			c.done = true
			return
		}
		if n != none {
			return
		}
		c.step()
	}
}

// none is the position of no node.
const none = math.MaxUint32

// version is the version of the node at the position that the cursor sees.
func (c *Cursor[P]) version() uint32 {
	return c.o.versionBefore(c.s.at(c.p).node, c.before)
}

// versionBefore is the newest version of a node from before an epoch.
func (o *Overlay[P]) versionBefore(n, epoch uint32) uint32 {
	for o.nodes.at(n).epoch >= epoch {
		if n = o.nodes.at(n).older; n == 0 {
			return none
		}
	}
	return n
}
