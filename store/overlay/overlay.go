// Package overlay holds the writes of one transaction in key order, so that a store
// can lay them over what it reads and give them out at commit.
//
// The order is kept in blocks of offsets in an append-only slice of writes, a B+-tree of
// height two, so that a load of millions of rows makes little garbage. A scan must not
// see writes made while it runs: each write carries the epoch in which it was made, a
// scan starts a new epoch, and a write in a later epoch keeps the version before it for
// the scans that began earlier.
package overlay

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"zproxy/store"
)

// SpaceBytes is the length of the space's number at the front of a whole key.
const SpaceBytes = 8

// AppendKey appends the whole key of an item: the space's number, big endian, then
// Partition, then Sort. Whole keys are ordered by space, then as Key says.
func AppendKey(dst []byte, id store.SpaceID, key store.Key) []byte {
	dst = slices.Grow(dst, SpaceBytes+len(key.Partition)+len(key.Sort))
	dst = binary.BigEndian.AppendUint64(dst, uint64(id))
	dst = append(dst, key.Partition...)
	return append(dst, key.Sort...)
}

// AppendBounds appends the whole keys between which the items of a range lie: those
// with from <= key < to. Both lie in dst's memory.
func AppendBounds(dst []byte, id store.SpaceID, r store.Range) (from, to []byte) {
	start := len(dst)
	dst = AppendKey(dst, id, store.Key{Partition: r.Partition, Sort: r.From})
	middle := len(dst)
	if r.To != nil {
		dst = AppendKey(dst, id, store.Key{Partition: r.Partition, Sort: r.To})
		return dst[start:middle:middle], dst[middle:]
	}
	dst = AppendKey(dst, id, store.Key{Partition: r.Partition})
	return dst[start:middle:middle], successor(dst[middle:])
}

// successor turns a prefix into the smallest key behind all keys that begin with it.
// There is one, since no space has the largest number.
func successor(prefix []byte) []byte {
	for n := len(prefix); n > 0; n-- {
		if prefix[n-1] != 0xff {
			prefix[n-1]++
			return prefix[:n]
		}
	}
	return prefix
}

// Write is what a transaction last did to a key.
type Write[P any] struct {
	Key       string // whole, see AppendKey
	Partition int    // bytes of Key behind the space's number that are its Partition
	Delete    bool
	Guard     store.Guard // of the first write to the key: what the store must find at commit
	Since     uint32      // the epoch of the first write, see Overlay.Begin
	Payload   P
}

// node is a write: the newest one of its key, or an older version that hangs off a
// newer one. Nodes are named by their offset in a slice.
type node[P any] struct {
	key       string
	payload   P
	partition uint32
	epoch     uint32
	older     uint32 // 0 for none, since the first node is no older version
	deleted   bool
	guard     store.Guard
}

// block is a run of keys in order, never empty.
type block struct {
	first spot
	nodes []spot
}

// spot is a node in the order of keys, with the front of its key: most comparisons need no more, and so do not go
// to the key, which is elsewhere in memory.
type spot struct {
	head head
	node uint32
}

// head is the front of a whole key: the number of the space, and the bytes behind it as if zeros followed.
type head struct{ space, key uint64 }

func headOf(key string) (h head) {
	if len(key) >= 2*SpaceBytes {
		b := unsafe.Slice(unsafe.StringData(key), 2*SpaceBytes)
		return head{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[SpaceBytes:])}
	}
	var b [2 * SpaceBytes]byte
	copy(b[:], key)
	return head{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[SpaceBytes:])}
}

// below says whether a node has a lower key than one with a head.
func (o *Overlay[P]) below(p spot, h head, key string) bool {
	switch {
	case p.head.space != h.space:
		return p.head.space < h.space
	case p.head.key != h.key:
		return p.head.key < h.key
	}
	return o.nodes[p.node].key < key
}

// blockSize is the most nodes in a block. A search halves the blocks, then the nodes
// of one; an insert moves half a block.
const blockSize = 256

// position is where in the order of keys a node is, or would be.
type position struct{ block, at int }

// Overlay is the writes of one transaction. The zero value has none. One goroutine
// uses it at a time, which may write while it runs a Cursor; between two writes several
// may read.
type Overlay[P any] struct {
	nodes  []node[P]
	blocks []block
	epoch  atomic.Uint32 // of writes from now on
	count  int           // keys
	moved  uint32        // how often the positions of keys have changed
	whole  []byte
	keys   Arena

	direct    int         // how many keys are put in order at once; 0: those of a block
	waiting   []waiting   // writes that are in nodes and not in blocks
	waits     atomic.Bool // there are some
	arranging sync.Mutex  // held by a reader that puts them there
}

// Len is the number of keys that were written.
func (o *Overlay[P]) Len() int {
	o.arrange(nil)
	return o.count
}

// Put records the item of a key. It copies the key, and keeps the payload. It fails
// with store.ErrConflict when the guard is Absent and the transaction has itself put
// an item there, since such a commit could never succeed.
func (o *Overlay[P]) Put(id store.SpaceID, key store.Key, payload P, g store.Guard) error {
	return o.set(id, key, node[P]{payload: payload, guard: g})
}

// Delete records that a key has no item, like Put.
func (o *Overlay[P]) Delete(id store.SpaceID, key store.Key, g store.Guard) error {
	return o.set(id, key, node[P]{deleted: true, guard: g})
}

// Get is the newest write to a whole key at a mark, or with nil at the present.
func (o *Overlay[P]) Get(key []byte, at *store.Mark) (Write[P], bool) {
	o.arrange(key)
	p := o.seek(view(key))
	if !o.is(p, view(key)) {
		return Write[P]{}, false
	}
	n := o.versionBefore(o.blocks[p.block].nodes[p.at].node, o.before(at))
	if n == none {
		return Write[P]{}, false
	}
	return o.nodes[n].write(), true
}

// All yields the newest write of each key, in key order.
func (o *Overlay[P]) All(yield func(Write[P]) bool) {
	o.arrange(nil)
	for _, b := range o.blocks {
		for _, n := range b.nodes {
			w := o.nodes[n.node].write()
			w.Since = o.first(n.node)
			if !yield(w) {
				return
			}
		}
	}
}

// first is the epoch of the first write of a key, given by the newest one.
func (o *Overlay[P]) first(n uint32) uint32 {
	for o.nodes[n].older != 0 {
		n = o.nodes[n].older
	}
	return o.nodes[n].epoch
}

func (n *node[P]) write() Write[P] {
	return Write[P]{Key: n.key, Partition: int(n.partition), Delete: n.deleted, Guard: n.guard, Payload: n.payload}
}

func (o *Overlay[P]) set(id store.SpaceID, key store.Key, w node[P]) error {
	o.whole = AppendKey(o.whole[:0], id, key)
	w.epoch, w.partition = o.epoch.Load(), uint32(len(key.Partition))
	if w.guard != store.Absent && o.count >= cmp.Or(o.direct, blockSize) {
		o.wait(id, o.add(w))
		return nil
	}
	o.arrange(o.whole)
	p := o.seek(view(o.whole))
	if o.is(p, view(o.whole)) {
		return o.overwrite(o.blocks[p.block].nodes[p.at].node, w)
	}
	n := o.add(w)
	o.insert(p, spot{headOf(o.nodes[n].key), n})
	return nil
}

// add adds a node for the key in whole.
func (o *Overlay[P]) add(w node[P]) uint32 {
	w.key = view(o.keys.Copy(o.whole))
	o.nodes = append(o.nodes, w)
	return uint32(len(o.nodes) - 1)
}

// overwrite makes w the newest version of a node. What the store must find is what the
// first write asked for; a later guard is about the transaction's own item.
func (o *Overlay[P]) overwrite(at uint32, w node[P]) error {
	if w.guard == store.Absent && !o.nodes[at].deleted {
		return store.ErrConflict
	}
	free := uint32(len(o.nodes))
	if o.nodes[at].epoch != w.epoch {
		o.nodes = append(o.nodes, node[P]{})
	}
	o.renew(at, free, w)
	return nil
}

// renew makes a write the newest version of the key of a node. The version before it moves to a node that is free,
// unless it is of the same epoch.
func (o *Overlay[P]) renew(at, free uint32, w node[P]) {
	n := &o.nodes[at]
	if n.epoch != w.epoch {
		o.nodes[free] = *n
		n.older = free
	}
	n.epoch, n.deleted, n.payload = w.epoch, w.deleted, w.payload
}

// insert puts a node at its position. A full block is halved, but for one at the end,
// which rising keys fill: behind that begins another.
func (o *Overlay[P]) insert(p position, n spot) {
	o.count++
	o.moved++
	if p.block == len(o.blocks) {
		if p.block == 0 || len(o.blocks[p.block-1].nodes) == blockSize {
			o.blocks = append(o.blocks, block{first: n, nodes: []spot{n}})
			return
		}
		p.block--
		p.at = len(o.blocks[p.block].nodes)
	}
	b := &o.blocks[p.block]
	b.nodes = slices.Insert(b.nodes, p.at, n)
	if p.at == 0 {
		b.first = n
	}
	if len(b.nodes) > blockSize {
		upper := slices.Clone(b.nodes[blockSize/2:])
		b.nodes = b.nodes[:blockSize/2]
		o.blocks = slices.Insert(o.blocks, p.block+1, block{first: upper[0], nodes: upper})
	}
}

// seek is the position of the first key that is not below key. It is always the position of
// a node, or the start of a block behind the last.
func (o *Overlay[P]) seek(key string) position {
	if o.count == 0 || o.last() < key {
		return position{block: len(o.blocks)}
	}
	h := headOf(key)
	lo, hi := 0, len(o.blocks) // the first block whose first key is not below key
	for lo < hi {
		mid := (lo + hi) / 2
		if o.below(o.blocks[mid].first, h, key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return position{}
	}
	b := o.blocks[lo-1].nodes
	at, end := 0, len(b)
	for at < end {
		mid := (at + end) / 2
		if o.below(b[mid], h, key) {
			at = mid + 1
		} else {
			end = mid
		}
	}
	if at == len(b) {
		return position{block: lo}
	}
	return position{lo - 1, at}
}

func (o *Overlay[P]) last() string {
	b := o.blocks[len(o.blocks)-1].nodes
	return o.nodes[b[len(b)-1].node].key
}

// is says whether the node at a position has a key.
func (o *Overlay[P]) is(p position, key string) bool {
	if p.block == len(o.blocks) {
		return false
	}
	s := o.blocks[p.block].nodes[p.at]
	return s.head == headOf(key) && o.nodes[s.node].key == key
}

// view is bytes that stay as they are, or for the length of a call, as a string.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
