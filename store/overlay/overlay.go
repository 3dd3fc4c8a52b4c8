// Package overlay holds the writes of one transaction in key order, so that a store
// can lay them over what it reads and give them out at commit.
//
// The order is kept in blocks of offsets in an append-only list of writes, a B+-tree of
// height two, so that a load of millions of rows makes little garbage. A scan must not
// see writes made while it runs: each write carries the epoch in which it was made, a
// scan starts a new epoch, and a write in a later epoch keeps the version before it for
// the scans that began earlier.
package overlay

import (
	"cmp"
	"encoding/binary"
	"iter"
	"runtime"
	"slices"
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
// newer one. Nodes are named by their offset in a list.
type node[P any] struct {
	key       string
	payload   P
	partition uint32
	epoch     uint32
	older     uint32 // 0 for none, since the first node is no older version
	deleted   bool
	guard     store.Guard
}

// order is the writes to one space in the order of their keys.
type order struct {
	space  store.SpaceID
	blocks []block
	count  int    // keys
	moved  uint32 // how often the positions of keys have changed
	waiting
}

// block is a run of keys in order, never empty.
type block struct {
	first spot
	nodes []spot
}

// spot is a node in the order of keys, with the front of its key: most comparisons need no more, and so do not go
// to the key, which is elsewhere in memory.
type spot struct {
	head uint64
	node uint32
}

// headOf is the front of a whole key: the bytes behind the number of the space as if zeros followed.
func headOf(key string) uint64 {
	if len(key) >= 2*SpaceBytes {
		return binary.BigEndian.Uint64(unsafe.Slice(unsafe.StringData(key), len(key))[SpaceBytes:])
	}
	var b [SpaceBytes]byte
	copy(b[:], key[SpaceBytes:])
	return binary.BigEndian.Uint64(b[:])
}

// SpaceOf is the number of the space of a whole key.
func SpaceOf[T string | []byte](key T) store.SpaceID {
	return store.SpaceID(binary.BigEndian.Uint64([]byte(key[:SpaceBytes])))
}

// below says whether a node has a lower key than one with a head.
func (o *Overlay[P]) below(p spot, head uint64, key string) bool {
	if p.head != head {
		return p.head < head
	}
	return o.nodes.at(p.node).key < key
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
	nodes  nodeList[P]
	orders []*order      // by their spaces
	epoch  atomic.Uint32 // of writes from now on
	whole  []byte
	arena  Arena // of keys, and of what is copied
	direct int   // how many keys of a space are put in order at once; 0: those of a block
}

// find is the position of the order of a space, and whether there is one.
func (o *Overlay[P]) find(id store.SpaceID) (at int, there bool) {
	return slices.BinarySearchFunc(o.orders, id, func(s *order, id store.SpaceID) int {
		return cmp.Compare(s.space, id)
	})
}

// of is the order of a space, nil if nothing was written to it.
func (o *Overlay[P]) of(id store.SpaceID) *order {
	if at, there := o.find(id); there {
		return o.orders[at]
	}
	return nil
}

// orderOf makes an order for a space that has none.
func (o *Overlay[P]) orderOf(id store.SpaceID) *order {
	at, there := o.find(id)
	if !there {
		o.orders = slices.Insert(o.orders, at, &order{space: id})
	}
	return o.orders[at]
}

// Empty says whether no key was written. It puts none in order.
func (o *Overlay[P]) Empty() bool {
	return !slices.ContainsFunc(o.orders, func(s *order) bool { return s.count > 0 || s.waits.Load() })
}

// Len is the number of keys that were written.
func (o *Overlay[P]) Len() int {
	n := 0
	for _, s := range o.orders {
		o.arrange(s)
		n += s.count
	}
	return n
}

// Copy copies what is to be the payload of the next write, so that it lies in front of the key.
func (o *Overlay[P]) Copy(b []byte) []byte { return o.arena.Copy(b) }

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
func (o *Overlay[P]) Get(key []byte, at *store.Mark) (w Write[P], ok bool) {
	s := o.of(SpaceOf(key))
	if s == nil {
		return w, false
	}
	o.arrange(s)
	p := o.seek(s, view(key))
	if !o.is(s, p, view(key)) {
		return w, false
	}
	n := o.versionBefore(s.at(p).node, o.before(at))
	if n == none {
		return w, false
	}
	return o.nodes.at(n).write(), true
}

// Spaces are those that were written to, ascending.
func (o *Overlay[P]) Spaces() []store.SpaceID {
	out := make([]store.SpaceID, len(o.orders))
	for i, s := range o.orders {
		out[i] = s.space
	}
	return out
}

// All yields the newest write of each key, in key order.
func (o *Overlay[P]) All(yield func(Write[P]) bool) {
	for _, s := range o.orders {
		if !o.each(s, yield) {
			return
		}
	}
}

// In is All for the keys of one space. Several goroutines may ask for those of any spaces at once.
func (o *Overlay[P]) In(id store.SpaceID) iter.Seq[Write[P]] {
	return func(yield func(Write[P]) bool) {
		if s := o.of(id); s != nil {
			o.each(s, yield)
		}
	}
}

// readTogether is how many writes are read from memory at once.
const readTogether = 32

// each yields the newest write of each key of a space, and says whether more is wanted. In the order of keys these lie
// anywhere in memory, so some are read together: the waits for them overlap.
func (o *Overlay[P]) each(s *order, yield func(Write[P]) bool) bool {
	o.arrange(s)
	var writes [readTogether]Write[P]
	for _, b := range s.blocks {
		for spots := range slices.Chunk(b.nodes, readTogether) {
			for i, n := range spots {
				writes[i] = o.nodes.at(n.node).write()
			}
			read := byte(0)
			for i := range spots {
				read |= writes[i].Key[0]
			}
			runtime.KeepAlive(read)
			for i, n := range spots {
				writes[i].Since = o.first(n.node)
				if !yield(writes[i]) {
					return false
				}
			}
		}
	}
	return true
}

// first is the epoch of the first write of a key, given by the newest one.
func (o *Overlay[P]) first(n uint32) uint32 {
	for o.nodes.at(n).older != 0 {
		n = o.nodes.at(n).older
	}
	return o.nodes.at(n).epoch
}

func (n *node[P]) write() Write[P] {
	return Write[P]{Key: n.key, Partition: int(n.partition), Delete: n.deleted, Guard: n.guard, Payload: n.payload}
}

func (o *Overlay[P]) set(id store.SpaceID, key store.Key, w node[P]) error {
	o.whole = AppendKey(o.whole[:0], id, key)
	w.epoch, w.partition = o.epoch.Load(), uint32(len(key.Partition))
	s := o.orderOf(id)
	if w.guard != store.Absent && s.count >= cmp.Or(o.direct, blockSize) {
		n := o.add(w)
		s.wait(spot{headOf(o.nodes.at(n).key), n})
		return nil
	}
	o.arrange(s)
	p := o.seek(s, view(o.whole))
	if o.is(s, p, view(o.whole)) {
		return o.overwrite(s.at(p).node, w)
	}
	n := o.add(w)
	s.insert(p, spot{headOf(o.nodes.at(n).key), n})
	return nil
}

// add adds a node for the key in whole.
func (o *Overlay[P]) add(w node[P]) uint32 {
	w.key = view(o.arena.Copy(o.whole))
	return o.nodes.add(w)
}

// overwrite makes w the newest version of a node. What the store must find is what the
// first write asked for; a later guard is about the transaction's own item.
func (o *Overlay[P]) overwrite(at uint32, w node[P]) error {
	if w.guard == store.Absent && !o.nodes.at(at).deleted {
		return store.ErrConflict
	}
	free := uint32(o.nodes.count)
	if o.nodes.at(at).epoch != w.epoch {
		o.nodes.add(node[P]{})
	}
	o.renew(at, free, w)
	return nil
}

// renew makes a write the newest version of the key of a node. The version before it moves to a node that is free,
// unless it is of the same epoch.
func (o *Overlay[P]) renew(at, free uint32, w node[P]) {
	n := o.nodes.at(at)
	if n.epoch != w.epoch {
		*o.nodes.at(free) = *n
		n.older = free
	}
	n.epoch, n.deleted, n.payload = w.epoch, w.deleted, w.payload
}

// insert puts a node at its position. A full block is halved, but for one at the end,
// which rising keys fill: behind that begins another.
func (s *order) insert(p position, n spot) {
	s.count++
	s.moved++
	if p.block == len(s.blocks) {
		if p.block == 0 || len(s.blocks[p.block-1].nodes) == blockSize {
			s.blocks = append(s.blocks, block{first: n, nodes: []spot{n}})
			return
		}
		p.block--
		p.at = len(s.blocks[p.block].nodes)
	}
	b := &s.blocks[p.block]
	b.nodes = slices.Insert(b.nodes, p.at, n)
	if p.at == 0 {
		b.first = n
	}
	if len(b.nodes) > blockSize {
		upper := slices.Clone(b.nodes[blockSize/2:])
		b.nodes = b.nodes[:blockSize/2]
		s.blocks = slices.Insert(s.blocks, p.block+1, block{first: upper[0], nodes: upper})
	}
}

// at is the node at a position.
func (s *order) at(p position) spot { return s.blocks[p.block].nodes[p.at] }

// seek is the position of the first key that is not below key. It is always the position of
// a node, or the start of a block behind the last.
func (o *Overlay[P]) seek(s *order, key string) position {
	if s.count == 0 || o.last(s) < key {
		return position{block: len(s.blocks)}
	}
	h := headOf(key)
	lo, hi := 0, len(s.blocks) // the first block whose first key is not below key
	for lo < hi {
		mid := (lo + hi) / 2
		if o.below(s.blocks[mid].first, h, key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return position{}
	}
	b := s.blocks[lo-1].nodes
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

func (o *Overlay[P]) last(s *order) string {
	b := s.blocks[len(s.blocks)-1].nodes
	return o.nodes.at(b[len(b)-1].node).key
}

// is says whether the node at a position has a key.
func (o *Overlay[P]) is(s *order, p position, key string) bool {
	if p.block == len(s.blocks) {
		return false
	}
	n := s.at(p)
	return n.head == headOf(key) && o.nodes.at(n.node).key == key
}

// view is bytes that stay as they are, or for the length of a call, as a string.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
