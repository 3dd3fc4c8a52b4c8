package lock

import "sync"

// The lock table is divided into shards by the hash of tags, each with its mutex. Locks of rows have shards of their
// own, since there may be very many of them, which a list of the other locks need not go through.
const (
	rowShards   = 64
	otherShards = 16
	shards      = rowShards + otherShards
)

// Bytes is about how much memory a lock takes: its entry, and what its owner and the shard note of it.
const Bytes = 128

// mostUnused is how many entries a shard keeps for later locks, fewestBuckets how many buckets it has at least.
const (
	mostUnused    = 64
	fewestBuckets = 16
)

// shard is a part of the lock table: a hash table with chains.
type shard struct {
	mu      sync.Mutex
	buckets []*entry // as many as a power of two
	count   int
	unused  *entry
	kept    int // of those that are unused

	_ [64]byte // so that the mutexes of two shards are not in one cache line
}

// entry is a lock that owners have or wait for.
type entry struct {
	tag   Tag
	hash  uint64
	next  *entry // of its bucket, or of those that are unused
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

func (m *Manager) shardOf(c Class, hash uint64) *shard {
	if c == Row {
		return &m.shards[hash>>32%rowShards]
	}
	return &m.shards[rowShards+hash>>32%otherShards]
}

// bucket is where the chain of a hash begins.
func (s *shard) bucket(hash uint64) **entry { return &s.buckets[hash&uint64(len(s.buckets)-1)] }

// find is the entry of a tag, or nil.
func (s *shard) find(t Tag, hash uint64) *entry {
	if s.count == 0 {
		return nil
	}
	e := *s.bucket(hash)
	for e != nil && (e.hash != hash || e.tag != t) {
		e = e.next
	}
	return e
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
	e.tag, e.hash = t, hash
	if s.count == len(s.buckets) {
		s.resize(max(fewestBuckets, 2*s.count))
	}
	s.count++
	s.add(e)
	return e
}

func (s *shard) add(e *entry) {
	b := s.bucket(e.hash)
	e.next = *b
	*b = e
}

func (s *shard) resize(n int) {
	old := s.buckets
	s.buckets = make([]*entry, n)
	for _, e := range old {
		for e != nil {
			next := e.next
			s.add(e)
			e = next
		}
	}
}

// tidy removes an entry that no owner has or waits for.
func (s *shard) tidy(e *entry) {
	if e.first.owner != nil || e.queue != nil {
		return
	}
	at := s.bucket(e.hash)
	for *at != e {
		at = &(*at).next
	}
	*at = e.next
	s.count--
	if s.count == 0 && len(s.buckets) > 1<<10 {
		s.buckets = nil // of a transaction with very many locks
	}
	if e.more, e.next = nil, nil; s.kept < mostUnused {
		e.next = s.unused
		s.unused = e
		s.kept++
	}
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
