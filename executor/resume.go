package executor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Resume is where a run of a plan.Resumable is in the store: for each stream of each scan the key of the last row that
// was delivered. On a store that reads over partitions in order the partition of a key may be the whole key. Ranges
// that are read one after the other are one stream. A stream goes on behind its key, which need not be there any
// more, and whatever ranges it has by then.
type Resume struct {
	from []Position // where an earlier run stopped
	at   map[stream]store.Key
	last int // the number of the scan that the last row came from
}

// Position is the key of a row of a scan, which has a number among those of its plan.
type Position struct {
	Scan int
	Key  store.Key
}

// stream is one of a scan, by the numbers of the two.
type stream struct{ scan, number int }

// NewResume goes on behind the positions where an earlier run stopped, of which the last row came from a scan; none: at
// the front.
func NewResume(from []Position, last int) *Resume {
	return &Resume{from: from, at: map[stream]store.Key{}, last: last}
}

// Delivered notes a row by its mark.
func (p *Resume) Delivered(mark types.Value) {
	rest := mark.Bytes()
	var numbers [3]uint64
	for i := range numbers {
		n := 0
		numbers[i], n = binary.Uvarint(rest)
		rest = rest[n:]
	}
	of, length := stream{int(numbers[0]), int(numbers[1])}, numbers[2]
	p.at[of], p.last = store.Key{Partition: rest[:length:length], Sort: rest[length:]}, of.scan
}

// noting passes on rows with marks, of which so many are skipped: another run skips none, so it must not read them.
func (p *Resume) noting(input Rows, skipped int64) Rows {
	return func(yield func(*types.Batch, error) bool) {
		left := skipped
		for batch, err := range input {
			for i := 0; err == nil && left > 0 && i < batch.Len(); i++ {
				row := batch.Row(i)
				p.Delivered(row[len(row)-1])
				left--
			}
			if !yield(batch, err) {
				return
			}
		}
	}
}

// Positions are where the run is, one for each stream that has delivered a row, and the scan of the last row.
func (p *Resume) Positions() (out []Position, last int) {
	for of, k := range p.at {
		out = append(out, Position{of.scan, k})
	}
	slices.SortFunc(out, func(a, b Position) int {
		return cmp.Or(cmp.Compare(a.Scan, b.Scan), bytes.Compare(wholeKey(a.Key), wholeKey(b.Key)))
	})
	return out, p.last
}

// begin gives a stream of a scan the key at which an earlier run left it, if it did.
func (p *Resume) begin(scan, number int, mine func(key []byte) bool, reverse bool) (store.Key, bool) {
	var last store.Key
	found := false
	for _, k := range p.from {
		whole := wholeKey(k.Key)
		if k.Scan == scan && mine(whole) && (!found || bytes.Compare(whole, wholeKey(last)) > 0 != reverse) {
			last, found = k.Key, true
		}
	}
	if found {
		p.at[stream{scan, number}] = last
	}
	return last, found
}

// wholeKey is a key as one sequence of bytes, whose order is that of keys.
func wholeKey(k store.Key) []byte { return slices.Concat(k.Partition, k.Sort) }

// NotResumable is the error for a cursor whose plan has something that prevents resuming.
func NotResumable(prevents string) error {
	return sqlerr.New(sqlerr.InvalidCursorDefinition, "cursor cannot be resumable").
		WithDetail("The plan of the query has %s.", prevents).
		WithHint("A resumable cursor reads the rows of one table, or of several by UNION ALL, in an order that the tables or indexes of them have.")
}
