package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"zproxy/store"
)

// How much of a bulk load waits to be sent: as many writes as are sent at once, unless they are large.
const (
	maxPart         = 25 // writes of one request: more together take longer, and are refused together
	maxWaiting      = maxPart * parallelWrites
	maxWaitingBytes = 8 << 20
)

// bulk sends writes without guards, many requests at once when enough wait. It keeps the
// context of Begin, since a write has none.
//
// Each request is a transaction, at twice the price of a batch, for its token: an attempt that comes late is
// not carried out again. One of a batch might come when the space has readers, and the row has gone or changed.
type bulk struct {
	ctx     context.Context
	store   *Store
	stats   *store.Stats
	version int64            // of all items, as a row and its entries have one
	waiting map[string]write // by whole key
	bytes   int              // of those that wait, or more
	held    int              // requests fewer than parallelWrites that are sent at once
}

// add takes a write; a later one of the same key replaces it.
func (b *bulk) add(at string, w write) error {
	if b.version == 0 {
		b.version = b.store.clock.after(0)
	}
	if w.attributes != nil {
		w.attributes[versionAttribute] = encodeVersion(b.version)
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
	err := each(ctx, c.width, parts(slices.Collect(maps.Values(b.waiting))),
		func(ctx context.Context, part *[]write) error {
			return c.transact(ctx, *part)
		})
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
	if errors.Is(err, store.ErrUnknown) { // what may be there is not read: the fill begins anew elsewhere
		err = fmt.Errorf("%w: %v", store.ErrConflict, err)
	}
	return err
}

// parts cuts writes into what one request takes.
func parts(writes []write) (out [][]write) {
	first, bytes := 0, 0
	for i := range writes {
		size := writes[i].size()
		if i-first == maxPart || i > first && bytes+size > maxTransactBytes {
			out = append(out, writes[first:i])
			first, bytes = i, 0
		}
		bytes += size
	}
	return append(out, writes[first:])
}
