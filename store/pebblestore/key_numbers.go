package pebblestore

import (
	"math/bits"
	"slices"
)

// keyNumbers has of keys, which are hashes, the number of the last commit. The keys of a commit of many are in a set of
// their own: that is made and forgotten for less than as many entries of a map.
type keyNumbers struct {
	single map[uint64]uint64
	most   int // entries that single has had
	sets   []*keySet
	least  int // from how many keys on a commit has a set
}

func newKeyNumbers() keyNumbers { return keyNumbers{single: map[uint64]uint64{}, least: leastSet} }

// leastSet is keyNumbers.least, but for tests.
const leastSet = 1 << 12

// keepMap is from how many entries on an emptied map is replaced by a small one.
const keepMap = 1 << 16

// keySet is the keys of one commit, a hash table with linear probing.
type keySet struct {
	of      *claim // the first of them, by which the commit is known
	number  uint64
	slots   []uint64 // 0: free
	hasZero bool     // the key 0 is in the set
}

// setOf is a set of the keys of a commit, nil if they are few.
func (n *keyNumbers) setOf(keys []claim) *keySet {
	if len(keys) < max(n.least, 1) {
		return nil
	}
	s := &keySet{of: &keys[0], slots: make([]uint64, 1<<bits.Len(uint(2*len(keys))))}
	for _, k := range keys {
		at, there := s.find(k.key)
		if !there {
			s.slots[at] = k.key
		}
		s.hasZero = s.hasZero || k.key == 0
	}
	return s
}

// find is where a key is or would be.
func (s *keySet) find(key uint64) (at uint64, there bool) {
	mask := uint64(len(s.slots) - 1)
	for at = key & mask; s.slots[at] != 0; at = (at + 1) & mask {
		if s.slots[at] == key {
			return at, true
		}
	}
	return at, key == 0 && s.hasZero
}

// last is the number of the last commit of a key, or pending; 0: none is known.
func (n *keyNumbers) last(key uint64) uint64 {
	number := n.single[key]
	for _, s := range n.sets {
		if s.number > number {
			if _, there := s.find(key); there {
				number = s.number
			}
		}
	}
	return number
}

// claim marks keys as pending; set is that of the keys.
func (n *keyNumbers) claim(keys []claim, set *keySet) {
	if set != nil {
		set.number = pending
		n.sets = append(n.sets, set)
		return
	}
	for _, k := range keys {
		n.single[k.key] = pending
	}
	n.most = max(n.most, len(n.single))
}

// setAt is where the set of keys is; -1: they have none.
func (n *keyNumbers) setAt(keys []claim) int {
	for i, s := range n.sets {
		if len(keys) > 0 && s.of == &keys[0] {
			return i
		}
	}
	return -1
}

// finish gives the claimed keys of a commit its number.
func (n *keyNumbers) finish(keys []claim, number uint64) {
	if at := n.setAt(keys); at >= 0 {
		n.sets[at].number = number
		return
	}
	for _, k := range keys {
		n.single[k.key] = number
	}
}

// forget forgets the keys of a commit, but for those that later ones have written.
func (n *keyNumbers) forget(keys []claim, number uint64) {
	if at := n.setAt(keys); at >= 0 {
		n.sets = slices.Delete(n.sets, at, at+1) // which forgets the pointer, too
		return
	}
	for _, k := range keys {
		if n.single[k.key] == number {
			delete(n.single, k.key)
		}
	}
}

// shrink gives the memory of a map back that has had many entries and has none.
func (n *keyNumbers) shrink() {
	if len(n.single) == 0 && n.most >= keepMap {
		n.single, n.most = map[uint64]uint64{}, 0
	}
}
