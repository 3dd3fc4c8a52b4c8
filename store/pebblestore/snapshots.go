package pebblestore

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// snapshots lets transactions that begin between two writes share one Pebble snapshot:
// to make and to close one takes the lock of the whole database, and closing the oldest
// looks for a compaction.
type snapshots struct {
	db     *pebble.DB
	mu     sync.Mutex
	latest *snapshot // nil if something was written since it was taken
}

// snapshot is closed by the last that holds it.
type snapshot struct {
	*pebble.Snapshot
	holders int // transactions, and snapshots.latest
}

// take is a snapshot that has everything that was written before the call.
func (s *snapshots) take() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest == nil {
		s.latest = &snapshot{Snapshot: s.db.NewSnapshot(), holders: 1}
	}
	s.latest.holders++
	return s.latest
}

// release ends the use of a snapshot.
func (s *snapshots) release(sn *snapshot) {
	s.mu.Lock()
	sn.holders--
	last := sn.holders == 0
	s.mu.Unlock()
	if last {
		sn.Close()
	}
}

// renew lets nobody take the latest snapshot any more. A write is not finished before.
func (s *snapshots) renew() {
	s.mu.Lock()
	sn := s.latest
	s.latest = nil
	s.mu.Unlock()
	if sn != nil {
		s.release(sn)
	}
}
