package pebblestore

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// unflushed counts what is written to spaces and not yet in tables, which Pebble does not tell.
type unflushed struct {
	mu sync.Mutex
	// now is what is written since the last flush began, and before what that flush is about. What comes
	// between the end of a memtable and the begin of its flush is counted to the flush.
	now, before map[store.SpaceID]int64
}

// add counts the items of a batch that is about to be committed.
func (u *unflushed) add(b *pebble.Batch) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.now == nil {
		u.now = map[store.SpaceID]int64{}
	}
	for r := b.Reader(); ; {
		kind, key, value, ok, err := r.Next()
		if !ok || err != nil {
			return
		}
		if len(key) >= overlay.SpaceBytes && kind != pebble.InternalKeyKindRangeDelete {
			u.now[store.SpaceID(binary.BigEndian.Uint64(key))] += int64(len(key) + len(value))
		}
	}
}

// begins notes that a flush begins, and ends that it has ended, with everything in tables if it did not fail.
func (u *unflushed) begins() {
	u.mu.Lock()
	defer u.mu.Unlock()
	before := u.now
	if len(u.before) > 0 { // of a flush that failed
		before = u.before
		for id, n := range u.now {
			before[id] += n
		}
	}
	u.before, u.now = before, nil
}

func (u *unflushed) ends(failed error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if failed == nil {
		u.before = nil
	}
}

func (u *unflushed) bytes(id store.SpaceID) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.now[id] + u.before[id]
}

// forget forgets a space that is dropped.
func (u *unflushed) forget(id store.SpaceID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.now, func(k store.SpaceID, _ int64) bool { return k == id })
	maps.DeleteFunc(u.before, func(k store.SpaceID, _ int64) bool { return k == id })
}

// whole is an iterator over all that a space holds, and its bounds among Pebble's keys.
func (s *Store) whole(ctx context.Context, sp *store.Space) (it *pebble.Iterator, from, to []byte, err error) {
	from, to = overlay.AppendBounds(nil, sp.ID, store.Range{})
	it, err = s.db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: from, UpperBound: to})
	return it, from, to, err
}

// Bytes implements store.Sized: what Pebble's tables have, compressed, and what is written since they were.
// Of a table that several spaces share it is whole blocks.
func (s *Store) Bytes(ctx context.Context, sp *store.Space) (bytes int64, known bool, err error) {
	defer func() { err = s.damaged(err) }()
	if sp.Host != nil {
		return 0, false, nil // what others have there is not told apart
	}
	if err := s.enter(); err != nil {
		return 0, false, err
	}
	defer s.leave()
	it, from, to, err := s.whole(ctx, sp)
	if err != nil {
		return 0, false, err
	}
	there := it.First()
	if err := it.Close(); err != nil || !there {
		return 0, err == nil, err
	}
	onDisk, err := s.db.EstimateDiskUsage(from, to)
	return int64(onDisk) + s.unflushed.bytes(sp.ID), err == nil, err
}

// countedItems is how many items are counted one by one.
const countedItems = 2000

// Items implements store.Sized: few items are counted. Of many there are as many as Pebble's tables say, which count
// deletes and what is overwritten until it is compacted, and in memory as many as take what was written there, if
// they are as large as the first ones.
func (s *Store) Items(ctx context.Context, sp *store.Space) (items int64, known bool, err error) {
	defer func() { err = s.damaged(err) }()
	if sp.Host != nil {
		return 0, false, nil // what others have there is not told apart
	}
	if err := s.enter(); err != nil {
		return 0, false, err
	}
	defer s.leave()
	it, from, to, err := s.whole(ctx, sp)
	if err != nil {
		return 0, false, err
	}
	size := 0
	for more := it.First(); more && items < countedItems; more = it.Next() {
		items, size = items+1, size+len(it.Key())+len(it.Value())
	}
	if err := it.Close(); err != nil || items < countedItems {
		return items, err == nil, err
	}
	tables, err := s.db.SSTables(pebble.WithProperties(), pebble.WithKeyRangeFilter(from, to),
		pebble.WithApproximateSpanBytes())
	if err != nil {
		return 0, false, err
	}
	about := float64(s.unflushed.bytes(sp.ID)) * float64(items) / float64(size)
	for _, t := range slices.Concat(tables...) {
		share := float64(t.ApproximateSpanBytes) / float64(max(t.Size, 1))
		about += float64(t.Properties.NumEntries) * min(share, 1)
	}
	return max(items, int64(about)), true, nil
}
