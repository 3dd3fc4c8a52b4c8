// Package rowcache keeps items that are read often in memory, for reads that may be answered with what was current a
// while ago (store.Get.Stale). Such a read gets an item as it was in the store at a time that is no longer ago than it
// allows, and not as it was before a commit of this process that ended before the read's transaction began. Nothing
// else is read from the cache: no scans, no transaction that writes, nothing that is remembered for a write.
//
// What must stay true: an item enters the cache only if no commit of this process has written it, or may have, since
// the transaction that read it began. Read Cache first, then Reader.Get and Writer.Commit.
package rowcache

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/store"
	"zproxy/types"
)

// shards is in how many parts the cache is divided, each with a lock. A power of 2.
const shards = 64

// Cache is of one process. A nil Cache keeps nothing.
type Cache struct {
	now    func() time.Time
	most   int64 // bytes of a shard
	size   func(types.Row) int64
	seed   maphash.Seed
	commit atomic.Uint64 // counts commits, and more
	active atomic.Bool   // a read has asked for the cache
	spaces sync.Map      // *Counts by store.SpaceID, of those of which items were or will be kept
	shards [shards]shard
}

// Counts are what the cache did for a space.
type Counts struct {
	Hits, Misses, Items, Bytes atomic.Int64
	since                      atomic.Uint64 // the number of the last commit of which it was not noted what it wrote
}

// New makes a cache of so many bytes, as size counts them for rows, with a clock that never goes back.
func New(bytes int64, size func(types.Row) int64, now func() time.Time) *Cache {
	c := &Cache{now: now, most: bytes / shards, size: size, seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].items = map[string]*item{}
	}
	return c
}

// Of is what the cache did for a space; nil: nothing.
func (c *Cache) Of(s store.SpaceID) *Counts {
	if c == nil {
		return nil
	}
	of, _ := c.spaces.Load(s)
	counts, _ := of.(*Counts)
	return counts
}

// counts begins to keep items of a space.
func (c *Cache) counts(s store.SpaceID) *Counts {
	if of := c.Of(s); of != nil {
		return of
	}
	fresh := &Counts{}
	fresh.since.Store(math.MaxUint64)
	of, known := c.spaces.LoadOrStore(s, fresh)
	if !known { // commits that began to write before have not noted the keys
		fresh.since.Store(c.commit.Load())
	}
	return of.(*Counts)
}

// Total is what the cache did for all spaces.
func (c *Cache) Total() (hits, misses, items, bytes int64) {
	if c == nil {
		return 0, 0, 0, 0
	}
	c.spaces.Range(func(_, of any) bool {
		counts := of.(*Counts)
		hits, misses = hits+counts.Hits.Load(), misses+counts.Misses.Load()
		items, bytes = items+counts.Items.Load(), bytes+counts.Bytes.Load()
		return true
	})
	return hits, misses, items, bytes
}

// name appends what an item is kept under.
func name(dst []byte, s store.SpaceID, key store.Key) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(s))
	return append(append(dst, key.Partition...), key.Sort...)
}

func (c *Cache) shard(name []byte) (*shard, uint64) {
	h := maphash.Bytes(c.seed, name)
	return &c.shards[h%shards], h
}

// remove takes an item out that a commit has written.
func (c *Cache) remove(name []byte) {
	s, _ := c.shard(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = c.commit.Add(1)
	if at := s.items[string(name)]; at != nil {
		s.drop(at)
	}
}

// removeAll takes all items of a space out.
func (c *Cache) removeAll(of store.SpaceID) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		s.changed = c.commit.Add(1)
		for _, at := range s.items {
			if at.space == of {
				s.drop(at)
			}
		}
		s.mu.Unlock()
	}
}
