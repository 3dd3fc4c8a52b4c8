package pebblestore

import (
	"hash/maphash"
	"math"
	"slices"
	"sync"
)

// conflicts finds transactions that overlap in time and wrote one key.
//
// A commit claims its keys, applies its batch, and finishes, which gives it the next number of the clock and its
// snapshot the same: commits have numbers in the order in which they are applied. So a commit that the snapshot of a
// transaction lacks has a higher number than that, or none yet, and a guarded write of a key of such a commit is a
// conflict.
//
// Keys are known by a 64-bit hash: two keys that share one make a conflict that is not
// there, and running the transaction again resolves that. Keys are forgotten when all
// transactions whose snapshots lack their commit have ended. One that is not durable is lacking in what transactions
// take, and that of the commit itself is open until it is.
type conflicts struct {
	seed     maphash.Seed
	mu       sync.Mutex
	ended    sync.Cond // a commit has finished
	clock    uint64
	last     keyNumbers         // of the last commit of a key, or pending
	held     map[uint64]holding // by hash of a key
	finished []commit           // ascending
	// forgotten is the number of the last commit whose keys were forgotten. What a snapshot from before it lacks is not
	// known: a transaction that begins with one counts every key as written since.
	forgotten uint64
	open      ticket // ring of open transactions in order of began
}

// pending is the number of a commit that has not finished.
const pending = math.MaxUint64

// commit is the keys of a finished commit, with the times that they were claimed with.
type commit struct {
	number uint64
	claims
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
	c := &conflicts{seed: maphash.MakeSeed(), last: newKeyNumbers(),
		held: map[uint64]holding{}}
	c.open.prev, c.open.next = &c.open, &c.open
	c.ended.L = &c.mu
	return c
}

// begin begins a transaction, with the snapshot that it takes.
func (c *conflicts) begin(take func() *snapshot) (*ticket, *snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &ticket{}
	return t, c.append(t, take)
}

// append puts a transaction behind those whose snapshots are no later: all, but for one that begins with the snapshot
// of another.
func (c *conflicts) append(t *ticket, take func() *snapshot) *snapshot {
	sn := take()
	t.began, t.prev = sn.clock, c.open.prev
	for t.prev != &c.open && t.prev.began > t.began {
		t.prev = t.prev.prev
	}
	t.next = t.prev.next
	t.prev.next, t.next.prev = t, t
	return sn
}

func (t *ticket) unlink() { t.prev.next, t.next.prev = t.next, t.prev }

// again lets a transaction that needs nothing of what was kept for it begin once more.
func (c *conflicts) again(t *ticket, take func() *snapshot) *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.unlink()
	sn := c.append(t, take)
	c.forget()
	return sn
}

// number is that of the last commit of a key that a snapshot with a clock may have; 0: all snapshots have it. What was
// before one that is being applied is not known.
func (c *conflicts) number(key, clock uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return min(c.last.last(key), clock)
}

// overtaken says whether a commit later than a time wrote a key. It waits for one that is being applied.
func (c *conflicts) overtaken(key, since uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.last.last(key) == pending {
		c.ended.Wait()
	}
	return c.lastOf(key, since) > since
}

// lastOf is the number of the last commit of a key, as far as it is known whether there was one since a time.
func (c *conflicts) lastOf(key, since uint64) uint64 {
	if since < c.forgotten {
		return max(c.last.last(key), c.forgotten)
	}
	return c.last.last(key)
}

// end forgets a transaction and what was kept for it.
func (c *conflicts) end(t *ticket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.unlink()
	c.forget()
}

// forget forgets the commits that finished before all open transactions began.
func (c *conflicts) forget() {
	oldest := c.clock
	if c.open.next != &c.open {
		oldest = c.open.next.began
	}
	n := 0
	for ; n < len(c.finished) && c.finished[n].number <= oldest; n++ {
		c.last.forget(c.finished[n].written, c.finished[n].number)
		for _, k := range c.finished[n].held {
			if at := c.held[k.key]; at.last == c.finished[n].number && at.pending == 0 {
				delete(c.held, k.key)
			}
		}
		c.forgotten, c.finished[n].claims = c.finished[n].number, claims{}
	}
	c.finished = c.finished[n:]
	c.last.shrink()
}

// claims are the keys of a commit: those that it writes, and those that it needs as they were found.
type claims struct{ written, held []claim }

// claim is what a commit needs of a key: that no other has written it, nor if this one writes it held it, behind a
// time. A key that is written in any case has the time unguarded.
type claim struct{ key, since uint64 }

// unguarded is a time that nothing is behind.
const unguarded = pending - 1

// claim marks keys as pending, unless one of them is in conflict: then it gives the number of a commit with which it
// is. If that is being applied, it waits for it: to run again before then would be in vain.
func (c *conflicts) claim(keys claims) (number uint64, conflict bool) {
	set := c.last.setOf(keys.written)
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.underWay(keys.written, keys.held) {
		c.ended.Wait()
	}
	for _, k := range keys.written {
		if last := c.lastOf(k.key, k.since); last > k.since {
			return last, true
		}
		if k.since != unguarded && c.held[k.key].last > k.since {
			return c.held[k.key].last, true
		}
	}
	for _, k := range keys.held {
		if last := c.lastOf(k.key, k.since); last > k.since {
			return last, true
		}
	}
	c.last.claim(keys.written, set)
	for _, k := range keys.held {
		at := c.held[k.key]
		at.pending++
		c.held[k.key] = at
	}
	return 0, false
}

// underWay says whether a commit that is being applied is about one of the keys: one key never has two of them, but
// those that hold it.
func (c *conflicts) underWay(written, held []claim) bool {
	for _, k := range written {
		if c.last.last(k.key) == pending || len(c.held) > 0 && c.held[k.key].pending > 0 {
			return true
		}
	}
	return slices.ContainsFunc(held, func(k claim) bool { return c.last.last(k.key) == pending })
}

// finish gives claimed keys the next number, and lets the snapshot have it before others see it. Keys whose batch could
// not be applied get the last number: a transaction that then conflicts needlessly runs again.
func (c *conflicts) finish(keys claims, applied func(number uint64)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if applied != nil {
		c.clock++
		applied(c.clock)
	}
	c.last.finish(keys.written, c.clock)
	for _, k := range keys.held {
		c.held[k.key] = holding{c.clock, c.held[k.key].pending - 1}
	}
	// A commit without keys has no ticket: it may be forgotten before transactions take snapshots that have it, with
	// which it is no conflict.
	if len(keys.written)+len(keys.held) > 0 {
		c.finished = append(c.finished, commit{c.clock, keys})
	}
	c.ended.Broadcast()
}
