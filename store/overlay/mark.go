package overlay

import (
	"slices"

	"zproxy/store"
)

// Mark is a position in the writes, for RollbackTo and to look back to. Writes from now on
// are in an epoch of their own, so that each keeps the version that was there before it.
func (o *Overlay[P]) Mark() store.Mark {
	return store.Mark{Writes: len(o.nodes), Epoch: o.epoch.Add(1)}
}

// Begin begins an epoch, and gives its number: the writes from now on are in it or a later one.
func (o *Overlay[P]) Begin() uint32 { return o.epoch.Add(1) }

// RollbackTo forgets the writes since a mark; the zero one is before the first. Nodes are undone
// from the last: one that is the newest of its key is where the key began, another is
// the version that a later write had put away.
func (o *Overlay[P]) RollbackTo(m store.Mark) {
	o.arrange(nil)
	for i := len(o.nodes) - 1; i >= m.Writes; i-- {
		if o.nodes[i].key == "" {
			continue // see amend
		}
		p := o.seek(o.nodes[i].key)
		newest := o.blocks[p.block].nodes[p.at].node
		if int(newest) == i {
			o.remove(p)
			continue
		}
		o.nodes[newest] = o.nodes[i]
	}
	clear(o.nodes[m.Writes:])
	o.nodes = o.nodes[:m.Writes]
	o.epoch.Add(1)
	o.moved++
}

// remove takes a key out of the order, and its block when nothing else is in it.
func (o *Overlay[P]) remove(p position) {
	o.count--
	b := &o.blocks[p.block]
	b.nodes = slices.Delete(b.nodes, p.at, p.at+1)
	switch {
	case len(b.nodes) == 0:
		o.blocks = slices.Delete(o.blocks, p.block, p.block+1)
	case p.at == 0:
		b.first = b.nodes[0]
	}
}
