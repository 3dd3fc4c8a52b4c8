package pebblestore

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// dividedBytes is about how much a part of a range takes in tables.
const dividedBytes = 1 << 20

// Divide implements store.Txn: by the tables of the level that has most of the range, and in a table as if its keys
// were evenly spread.
func (t *txn) Divide(s *store.Space, r store.Range) ([]store.Range, error) {
	if err := t.store.enter(); err != nil {
		return nil, err
	}
	defer t.store.leave()
	from, to := overlay.AppendBounds(nil, s.Home(), r)
	levels, err := t.store.db.SSTables(pebble.WithKeyRangeFilter(from, to))
	if err != nil {
		return nil, t.store.damaged(err)
	}
	var parts []store.Range
	rest, front := r, overlay.SpaceBytes+len(r.Partition)
	for _, table := range largest(levels) {
		low, high := table.Smallest.UserKey, table.Largest.UserKey
		cuts := append([][]byte{low}, between(low, high, int(table.Size/dividedBytes))...)
		for _, key := range cuts {
			if bytes.Compare(key, from) <= 0 || bytes.Compare(key, to) >= 0 {
				continue
			}
			part := rest
			part.To = bytes.Clone(key[front:])
			parts, rest.From, from = append(parts, part), part.To, key
		}
	}
	return append(parts, rest), nil
}

// largest is the level of which most is there.
func largest(levels [][]pebble.SSTableInfo) (out []pebble.SSTableInfo) {
	most := uint64(0)
	for _, level := range levels {
		size := uint64(0)
		for _, table := range level {
			size += table.Size
		}
		if size > most {
			most, out = size, level
		}
	}
	return out
}

// between are keys that cut what lies between two into n parts: the eight bytes behind those that both have are read as
// a number.
func between(low, high []byte, n int) (keys [][]byte) {
	common := 0
	for common < min(len(low), len(high)) && low[common] == high[common] {
		common++
	}
	first, last := numberAt(low, common), numberAt(high, common)
	step := (last - first) / uint64(max(n, 1))
	if step == 0 {
		return nil
	}
	for i := 1; i < n; i++ {
		key := bytes.Clone(low[:common])
		keys = append(keys, binary.BigEndian.AppendUint64(key, first+uint64(i)*step))
	}
	return keys
}

// numberAt is the eight bytes of a key from a place on, as if there were zeros behind it.
func numberAt(key []byte, at int) uint64 {
	var out [8]byte
	copy(out[:], key[at:])
	return binary.BigEndian.Uint64(out[:])
}
