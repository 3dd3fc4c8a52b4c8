package executor

import (
	"context"
	"slices"
	"sync"
	"unsafe"

	"zproxy/internal/routine"
)

// The rows of a large hash table are parted by the hashes of their keys as they come, so that each part of the table is
// made within the caches of a processor, and parts at the same time (the radix join of Manegold, Boncz, Kersten:
// Optimizing main-memory join on modern hardware, 2002, of which the probe side is not parted here: its rows come out
// in their order).

const (
	// partBits is the binary logarithm of how many parts a large table has, and mostWhole is how many rows one has that
	// is not parted.
	partBits  = 6
	mostWhole = 1 << 14
)

// tablePart is the part of a hash table for some hashes.
type tablePart struct {
	table keyTable
	rows  []tableRow // that are not linked yet, as they came
	bytes []byte     // their keys, one behind the other; none if keys are whole numbers
}

// tableRow is a row of a hash table with its key.
type tableRow struct {
	key    int64 // as a keySlot has it
	row    int32 // counted from 1
	length int32 // of the key in bytes
}

const tableRowBytes = int64(unsafe.Sizeof(tableRow{}))

// part is which part has a key.
func (t *hashTable) part(key int64) int { return int(spread(key) >> (64 - t.bits)) }

// arrived notes a row whose key is t.key if it is no whole number, and says how many bytes that takes.
func (t *hashTable) arrived(key int64, row int) int64 {
	of := tableRow{key: key, row: int32(row)}
	if !t.whole {
		of.length = int32(len(t.key))
	}
	t.parts[t.part(key)].arrived(of, t.key)
	if t.bits == 0 && len(t.parts[0].rows) > mostWhole {
		t.divide()
	}
	return int64(of.length) + tableRowBytes
}

func (p *tablePart) arrived(row tableRow, key []byte) {
	p.rows = append(p.rows, row)
	p.bytes = append(p.bytes, key[:row.length]...)
}

// divide parts the rows of a table that has one part.
func (t *hashTable) divide() {
	all := t.parts[0]
	t.empty(partBits)
	at := 0
	for _, row := range all.rows {
		t.parts[t.part(row.key)].arrived(row, all.bytes[at:])
		at += int(row.length)
	}
}

// link makes rows found that were added. It is called once, when there are all of them.
func (t *hashTable) link(ctx context.Context, workers int) error {
	if t.bits == 0 {
		return t.held.change(t.parts[0].link(t.whole, t.next))
	}
	var mu sync.Mutex
	team, ctx := routine.NewTeam(ctx, max(1, workers))
	for i := range t.parts {
		team.Start(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			grown := t.parts[i].link(t.whole, t.next)
			mu.Lock()
			defer mu.Unlock()
			return t.held.change(grown)
		})
	}
	return team.Wait()
}

// link puts the rows of a part into chains, and says by how many bytes the part has grown.
func (p *tablePart) link(whole bool, next []int32) (grown int64) {
	grown = -int64(len(p.bytes)) - int64(len(p.rows))*tableRowBytes
	var last []int32 // row of each key
	at := 0
	p.table.arena = p.bytes[:0] // the keys that are kept are among those that were read
	for i := range p.rows {
		row := &p.rows[i]
		key := p.bytes[at : at+int(row.length)]
		at += int(row.length)
		if i == len(p.rows)/8 && 10*len(last) > 9*i {
			p.table.reserve(len(p.rows))
			last = slices.Grow(last, len(p.rows)-i)
		}
		if slot := p.table.added(row.key, key, whole); slot.first == 0 {
			slot.first, last = row.row, append(last, row.row)
		} else {
			next[last[slot.number-1]-1], last[slot.number-1] = row.row, row.row
		}
	}
	p.rows, p.bytes = nil, nil
	return grown + int64(len(last))*rowOverhead + int64(cap(p.table.arena))
}
