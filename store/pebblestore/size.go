package pebblestore

import (
	"context"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

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
