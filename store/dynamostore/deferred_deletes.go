package dynamostore

import (
	"context"
	"slices"
	"sync"
	"time"

	"zproxy/store"
)

// lateness is how long after an entry its row may come: by the last request of a commit, which begins
// seconds later, and which DynamoDB takes for a quarter of an hour after it was signed.
const lateness = 20 * time.Minute

// deferredDelete is the loose deletes for rows that were deleted or replaced young. An entry of theirs may have been
// put over that of a row whose outcome its writer does not know, and which comes when theirs has gone: so
// it goes when none can come any more, and only if none has.
type deferredDelete struct {
	runAt   time.Time
	rows    []write
	entries []write
}

// deferredDeletes are those that wait. They are forgotten when the process ends: entries that stay do no harm.
type deferredDeletes struct {
	mu      sync.Mutex
	queue   []deferredDelete // in the order in which they are due
	entries int              // of the queue
}

// Deferred deletes are made some together, as many entries waiting as memory is for. Those beyond stay.
const (
	maxDeferred = 50_000
	together    = time.Minute
)

// putOff has a deferred delete made when it is due.
func (s *Store) putOff(r deferredDelete) {
	b := &s.deferred
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.closed.Load() || b.entries+len(r.entries) > maxDeferred {
		s.caller.pressure.left(len(r.entries))
		return
	}
	b.entries += len(r.entries)
	if b.queue = append(b.queue, r); len(b.queue) == 1 {
		s.background.Go(s.runDeferredDeletes, func(error) { s.caller.pressure.left(b.giveUp()) })
	}
}

// runDeferredDeletes makes deferred deletes until none waits, or the store is closed.
func (s *Store) runDeferredDeletes() {
	for list := s.deferred.next(0); len(list) > 0; list = s.deferred.next(len(list)) {
		if store.Sleep(s.life, time.Until(list[len(list)-1].runAt)) != nil {
			return
		}
		_ = each(s.life, parallelWrites, list, func(ctx context.Context, r *deferredDelete) error {
			s.remove(ctx, r)
			return nil
		})
	}
}

// giveUp forgets all deferred deletes, and says how many entries stay.
func (b *deferredDeletes) giveUp() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.entries
	b.queue, b.entries = nil, 0
	return n
}

// next forgets the first deferred deletes, and gives those that are due next.
func (b *deferredDeletes) next(done int) []deferredDelete {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range done {
		b.entries -= len(b.queue[i].entries)
	}
	b.queue = b.queue[done:]
	n := 0
	for n < min(len(b.queue), parallelWrites) && b.queue[n].runAt.Sub(b.queue[0].runAt) < together {
		n++
	}
	return slices.Clone(b.queue[:n])
}

// remove makes a deferred delete, unless one of the rows is there and not as its commit has left it. Entries that
// were put since have another version.
func (s *Store) remove(ctx context.Context, r *deferredDelete) {
	c := committer{store: s, width: 1}
	for i := range r.rows {
		if !c.stands(ctx, &r.rows[i]) {
			s.caller.pressure.left(len(r.entries))
			return
		}
	}
	c.takeAway(ctx, r.entries, versionIs(replaced(r.rows)...))
}

// stands says whether an item is surely as a write has left it.
func (c *committer) stands(ctx context.Context, w *write) bool {
	now, there, err := c.version(ctx, w)
	if err != nil || w.attributes == nil {
		return err == nil && !there
	}
	ours, err := decodeVersion(w.attributes)
	return err == nil && there && now == ours
}
