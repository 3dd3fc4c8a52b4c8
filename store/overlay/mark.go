package overlay

import (
	"slices"

	"zproxy/store"
)

// Mark is a position in the writes, for RollbackTo and to look back to. Writes from now on
// are in an epoch of their own, so that each keeps the version that was there before it.
func (o *Overlay[P]) Mark() store.Mark {
	return store.Mark{Writes: o.nodes.count, Epoch: o.epoch.Add(1)}
}

// Begin begins an epoch, and gives its number: the writes from now on are in it or a later one.
func (o *Overlay[P]) Begin() uint32 { return o.epoch.Add(1) }

// RollbackTo forgets the writes since a mark; the zero one is before the first. Nodes are undone
// from the last: one that is the newest of its key is where the key began, another is
// the version that a later write had put away.
func (o *Overlay[P]) RollbackTo(m store.Mark) {
	for _, s := range o.orders {
		o.arrange(s)
	}
	for i := o.nodes.count - 1; i >= m.Writes; i-- {
		n := o.nodes.at(uint32(i))
		if n.key == "" {
			continue // see amend
		}
		s := o.of(SpaceOf(n.key))
		p := o.seek(s, n.key)
		newest := s.at(p).node
		if int(newest) == i {
			s.remove(p)
			continue
		}
		*o.nodes.at(newest) = *n
	}
	o.nodes.cut(m.Writes)
	o.epoch.Add(1)
}

// remove takes a key out of the order, and its block when nothing else is in it.
func (s *order) remove(p position) {
	s.count--
	s.moved++
	b := &s.blocks[p.block]
	b.nodes = slices.Delete(b.nodes, p.at, p.at+1)
	switch {
	case len(b.nodes) == 0:
		s.blocks = slices.Delete(s.blocks, p.block, p.block+1)
	case p.at == 0:
		b.first = b.nodes[0]
	}
}
