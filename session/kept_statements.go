package session

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"zproxy/catalog"
)

// keptStatements are statements that have no name and are kept with their plans, by keys which have all that their
// plans depend on, but for the catalog. Several sessions may use them: a statement that is kept never changes.
type keptStatements struct {
	budget *budget

	mu    sync.RWMutex
	of    map[string]*kept
	met   [2]map[uint64]struct{} // hashes of keys that were looked for and are not kept: lately, and before
	newer map[uint32]*catalog.Snapshot
	clock atomic.Uint64 // counts uses
}

// kept is what is known of a key.
type kept struct {
	statement *Statement // nil: it cannot be kept
	basis
	bytes int64
	used  atomic.Uint64
}

// basis is what a statement is planned from besides what its key has.
type basis struct {
	schema   *catalog.Snapshot
	database uint32
	mode     mode
}

// budget is how many bytes kept statements take, of how many that they may.
type budget struct {
	most int64
	used atomic.Int64
}

// cacheCounts are how often statements were found, and how often they were not.
type cacheCounts struct{ hits, misses atomic.Int64 }

const (
	maxMet        = 4096
	maxSharedKept = 48 << 20 // bytes that all sessions keep together
	maxOwnKept    = 16 << 20 // bytes of those that no other session can use, of all sessions
	maxCachedText = 8 << 10  // bytes of a text
	// planBytes are those of a tree and a plan: 3,100 were measured of statements with a few columns and conditions.
	planBytes   = 4 << 10
	textFactor  = 8   // of trees and plans, for each byte of a long text
	unkeptBytes = 200 // of what is known of a statement that cannot be kept
	compared    = 16  // entries of which the one that was used least lately makes room
)

func newKeptStatements(b *budget) *keptStatements {
	return &keptStatements{budget: b, of: map[string]*kept{}, newer: map[uint32]*catalog.Snapshot{}}
}

// metSeed is that of the hashes of keys that were met.
var metSeed = maphash.MakeSeed()

// find is what is known of a key, nil: nothing that is true now.
func (c *keptStatements) find(key []byte, now basis) *kept {
	c.mu.RLock()
	known := c.of[string(key)]
	c.mu.RUnlock()
	if known == nil || !known.holds(now) {
		return nil
	}
	known.used.Store(c.clock.Add(1))
	return known
}

// holds says whether what is known is still true: plans are made again when the schema has changed, or more was learned
// of how wrong their estimates are. What could not be kept may be another statement in another schema.
func (k *kept) holds(now basis) bool {
	if st := k.statement; st != nil {
		return st.plan == nil || k.basis == now && st.learned == st.lessons()
	}
	return k.basis == now
}

// meet notes that a key was looked for in vain, and says whether it was before.
func (c *keptStatements) meet(key []byte) bool {
	hash := maphash.Bytes(metSeed, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, generation := range c.met {
		if _, met := generation[hash]; met {
			return true
		}
	}
	if c.met[0] == nil || len(c.met[0]) >= maxMet {
		c.met = [2]map[uint64]struct{}{{}, c.met[0]}
	}
	c.met[0][hash] = struct{}{}
	return false
}

// add keeps a statement for a key, if there is room; nil: none can be kept.
func (c *keptStatements) add(key []byte, st *Statement, from basis) {
	k := &kept{statement: st, basis: from, bytes: int64(len(key)) + unkeptBytes}
	if st != nil {
		k.bytes += planBytes + textFactor*int64(len(st.text))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropOutdated(from)
	c.drop(string(key))
	for c.budget.used.Load()+k.bytes > c.budget.most {
		if len(c.of) == 0 {
			return
		}
		c.drop(c.unused())
	}
	c.budget.used.Add(k.bytes)
	k.used.Store(c.clock.Add(1))
	c.of[string(key)] = k
}

// dropOutdated forgets what is known by another catalog of a database than the newest, so that no old one is held for
// it.
func (c *keptStatements) dropOutdated(newest basis) {
	if c.newer[newest.database] == newest.schema {
		return
	}
	c.newer[newest.database] = newest.schema
	for key, k := range c.of {
		if k.database == newest.database && k.schema != newest.schema {
			c.drop(key)
		}
	}
}

// unused is the key of what was not used for the longest time, among some.
func (c *keptStatements) unused() (key string) {
	oldest, seen := uint64(0), 0
	for other, k := range c.of {
		if used := k.used.Load(); key == "" || used < oldest {
			key, oldest = other, used
		}
		if seen++; seen == compared {
			break
		}
	}
	return key
}

func (c *keptStatements) drop(key string) {
	if k, ok := c.of[key]; ok {
		c.budget.used.Add(-k.bytes)
		delete(c.of, key)
	}
}

// clear forgets all of it.
func (c *keptStatements) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.of {
		c.drop(key)
	}
	clear(c.newer)
}
