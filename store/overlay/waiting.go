package overlay

import (
	"cmp"
	"encoding/binary"
	"slices"

	"zproxy/store"
)

// A load writes the entries of indexes in no order, and reads none of them. So a write that cannot fail waits until
// something reads its space: many are put in the order of keys at once, for less than one by one.

// waiting is what waits in a space, in the order in which it was written.
type waiting struct {
	space store.SpaceID
	spots []spot
}

// rebuildFrom is which part of all keys waits when the order is built anew, and not changed key by key: one in so many.
const rebuildFrom = 8

// wait lets the node of an offset wait.
func (o *Overlay[P]) wait(space store.SpaceID, n uint32) {
	at := slices.IndexFunc(o.waiting, func(w waiting) bool { return w.space == space })
	if at < 0 {
		at = len(o.waiting)
		o.waiting = append(o.waiting, waiting{space: space})
	}
	o.waiting[at].spots = append(o.waiting[at].spots, spot{headOf(o.nodes[n].key), n})
	o.waits.Store(true)
}

// arrange puts in order what waits in the space of a key, or with nil in all. Several readers may call it at once.
func (o *Overlay[P]) arrange(key []byte) {
	if !o.waits.Load() {
		return
	}
	o.arranging.Lock()
	defer o.arranging.Unlock()
	o.waiting = slices.DeleteFunc(o.waiting, func(w waiting) bool {
		if key != nil && uint64(w.space) != binary.BigEndian.Uint64(key) {
			return false
		}
		o.arrangeSpace(w.spots)
		return true
	})
	o.waits.Store(len(o.waiting) > 0)
}

func (o *Overlay[P]) arrangeSpace(spots []spot) {
	slices.SortFunc(spots, func(a, b spot) int {
		if c := o.compare(a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.node, b.node)
	})
	if len(spots) >= o.count/rebuildFrom {
		o.rebuild(spots)
		return
	}
	for _, s := range spots {
		key := o.nodes[s.node].key
		if p := o.seek(key); o.is(p, key) {
			o.amend(o.blocks[p.block].nodes[p.at].node, s.node)
		} else {
			o.insert(p, s)
		}
	}
}

// compare compares the keys of two nodes, of which it reads no more than it needs.
func (o *Overlay[P]) compare(a, b spot) int {
	switch {
	case a.head.space != b.head.space:
		return cmp.Compare(a.head.space, b.head.space)
	case a.head.key != b.head.key:
		return cmp.Compare(a.head.key, b.head.key)
	}
	return cmp.Compare(o.nodes[a.node].key, o.nodes[b.node].key)
}

// rebuild merges sorted writes with those in order.
func (o *Overlay[P]) rebuild(spots []spot) {
	merged := make([]spot, 0, o.count+len(spots))
	add := func(s spot) {
		if n := len(merged); n > 0 && o.compare(merged[n-1], s) == 0 {
			o.amend(merged[n-1].node, s.node)
			return
		}
		merged = append(merged, s)
	}
	for _, b := range o.blocks {
		for _, old := range b.nodes {
			for len(spots) > 0 && o.compare(spots[0], old) < 0 {
				add(spots[0])
				spots = spots[1:]
			}
			merged = append(merged, old)
		}
	}
	for _, s := range spots {
		add(s)
	}
	o.count, o.blocks = len(merged), nil
	for nodes := range slices.Chunk(merged, blockSize) {
		o.blocks = append(o.blocks, block{first: nodes[0], nodes: nodes})
	}
	o.moved++
}

// amend makes a later node the newest version of the key of another. The version before it moves to where the later one
// was, unless it is of the same epoch and of no use any more: then that node has no key.
func (o *Overlay[P]) amend(at, later uint32) {
	w := o.nodes[later]
	o.nodes[later] = node[P]{}
	o.renew(at, later, w)
}
