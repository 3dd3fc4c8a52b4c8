package pebblestore

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"zproxy/internal/routine"
	"zproxy/store"
	"zproxy/store/overlay"
)

// How tables are compressed. Pebble lets a range of keys choose only between the profile of a level and its fastest
// one. So the level's is ZSTD, for the spaces that are dense, as soon as there is one; the others then have the
// fastest, MinLZ. In a store without dense spaces everything has Snappy. The dense spaces are in the ledger, since
// Pebble compacts before anything can be read of the database.

// profiles are the ones of levels in a store that has dense spaces.
var profiles = pebble.DBCompressionGood

// compression is what a level compresses with where the policy does not say that it is to be fast.
func (s *Store) compression(level int) func() *sstable.CompressionProfile {
	return func() *sstable.CompressionProfile {
		if s.ledger == nil || len(s.ledger.denseSpaces()) == 0 {
			return sstable.SnappyCompression
		}
		return profiles.Levels[level]
	}
}

// policy is a pebble.SpanPolicyFunc: how a table that begins with a key is compressed, and where the next one has
// to begin as it may be another way.
func (s *Store) policy(key []byte) (policy pebble.SpanPolicy, end []byte, err error) {
	if s.ledger == nil || len(key) < overlay.SpaceBytes {
		return policy, nil, nil
	}
	dense := s.ledger.denseSpaces()
	if len(dense) == 0 {
		return policy, nil, nil
	}
	id := overlay.SpaceOf(key)
	i, is := slices.BinarySearch(dense, id)
	switch {
	case is:
		end = overlay.AppendKey(nil, id+1, store.Key{})
	case i < len(dense):
		end = overlay.AppendKey(nil, dense[i], store.Key{})
	}
	policy.PreferFastCompression = !is
	return policy, end, nil
}

// AlterSpace implements store.SpaceAlterer: what there is of a space is compressed anew in the background if it is to
// be Dense and was not, or the other way round.
func (s *Store) AlterSpace(ctx context.Context, sp *store.Space) error {
	if sp.Home() != sp.ID || s.ledger.isDense(sp.ID) == sp.Dense {
		return nil
	}
	from, to := overlay.AppendBounds(nil, sp.ID, store.Range{})
	// A deletion of range keys, of which there are none, lies above all tables of the space: compactions carry it
	// down and write anew what it covers. Without it a table of the lowest level would stay as it is.
	rewrite := func() error {
		return s.change(ctx, func(b *pebble.Batch) error { return b.RangeKeyDelete(from, to, nil) })
	}
	if err := rewrite(); err != nil { // first: a crash after the ledger's record loses no rewriting
		return err
	}
	s.ledger.setDense(sp.ID, sp.Dense)
	if err := rewrite(); err != nil { // again: a compaction may have carried the first one down in the old way
		return err
	}
	routine.Go(func() { s.compact(from, to) }, s.broke)
	return nil
}

// denseSpaces are the numbers of the dense spaces, in order. They never change: a change makes others.
func (l *ledger) denseSpaces() []store.SpaceID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dense
}

func (l *ledger) isDense(id store.SpaceID) bool {
	_, is := slices.BinarySearch(l.denseSpaces(), id)
	return is
}

// setDense notes durably whether a space is dense.
func (l *ledger) setDense(id store.SpaceID, dense bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.putDense(id, dense) {
		l.noteDurably(appendDense(nil, id, dense))
	}
}

// putDense says whether that is a change.
func (l *ledger) putDense(id store.SpaceID, dense bool) bool {
	i, is := slices.BinarySearch(l.dense, id)
	switch {
	case is == dense:
		return false
	case dense:
		l.dense = slices.Insert(slices.Clone(l.dense), i, id)
	default:
		l.dense = slices.Delete(slices.Clone(l.dense), i, i+1)
	}
	return true
}

func appendDense(dst []byte, id store.SpaceID, dense bool) []byte {
	return appendRecord(dst, denseRecord, uint64(id), dense)
}

// takeDense is about the fields of a record.
func (l *ledger) takeDense(fields []byte) bool {
	if len(fields) != 9 {
		return false
	}
	l.putDense(store.SpaceID(binary.LittleEndian.Uint64(fields)), fields[8] != 0)
	return true
}
