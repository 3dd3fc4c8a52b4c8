package pebblestore

import (
	"bytes"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// A scan merges what memtables and the levels of tables have. Of what was loaded, or has been at rest for a while, most
// keys are in tables of which no other has keys in between. Such a stretch is read block by block, in a fifth of the
// time that the iterators take.

// leastStretch is how large a table must be that is read block by block.
const leastStretch = 64 << 10

// stretches tells where what a snapshot sees is in one table alone.
type stretches struct {
	extents []extent // in the order of their first keys
	reach   [][]byte // the greatest last key of the extents up to each
	tables  uint64   // snapshots.tables before it was made
	gone    atomic.Bool
}

// extent is what has keys of the database.
type extent struct {
	first, last []byte              // the least and the greatest key that it may have
	table       *pebble.SSTableInfo // nil: it is not a table that can be read block by block
}

// stretchesOf are those of a snapshot. Whatever compactions do later, the tables have what the snapshot sees.
func (s *Store) stretchesOf(sn *snapshot) (*stretches, error) {
	tables := s.snapshots.tables.Load()
	if known := sn.stretches.Load(); known != nil && (known.tables == tables || !known.gone.Load()) {
		return known, nil
	}
	out := &stretches{tables: tables}
	// Before the tables are listed: a write that is in none of them was not flushed before.
	s.unflushed.each(func(first, last []byte) {
		out.extents = append(out.extents, extent{first: first, last: last})
	})
	levels, err := s.db.SSTables()
	if err != nil {
		return nil, s.damaged(err)
	}
	for _, level := range levels {
		for i := range level {
			out.add(&level[i], level[i].Size >= s.blocks.least && uint64(level[i].LargestSeqNum) < sn.sees)
		}
	}
	out.prepare()
	sn.stretches.Store(out)
	return out, nil
}

// pay says whether it pays to read blocks of what a snapshot sees, if so many items more are to be read of it.
func (b *blockTables) pay(sn *snapshot, items int) bool {
	switch {
	case b.after == 0:
		return false
	case sn.stretches.Load() != nil:
		return true
	}
	return sn.passed.Add(int64(items)) >= int64(b.after)
}

// add adds a table. It is read by its iterators if it is small or has writes that the snapshot may not see.
func (s *stretches) add(t *pebble.SSTableInfo, byBlocks bool) {
	e := extent{first: t.Smallest.UserKey, last: t.Largest.UserKey}
	if byBlocks && !t.Virtual && t.BackingType == pebble.BackingTypeLocal {
		e.table = t
	}
	s.extents = append(s.extents, e)
}

func (s *stretches) prepare() {
	slices.SortFunc(s.extents, func(a, b extent) int { return bytes.Compare(a.first, b.first) })
	var reach []byte
	for i := range s.extents {
		if last := s.extents[i].last; bytes.Compare(last, reach) > 0 {
			reach = last
		}
		s.reach = append(s.reach, reach)
	}
}

// stretch is the keys from one on that the same n extents may have.
func (s *stretches) stretch(from, to []byte) (n int, table *pebble.SSTableInfo, end []byte) {
	end = to
	first := sort.Search(len(s.reach), func(i int) bool { return bytes.Compare(s.reach[i], from) >= 0 })
	for i := first; i < len(s.extents); i++ {
		e := &s.extents[i]
		if bytes.Compare(e.first, from) > 0 {
			end = least(end, e.first)
			break
		}
		if bytes.Compare(e.last, from) < 0 {
			continue
		}
		if n++; n == 1 {
			table = e.table
		} else {
			table = nil
		}
		end = least(end, append(bytes.Clone(e.last), 0))
	}
	return n, table, end
}

func least(a, b []byte) []byte {
	if bytes.Compare(b, a) < 0 {
		return b
	}
	return a
}
