package dynamostore

import (
	"fmt"
	"hash/maphash"
	"sync/atomic"

	"zproxy/store"
)

// reads are the versions of items that a transaction has read and may write: a write is guarded by the one that its
// value was computed from. Statements compute from what they read themselves, so Refresh forgets all of them.
type reads struct {
	first     map[string]seen  // by whole key: as the first read found it
	latest    map[string]int64 // by whole key: the version that reads of the Latest found
	refreshed int              // how often they were forgotten
}

// seen is the version of an item that was read, 0 for none, and how many commits of the process were over before.
type seen struct {
	version int64
	after   uint64
	found   int64 // the first version, if none was there before
}

// errRewritten is the conflict of two reads that found different versions.
var errRewritten = fmt.Errorf("dynamodb: an item was written between two reads of it: %w", store.ErrConflict)

// note keeps what a read found. The first one counts, and the first of the Latest for itself: when a later read finds
// another version, what was concluded from the first no longer holds.
func (r *reads) note(at string, now seen, latest, repeatable bool) error {
	first, again := r.first[at]
	if !again {
		first = now
	}
	gone := latest && now.version == 0 // what that means the caller knows
	if repeatable && first.found != 0 && first.found != now.version && !gone {
		return errRewritten
	}
	if first.found == 0 {
		first.found = now.version
	}
	r.first[at] = first
	if !latest {
		return nil
	}
	if before, again := r.latest[at]; again && before != now.version {
		return errRewritten
	}
	if r.latest == nil {
		r.latest = map[string]int64{}
	}
	r.latest[at] = now.version
	return nil
}

// version is the one that a write with a guard rests on, if the item was read.
func (r *reads) version(at string, g store.Guard) (v int64, read bool) {
	if v, read = r.latest[at]; read && g == store.Renewed {
		return v, true
	}
	first, read := r.first[at]
	return first.version, read
}

// forget lets the reads from now on count anew.
func (r *reads) forget() {
	clear(r.first)
	r.latest = nil
	r.refreshed++
}

// recent knows which items were written by commits of this process, or may have been: keys share slots.
type recent struct {
	seed  maphash.Seed
	count atomic.Uint64 // commits that are over
	slots [1 << 12]atomic.Uint64
}

// over notes the keys of a commit that is over. Their locks must still be held.
func (r *recent) over(keys func(yield func(at string) bool)) {
	n := r.count.Add(1)
	for at := range keys {
		slot := r.slot(at)
		for last := slot.Load(); last < n && !slot.CompareAndSwap(last, n); {
			last = slot.Load()
		}
	}
}

// since says whether a commit may have written an item that was not over when so many were.
func (r *recent) since(at string, commits uint64) bool { return r.slot(at).Load() > commits }

func (r *recent) slot(at string) *atomic.Uint64 {
	return &r.slots[maphash.String(r.seed, at)%uint64(len(r.slots))]
}
