package pebblestore

import (
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// snapshots lets transactions that begin between two writes share one Pebble snapshot:
// to make and to close one takes the lock of the whole database, and closing the oldest
// looks for a compaction.
type snapshots struct {
	db        *pebble.DB
	published *atomic.Uint64
	tables    atomic.Uint64 // how often the tables have changed
	mu        sync.Mutex
	latest    *snapshot // has what is durable, and what bulk transactions have committed
	// applied has what is applied, too, of which nothing may get out before it is durable.
	applied *snapshot
	offered sync.Cond // the latest is another one, or there will be none
	lost    bool      // what is applied does not become durable
}

// snapshot is closed by the last that holds it.
type snapshot struct {
	*pebble.Snapshot
	clock   uint64 // of conflicts: the number of the last commit that it has; later ones have a higher one
	holders int    // transactions, commits, snapshots.latest and snapshots.applied
	// resting are iterators for the next scans, which need not open one and find its tables.
	// They keep these from being deleted, and so are closed when the tables have changed.
	resting []iterator
	// sees is above the sequence number of each write that it has for certain.
	sees      uint64
	stretches atomic.Pointer[stretches]
	passed    atomic.Int64 // about how many items have been read, those in blocks left out
}

// iterator knows when it was opened, by snapshots.tables.
type iterator struct {
	*pebble.Iterator
	tables uint64
}

// mostResting is how many iterators of a snapshot may rest.
const mostResting = 4

// take is a snapshot that has everything that was committed before the call.
func (s *snapshots) take() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest.holders++
	s.latest.wake(s.tables.Load())
	return s.latest
}

// takeApplied is a snapshot that has everything that is applied.
func (s *snapshots) takeApplied() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.applied.holders++
	return s.applied
}

// advance makes a snapshot that of what is applied, and gives the one before it, to release.
func (s *snapshots) advance(sn *snapshot) (old *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, s.applied = s.applied, sn
	sn.holders++
	return old
}

// durable says whether the commits up to a number are.
func (s *snapshots) durable(number uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest.clock >= number
}

// await waits until the commits up to a number are durable, and says whether they are.
func (s *snapshots) await(number uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.latest != nil && s.latest.clock < number && !s.lost {
		s.offered.Wait()
	}
	return s.latest != nil && s.latest.clock >= number
}

// lose says that what is applied does not become durable.
func (s *snapshots) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = true
	s.offered.Broadcast()
}

// isLatest says whether nothing was committed since a snapshot that transactions can see.
func (s *snapshots) isLatest(sn *snapshot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest == sn
}

// hold lets a snapshot that is held be released once more.
func (s *snapshots) hold(sn *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sn.holders++
}

// wake closes the iterators that were not opened on the present tables.
func (sn *snapshot) wake(tables uint64) {
	if len(sn.resting) > 0 && sn.resting[0].tables != tables {
		sn.closeResting()
	}
}

func (sn *snapshot) closeResting() {
	for _, it := range sn.resting {
		it.Close()
	}
	sn.resting = nil
}

// iterator is one of a snapshot for keys with from <= key < to, which stands nowhere.
func (s *snapshots) iterator(sn *snapshot, from, to []byte) (it iterator, err error) {
	s.mu.Lock()
	if n := len(sn.resting) - 1; n >= 0 {
		it, sn.resting = sn.resting[n], sn.resting[:n]
	}
	s.mu.Unlock()
	if it.Iterator != nil {
		it.SetBounds(from, to)
		return it, nil
	}
	it.tables = s.tables.Load()
	it.Iterator, err = sn.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	return it, err
}

// rest takes an iterator back.
func (s *snapshots) rest(sn *snapshot, it iterator) {
	s.mu.Lock()
	sn.wake(it.tables)
	rests := sn == s.latest && it.tables == s.tables.Load() && len(sn.resting) < mostResting && it.Error() == nil
	if rests {
		sn.resting = append(sn.resting, it)
	}
	s.mu.Unlock()
	if !rests {
		it.Close()
	}
}

// release ends the use of a snapshot, if there is one.
func (s *snapshots) release(sn *snapshot) {
	if sn == nil {
		return
	}
	s.mu.Lock()
	sn.holders--
	last := sn.holders == 0
	s.mu.Unlock()
	if last {
		sn.Close()
	}
}

// make makes a snapshot of the present, later than those made before. The caller sees to it that nothing is
// written meanwhile that must not be seen with what it has.
func (s *snapshots) make() *snapshot {
	sees := s.published.Load()
	return &snapshot{Snapshot: s.db.NewSnapshot(), holders: 1, sees: sees}
}

// offer lets transactions take a snapshot of what is durable, or keeps a later one. A transaction that took the one
// before conflicts with the commits that this one has more, which are finished by then.
func (s *snapshots) offer(sn *snapshot) {
	s.mu.Lock()
	if s.latest != nil && s.latest.clock > sn.clock {
		s.mu.Unlock()
		s.release(sn)
		return
	}
	old := s.latest
	s.latest = sn
	s.offered.Broadcast()
	s.retire(old)
}

// drop is for a database that will be closed.
func (s *snapshots) drop() {
	s.mu.Lock()
	old, applied := s.latest, s.applied
	s.latest, s.applied = nil, nil
	s.offered.Broadcast()
	s.retire(old)
	s.release(applied)
}

// retire lets go of what was the latest snapshot, and of s.mu.
func (s *snapshots) retire(sn *snapshot) {
	if sn != nil {
		sn.closeResting()
	}
	s.mu.Unlock()
	s.release(sn)
}
