package executor

import (
	"bytes"
	"encoding/binary"
	"slices"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Resume is where a run of a plan.Resumable is in the store: for each stream the key of the last row that was
// delivered. On a store that reads over partitions in order the partition of a key may be the whole key. Ranges
// that are read one after the other are one stream. A stream goes on behind its key, which need not be there any
// more, and whatever ranges it has by then.
type Resume struct {
	from []store.Key          // where an earlier run stopped
	at   map[uint64]store.Key // by the number of the stream
}

// NewResume goes on behind the keys at which an earlier run stopped; none: at the front.
func NewResume(from []store.Key) *Resume { return &Resume{from: from, at: map[uint64]store.Key{}} }

// Delivered notes a row by its mark.
func (p *Resume) Delivered(mark types.Value) {
	rest := mark.Bytes()
	stream, n := binary.Uvarint(rest)
	length, m := binary.Uvarint(rest[n:])
	rest = rest[n+m:]
	p.at[stream] = store.Key{Partition: rest[:length:length], Sort: rest[length:]}
}

// Keys are where the run is, one key for each stream that has delivered a row.
func (p *Resume) Keys() []store.Key {
	var out []store.Key
	for _, k := range p.at {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b store.Key) int { return bytes.Compare(wholeKey(a), wholeKey(b)) })
	return out
}

// begin gives a stream the key at which an earlier run left it, if it did.
func (p *Resume) begin(stream int, mine func(key []byte) bool, reverse bool) (store.Key, bool) {
	var last store.Key
	found := false
	for _, k := range p.from {
		if mine(wholeKey(k)) && (!found || bytes.Compare(wholeKey(k), wholeKey(last)) > 0 != reverse) {
			last, found = k, true
		}
	}
	if found {
		p.at[uint64(stream)] = last
	}
	return last, found
}

// wholeKey is a key as one sequence of bytes, whose order is that of keys.
func wholeKey(k store.Key) []byte { return slices.Concat(k.Partition, k.Sort) }

// NotResumable is the error for a cursor whose plan has something that prevents resuming.
func NotResumable(prevents string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "cursor cannot be resumable").
		WithDetail("The plan of the query has %s.", prevents).
		WithHint("A resumable cursor reads the rows of one table, in an order that the table or an index of it has.")
}
