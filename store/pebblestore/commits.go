package pebblestore

import (
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
)

// commits makes commits durable before a transaction sees them: each makes a snapshot when it has applied
// its batch, which transactions take from when the log is synced. While one waits for that, the next is
// applied; Pebble syncs the log for all that wait.
//
// A Get of the Latest sees what is applied, and its transaction goes on before that is durable: the log has its writes
// behind what it saw. This is early lock release (DeWitt et al., Implementation Techniques for Main Memory Database
// Systems, 1984, section 5.2): transactions that write one row after the other share a sync.
type commits struct {
	writing sync.Mutex   // held from the write of a batch until there is the snapshot that has it
	pending sync.RWMutex // read-locked while a batch is applied and not yet durable
}

// commit makes a batch, with the keys that were claimed for it, durable and then visible. Applied, if set, is called
// when what is written is the latest. An error leaves open what is on the disk.
func (s *Store) commit(b *pebble.Batch, keys claims, applied func()) error {
	c := &s.commits
	c.pending.RLock()
	defer c.pending.RUnlock()
	sn, err := s.apply(keys, func() error { return s.write(b, s.db.ApplyNoSyncWait, pebble.Sync) })
	if err != nil {
		return err
	}
	if applied != nil {
		applied()
	}
	if err := b.SyncWait(); err != nil {
		s.snapshots.lose()
		s.snapshots.release(sn)
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	s.snapshots.offer(sn)
	return nil
}

// show lets transactions that begin later see what is written without the log, and nothing of a commit that is not
// durable. Keys and applied are as for commit.
func (s *Store) show(keys claims, applied func(), write func() error) error {
	c := &s.commits
	c.pending.Lock()
	defer c.pending.Unlock()
	sn, err := s.apply(keys, write)
	if err != nil {
		return err
	}
	if applied != nil {
		applied()
	}
	s.snapshots.offer(sn)
	return nil
}

// apply writes, and makes the snapshot that has what was written before and nothing later.
func (s *Store) apply(keys claims, write func() error) (*snapshot, error) {
	var old *snapshot
	defer func() { s.snapshots.release(old) }() // when others can write
	s.commits.writing.Lock()
	defer s.commits.writing.Unlock()
	if err := write(); err != nil {
		s.conflicts.finish(keys, nil)
		return nil, err
	}
	sn := s.snapshots.make()
	s.conflicts.finish(keys, func(clock uint64) {
		sn.clock = clock
		old = s.snapshots.advance(sn)
	})
	return sn, nil
}

// write hands a batch to Pebble, which panics where it cannot go on.
func (s *Store) write(b *pebble.Batch, apply func(*pebble.Batch, *pebble.WriteOptions) error,
	o *pebble.WriteOptions) error {
	defer func() {
		if p := recover(); p != nil {
			s.fail(fmt.Errorf("%v", p))
		}
	}()
	s.unflushed.add(b)
	if err := apply(b, o); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	s.unflushed.wrote(b)
	return nil
}
