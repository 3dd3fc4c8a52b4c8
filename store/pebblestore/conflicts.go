package pebblestore

import (
	"hash/maphash"
	"math"
	"sync"
)

// conflicts finds transactions that overlap in time and wrote one key.
//
// A commit claims its keys, applies and syncs its batch, offers the snapshot that transactions
// take, and finishes, which gives it the next number of the clock. A transaction notes the
// clock before it takes its snapshot. So a commit that its snapshot lacks has a higher number
// than it noted, or none yet, and writing a key of such a commit is a conflict. (One that is
// in the snapshot but not yet finished conflicts needlessly.)
//
// Keys are known by a 64-bit hash: two keys that share one make a conflict that is not
// there, and running the transaction again resolves that. Keys are forgotten when all
// transactions that began before their commit finished have ended.
type conflicts struct {
	seed     maphash.Seed
	mu       sync.Mutex
	ended    sync.Cond // a commit has finished
	clock    uint64
	last     map[uint64]uint64  // by hash of a key: the number of its last commit, or pending
	most     int                // entries that last has had
	held     map[uint64]holding // by hash of a key
	finished []commit           // ascending
	open     ticket             // ring of open transactions in order of began
}

// pending is the number of a commit that has not finished.
const pending = math.MaxUint64

// keepMap is from how many entries on an emptied map is replaced by a small one.
const keepMap = 1 << 16

// commit is the keys of a finished commit.
type commit struct {
	number uint64
	keys   []uint64
	held   []uint64
}

// holding is a key that commits need as they found it: others may hold it at once, and none may write it.
type holding struct {
	last    uint64 // the number of the last commit
	pending int    // commits that have not finished
}

// ticket is a transaction that may write.
type ticket struct {
	began      uint64
	prev, next *ticket
}

func newConflicts() *conflicts {
	c := &conflicts{seed: maphash.MakeSeed(), last: map[uint64]uint64{},
		held: map[uint64]holding{}}
	c.open.prev, c.open.next = &c.open, &c.open
	c.ended.L = &c.mu
	return c
}

func (c *conflicts) begin() *ticket {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &ticket{began: c.clock, prev: c.open.prev, next: &c.open}
	t.prev.next, t.next.prev = t, t
	return t
}

// end forgets a transaction and what was kept for it.
func (c *conflicts) end(t *ticket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.prev.next, t.next.prev = t.next, t.prev
	oldest := c.clock
	if c.open.next != &c.open {
		oldest = c.open.next.began
	}
	n := 0
	for ; n < len(c.finished) && c.finished[n].number <= oldest; n++ {
		for _, key := range c.finished[n].keys {
			if c.last[key] == c.finished[n].number {
				delete(c.last, key)
			}
		}
		for _, key := range c.finished[n].held {
			if at := c.held[key]; at.last == c.finished[n].number && at.pending == 0 {
				delete(c.held, key)
			}
		}
		c.finished[n].keys, c.finished[n].held = nil, nil
	}
	c.finished = c.finished[n:]
	if len(c.last) == 0 && c.most >= keepMap {
		c.last, c.most = map[uint64]uint64{}, 0
	}
}

// claim marks keys as pending, unless one of them is in conflict. If that is with a commit
// that is being applied, it waits for it: to run again before then would be in vain.
func (c *conflicts) claim(t *ticket, keys, held []uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		if !c.unwritten(t, key) || !c.unheld(t, key) {
			return false
		}
	}
	for _, key := range held {
		if !c.unwritten(t, key) {
			return false
		}
	}
	for _, key := range keys {
		c.last[key] = pending
	}
	for _, key := range held {
		at := c.held[key]
		at.pending++
		c.held[key] = at
	}
	c.most = max(c.most, len(c.last))
	return true
}

// unwritten says whether no commit has written a key since a transaction began.
func (c *conflicts) unwritten(t *ticket, key uint64) bool {
	for c.last[key] == pending {
		c.ended.Wait() // then its number is above t.began
	}
	return c.last[key] <= t.began
}

// unheld says whether no commit has held a key since a transaction began.
func (c *conflicts) unheld(t *ticket, key uint64) bool {
	if len(c.held) == 0 {
		return true
	}
	for c.held[key].pending > 0 {
		c.ended.Wait() // then its number is above t.began
	}
	return c.held[key].last <= t.began
}

// finish gives claimed keys their number, whether or not their batch was applied: a
// transaction that then conflicts needlessly runs again.
func (c *conflicts) finish(keys, held []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	for _, key := range keys {
		c.last[key] = c.clock
	}
	for _, key := range held {
		c.held[key] = holding{c.clock, c.held[key].pending - 1}
	}
	c.finished = append(c.finished, commit{c.clock, keys, held})
	c.ended.Broadcast()
}
