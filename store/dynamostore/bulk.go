package dynamostore

import (
	"context"
	"maps"
	"slices"

	"zproxy/store"
)

// How much of a bulk load waits to be sent: as many writes as one commit sends at once, unless
// they are large.
const (
	maxWaiting      = maxBatch * parallelWrites
	maxWaitingBytes = 8 << 20
)

// bulk sends writes without guards, many batches at once when enough wait. It keeps the
// context of Begin, since a write has none.
type bulk struct {
	ctx     context.Context
	store   *Store
	stats   *store.Stats
	waiting map[string]write // by whole key
	bytes   int              // of those that wait, or more
	held    int              // batches fewer than parallelWrites that are sent at once
}

// add takes a write; a later one of the same key replaces it.
func (b *bulk) add(at string, w write) error {
	if w.attributes != nil {
		w.attributes[versionAttribute] = encodeVersion(b.store.clock.after(0))
	}
	if b.waiting == nil {
		b.waiting = map[string]write{}
	}
	b.waiting[at] = w
	b.bytes += w.size()
	if len(b.waiting) < maxWaiting && b.bytes < maxWaitingBytes {
		return nil
	}
	return b.flush(b.ctx)
}

// flush sends what waits. After an error all of it still waits: a commit does not succeed
// without it.
func (b *bulk) flush(ctx context.Context) error {
	if len(b.waiting) == 0 {
		return nil
	}
	c := committer{store: b.store, width: parallelWrites - b.held}
	err := c.batches(ctx, slices.Collect(maps.Values(b.waiting)), false)
	if b.stats != nil {
		b.stats.Add(&c.stats)
	}
	if c.stats.Throttled > 0 { // half as many at once, and slowly more again
		b.held = parallelWrites - max(1, c.width/2)
	} else {
		b.held = max(0, b.held-1)
	}
	if err == nil {
		b.waiting, b.bytes = nil, 0
	}
	return err
}
