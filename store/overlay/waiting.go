package overlay

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// A load writes the entries of indexes in no order, and reads none of them. So a write that cannot fail waits until
// something reads its space: many are put in the order of keys at once, for less than one by one.

// waiting is what waits in a space, in the order in which it was written.
type waiting struct {
	spots     []spot // writes that are in nodes and not in blocks
	waits     atomic.Bool
	arranging sync.Mutex // held by a reader that puts them there
}

// rebuildFrom is which part of all keys waits when the order is built anew, and not changed key by key: one in so many.
const rebuildFrom = 8

func (w *waiting) wait(n spot) {
	w.spots = append(w.spots, n)
	w.waits.Store(true)
}

// arrange puts in order what waits in a space. Several readers may call it at once.
func (o *Overlay[P]) arrange(s *order) {
	if !s.waits.Load() {
		return
	}
	s.arranging.Lock()
	defer s.arranging.Unlock()
	if s.spots != nil {
		o.put(s, s.spots)
		s.spots = nil
		s.waits.Store(false)
	}
}

func (o *Overlay[P]) put(s *order, spots []spot) {
	slices.SortFunc(spots, func(a, b spot) int {
		if c := o.compare(a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.node, b.node)
	})
	if len(spots) >= s.count/rebuildFrom {
		o.rebuild(s, spots)
		return
	}
	for _, n := range spots {
		key := o.nodes.at(n.node).key
		if p := o.seek(s, key); o.is(s, p, key) {
			o.amend(s.at(p).node, n.node)
		} else {
			s.insert(p, n)
		}
	}
}

// compare compares the keys of two nodes, of which it reads no more than it needs.
func (o *Overlay[P]) compare(a, b spot) int {
	if a.head != b.head {
		return cmp.Compare(a.head, b.head)
	}
	return cmp.Compare(o.nodes.at(a.node).key, o.nodes.at(b.node).key)
}

// rebuild merges sorted writes with those in order.
func (o *Overlay[P]) rebuild(s *order, spots []spot) {
	merged := make([]spot, 0, s.count+len(spots))
	add := func(n spot) {
		if last := len(merged) - 1; last >= 0 && o.compare(merged[last], n) == 0 {
			o.amend(merged[last].node, n.node)
			return
		}
		merged = append(merged, n)
	}
	for _, b := range s.blocks {
		for _, old := range b.nodes {
			for len(spots) > 0 && o.compare(spots[0], old) < 0 {
				add(spots[0])
				spots = spots[1:]
			}
			merged = append(merged, old)
		}
	}
	for _, n := range spots {
		add(n)
	}
	s.count, s.blocks = len(merged), nil
	for nodes := range slices.Chunk(merged, blockSize) {
		s.blocks = append(s.blocks, block{first: nodes[0], nodes: nodes})
	}
	s.moved++
}

// amend makes a later node the newest version of the key of another. The version before it moves to where the later one
// was, unless it is of the same epoch and of no use any more: then that node has no key.
func (o *Overlay[P]) amend(at, later uint32) {
	w := *o.nodes.at(later)
	*o.nodes.at(later) = node[P]{}
	o.renew(at, later, w)
}
