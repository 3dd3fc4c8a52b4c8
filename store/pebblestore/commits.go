package pebblestore

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
)

// commits makes commits durable, those that wait at the same time by one sync, before anybody sees them:
// a transaction that begins during the sync takes the snapshot from before.
type commits struct {
	mu      sync.Mutex
	queue   []*pendingCommit
	leading bool       // one of those that have come applies a queue
	writing sync.Mutex // held between what is to be seen together and the snapshot that has it
}

// pendingCommit is a commit that waits.
type pendingCommit struct {
	batch  *pebble.Batch
	answer chan error
}

// errLead is the answer to the first that waits when the queue before it is done: it is to apply the
// next one.
var errLead = errors.New("apply the queue")

// commit makes a batch durable, and then visible. An error leaves open what is on the disk.
func (s *Store) commit(b *pebble.Batch) error {
	c := &s.commits
	own := &pendingCommit{b, make(chan error, 1)}
	c.mu.Lock()
	c.queue = append(c.queue, own)
	lead := !c.leading
	c.leading = true
	c.mu.Unlock()
	if !lead {
		if err := <-own.answer; err != errLead {
			return err
		}
	}
	c.mu.Lock()
	queue := c.queue
	c.queue = nil
	c.mu.Unlock()
	err := s.apply(queue)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range queue {
		p.answer <- err
	}
	if c.leading = len(c.queue) > 0; c.leading {
		c.queue[0].answer <- errLead
	}
	return err
}

// apply applies batches in their order. The sync of the last makes those before it durable, too.
func (s *Store) apply(queue []*pendingCommit) error {
	s.commits.writing.Lock()
	defer s.commits.writing.Unlock()
	for i, p := range queue {
		o := pebble.NoSync
		if i == len(queue)-1 {
			o = pebble.Sync
		}
		if err := s.write(p.batch, o); err != nil {
			return err
		}
	}
	s.snapshots.renew()
	return nil
}

// show lets transactions that begin later see what was written without a sync.
func (s *Store) show(b *pebble.Batch) error {
	s.commits.writing.Lock()
	defer s.commits.writing.Unlock()
	if err := s.write(b, pebble.NoSync); err != nil {
		return err
	}
	s.snapshots.renew()
	return nil
}

// write hands a batch to Pebble, which panics where it cannot go on.
func (s *Store) write(b *pebble.Batch, o *pebble.WriteOptions) error {
	defer func() {
		if p := recover(); p != nil {
			s.fail(fmt.Errorf("%v", p))
		}
	}()
	s.unflushed.add(b)
	if err := b.Commit(o); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return nil
}
