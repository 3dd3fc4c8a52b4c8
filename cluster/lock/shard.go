package lock

import (
	"iter"
	"sync"
)

// The lock table is divided into shards by the hash of tags, each with its mutex. Locks of rows have shards of their
// own, since there may be very many of them, which a list of the other locks need not go through.
const (
	rowShards   = 64
	otherShards = 16
	shards      = rowShards + otherShards
)

// Bytes is about how much memory a lock takes: its entry, and what its owner and the shard note of it.
const Bytes = 160

// mostUnused is how many entries a shard keeps for later locks, fewestSlots how many slots it has at least.
const (
	mostUnused  = 64
	fewestSlots = 32
)

// shard is a part of the lock table: open addressing with linear probing. At most half of the slots are taken.
type shard struct {
	mu     sync.Mutex
	slots  []slot // as many as a power of two
	count  int
	unused *entry
	kept   int // of those that are unused

	_ [64]byte // so that the mutexes of two shards are not in one cache line
}

// slot has an entry, with its hash: most others are passed over without a look at them.
type slot struct {
	hash  uint64
	entry *entry
}

// entry is a lock that owners have or wait for.
type entry struct {
	tag   Tag
	hash  uint64
	next  *entry // of those that are unused
	first holding
	more  []holding // beside the first
	queue *queue    // nil: no owner waits
}

// holding is what an owner has of a lock.
type holding struct {
	owner  *Owner
	ending modes // with the transaction
	kept   modes // beyond it
	writes bool  // the transaction writes what is locked
}

func (h *holding) modes() modes { return h.ending | h.kept }

// rowShard is the number of the shard of a row.
func rowShard(hash uint64) uint64 { return hash >> 32 % rowShards }

func (m *Manager) shardOf(c Class, hash uint64) *shard {
	if c == Row {
		return &m.shards[rowShard(hash)]
	}
	return &m.shards[rowShards+hash>>32%otherShards]
}

// start is the slot from which on a hash is looked for.
func (s *shard) start(hash uint64) int { return int(hash & uint64(len(s.slots)-1)) }

// find is the entry of a tag, or nil.
func (s *shard) find(t Tag, hash uint64) *entry {
	if s.count == 0 {
		return nil
	}
	for i := s.start(hash); ; i = (i + 1) & (len(s.slots) - 1) {
		switch at := &s.slots[i]; {
		case at.entry == nil:
			return nil
		case at.hash == hash && at.entry.tag == t:
			return at.entry
		}
	}
}

// entry is that of a tag, which may be new.
func (s *shard) entry(t Tag, hash uint64) *entry {
	if e := s.find(t, hash); e != nil {
		return e
	}
	e := s.unused
	if e == nil {
		e = &entry{}
	} else {
		s.unused = e.next
		s.kept--
	}
	e.tag, e.hash, e.next = t, hash, nil
	if 2*s.count >= len(s.slots) {
		s.resize(max(fewestSlots, 2*len(s.slots)))
	}
	s.count++
	s.add(slot{hash, e})
	return e
}

// entries are all of them.
func (s *shard) entries() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, at := range s.slots {
			if at.entry != nil && !yield(at.entry) {
				return
			}
		}
	}
}

func (s *shard) add(of slot) {
	i := s.start(of.hash)
	for s.slots[i].entry != nil {
		i = (i + 1) & (len(s.slots) - 1)
	}
	s.slots[i] = of
}

func (s *shard) resize(n int) {
	old := s.slots
	s.slots = make([]slot, n)
	for _, of := range old {
		if of.entry != nil {
			s.add(of)
		}
	}
}

// tidy removes an entry that no owner has or waits for.
func (s *shard) tidy(e *entry) {
	if e.first.owner != nil || e.queue != nil {
		return
	}
	s.remove(e)
	s.count--
	if s.count == 0 && len(s.slots) > 1<<10 {
		s.slots = nil // of a transaction with very many locks
	}
	if e.more = nil; s.kept < mostUnused {
		e.next = s.unused
		s.unused = e
		s.kept++
	}
}

// remove empties the slot of an entry, and moves those behind it that are looked for from there or before (Knuth, The
// Art of Computer Programming, volume 3, 6.4, algorithm R).
func (s *shard) remove(e *entry) {
	last := len(s.slots) - 1
	free := s.start(e.hash)
	for s.slots[free].entry != e {
		free = (free + 1) & last
	}
	for i := free; ; {
		i = (i + 1) & last
		if s.slots[i].entry == nil {
			break
		}
		if from := s.start(s.slots[i].hash); (i-from)&last >= (i-free)&last {
			s.slots[free], free = s.slots[i], i
		}
	}
	s.slots[free] = slot{}
}

// holders is how many owners have the lock; at gives one of them.
func (e *entry) holders() int {
	if e.first.owner == nil {
		return 0
	}
	return 1 + len(e.more)
}

func (e *entry) at(i int) *holding {
	if i == 0 {
		return &e.first
	}
	return &e.more[i-1]
}

// held are the modes that an owner has, and those that others have.
func (e *entry) held(o *Owner) (own holding, others modes) {
	for i := range e.holders() {
		if h := e.at(i); h.owner == o {
			own = *h
		} else {
			others |= h.modes()
		}
	}
	return own, others
}

// grant gives an owner a mode.
func (e *entry) grant(o *Owner, r request) {
	h := e.of(o)
	if r.kept {
		h.kept |= r.mode.bit()
	} else {
		h.ending |= r.mode.bit()
	}
}

// find is what an owner has of the lock, or nil.
func (e *entry) find(o *Owner) *holding {
	for i := range e.holders() {
		if h := e.at(i); h.owner == o {
			return h
		}
	}
	return nil
}

// of is what an owner has of the lock, which may be nothing yet.
func (e *entry) of(o *Owner) *holding {
	if h := e.find(o); h != nil {
		return h
	}
	n := e.holders()
	if n > 0 {
		e.more = append(e.more, holding{})
	}
	h := e.at(n)
	h.owner = o
	return h
}

// release takes a mode from an owner, and serves those that wait for it.
func (e *entry) release(o *Owner, r request) {
	h := e.of(o)
	if r.kept {
		h.kept &^= r.mode.bit()
	} else {
		h.ending &^= r.mode.bit()
	}
	if h.modes() == 0 {
		last := e.at(e.holders() - 1)
		*h = *last
		*last = holding{}
		if n := len(e.more); n > 0 {
			e.more = e.more[:n-1]
		}
	}
	e.serve()
}
