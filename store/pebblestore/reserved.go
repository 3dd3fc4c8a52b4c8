package pebblestore

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// copySpace is the number under which the items of Reserved spaces are a second time, behind all others: but in a small
// store a damaged block does not have both. Only a salvage reads them.
const copySpace store.SpaceID = math.MaxUint64 - 1

// copyKey is where the copy of an item is.
func copyKey(key []byte) []byte {
	return append(overlay.AppendKey(make([]byte, 0, overlay.SpaceBytes+len(key)), copySpace, store.Key{}), key...)
}

// reserve notes that a transaction writes to a Reserved space.
func (t *txn) reserve(s *store.Space) {
	if s.Reserved && !slices.Contains(t.reserved, s.ID) {
		t.reserved = append(t.reserved, s.ID)
	}
}

// writeTwice writes an item, and its copy if it has one.
func (t *txn) writeTwice(b *pebble.Batch, key []byte, w overlay.Write[[]byte]) error {
	if err := write(b, key, w); err != nil || len(t.reserved) == 0 ||
		!slices.Contains(t.reserved, positionOf(key, 0).Space) {
		return err
	}
	return write(b, copyKey(key), w)
}

// copyAll makes the copies of a space that was written by a version that made none.
func (s *Store) copyAll(ctx context.Context, b *pebble.Batch, sp *store.Space) error {
	from, to := overlay.AppendBounds(nil, sp.ID, store.Range{})
	copies, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: copyKey(from), UpperBound: copyKey(to)})
	if err != nil {
		return err
	}
	there := copies.First()
	if err := copies.Close(); err != nil || there {
		return nil // they cannot be read, or need not be made
	}
	it, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return err
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		err = b.Set(copyKey(it.Key()), it.Value(), nil)
	}
	if failed := it.Close(); failed != nil {
		b.Reset() // who reads them is told
	}
	return err
}

// restore makes Reserved spaces what their copies say, where they could not be read themselves. Where the
// copies could not be read either it puts what is missing.
func (sv *Salvage) restore(ctx context.Context) error {
	db := sv.Store.db
	prefix := overlay.AppendKey(nil, copySpace, store.Key{})
	it, err := db.NewIterWithContext(ctx,
		&pebble.IterOptions{LowerBound: prefix, UpperBound: overlay.AppendKey(nil, recordSpace, store.Key{})})
	if err != nil {
		return err
	}
	defer it.Close()
	b := db.NewBatch()
	defer b.Close()
	var spaces []store.SpaceID
	for ok := it.First(); ok; ok = it.Next() {
		key := bytes.Clone(it.Key()[len(prefix):])
		if id := positionOf(key, 0).Space; !slices.Contains(spaces, id) {
			spaces = append(spaces, id)
		}
		there, err := has(db, key)
		if err != nil {
			return err
		}
		if sv.lost(key) && (!there || !sv.lost(it.Key())) {
			if err := b.Set(key, bytes.Clone(it.Value()), nil); err != nil {
				return err
			}
		}
	}
	for _, id := range spaces {
		if err := sv.forget(b, id); err != nil {
			return err
		}
	}
	return sv.Store.commit(b, claims{}, nil)
}

// forget deletes items of a Reserved space that have no copy, and are in what is lost: they were deleted.
func (sv *Salvage) forget(b *pebble.Batch, id store.SpaceID) error {
	from, to := overlay.AppendBounds(nil, id, store.Range{})
	if !slices.ContainsFunc(sv.Lost, func(l store.Loss) bool {
		return l.Overlaps(positionOf(copyKey(from), 0),
			positionOf(copyKey(to), 0))
	}) {
		sv.Whole = append(sv.Whole, id)
	}
	it, err := sv.Store.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return err
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		there, err := has(sv.Store.db, copyKey(it.Key()))
		if err != nil {
			return err
		}
		if !there && sv.lost(it.Key()) && !sv.lost(copyKey(it.Key())) {
			if err := b.Delete(bytes.Clone(it.Key()), nil); err != nil {
				return err
			}
		}
	}
	return it.Error()
}

// lost says whether a key is in what is lost.
func (sv *Salvage) lost(key []byte) bool {
	at := positionOf(key, 0)
	return slices.ContainsFunc(sv.Lost, func(l store.Loss) bool { return l.Overlaps(at, at) })
}

func has(db *pebble.DB, key []byte) (bool, error) {
	_, closer, err := db.Get(key)
	if err == pebble.ErrNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, closer.Close()
}
