package pebblestore

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/types"
)

// What a scan with tests of columns has read of a block, the store knows from then on: between which values a column is
// there. Later scans do not read blocks of which no item can pass (Moerkotte: Small Materialized Aggregates, VLDB
// 1998). Tables do not change, so that stays true; it is forgotten with an open table.

// zone is what is known of a column in a block.
type zone struct {
	items           int
	nulls           bool
	least, greatest types.Value // of those that are not NULL; NULL: there is none
}

// meets says whether an item of the block may be in a set.
func (z *zone) meets(set *span.Set) bool {
	values := span.Set{Null: z.nulls}
	if !z.least.IsNull() {
		values.Intervals = []span.Interval{{Low: z.least, High: z.greatest}}
	}
	return !set.Intersect(values).Empty()
}

// zoneColumn tells columns apart, also from what they were before their type was changed.
type zoneColumn struct {
	id  uint32
	oid types.OID
}

// blockZones are the zones of a column, by blocks; nil: nothing is known of one.
type blockZones []atomic.Pointer[zone]

// zoneMaps are what is known of the blocks of a table.
type zoneMaps struct {
	mu sync.Mutex
	of map[zoneColumn]blockZones
}

// leastZoned is how many rows a scan must be thought to read for zones to pay.
const leastZoned = 4096

// mostZoned is of how many columns of a table something may be known.
const mostZoned = 16

// column is what is known of a column of a table with some blocks; nil: nothing may be.
func (m *zoneMaps) column(c zoneColumn, blocks int) blockZones {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.of[c]
	if !ok && len(m.of) < mostZoned {
		if m.of == nil {
			m.of = map[zoneColumn]blockZones{}
		}
		known = make(blockZones, blocks)
		m.of[c] = known
	}
	return known
}

// zoned is what a scan does with zones. Its tests are of columns whose values are whole numbers in vectors.
type zoned struct {
	tests []zoneTest
	table *blockTable // of the zones of the tests
	block int         // that is read from its beginning; below 0: none
	items int         // of it, so far
}

type zoneTest struct {
	at     int // the column in the batch
	column zoneColumn
	set    span.Set
	zones  blockZones
	now    zone // of the items so far
}

// zonesOf is that of a request, nil if it has no such tests or wants few items.
func zonesOf(s *store.Space, r *store.Scan) *zoned {
	if r.Skip != nil || r.Next != nil || s.Host != nil {
		return nil
	}
	z := &zoned{block: -1}
	for _, t := range r.Filter {
		c := &s.Columns[t.Column]
		at := slices.Index(r.Columns, t.Column)
		if at >= 0 && inInts(c.Type.Kind()) {
			z.tests = append(z.tests, zoneTest{at: at, column: zoneColumn{c.ID, c.Type.Number()}, set: t.Set})
		}
	}
	if len(z.tests) == 0 {
		return nil
	}
	return z
}

// inInts says whether a vector has values of a kind as whole numbers.
func inInts(kind types.Kind) bool { return kind.Plain() && kind != types.KindFloat }

// enter goes to a table.
func (z *zoned) enter(t *blockTable) {
	if z.table == t {
		return
	}
	z.table, z.block = t, -1
	for i := range z.tests {
		z.tests[i].zones = t.zones.column(z.tests[i].column, len(t.handles))
	}
}

// leavesOut says whether a block that lies wholly in the range of the scan need not be read, and how many items it has.
func (z *zoned) leavesOut(block int) (items int, ok bool) {
	for i := range z.tests {
		t := &z.tests[i]
		if t.zones == nil {
			continue
		}
		if known := t.zones[block].Load(); known != nil && !known.meets(&t.set) {
			return known.items, true
		}
	}
	return 0, false
}

// begin begins with a block, of which all items are read unless it is not whole.
func (z *zoned) begin(block int, whole bool) {
	unknown := func(t zoneTest) bool { return t.zones != nil && t.zones[block].Load() == nil }
	if z.block = -1; whole && slices.ContainsFunc(z.tests, unknown) {
		z.block, z.items = block, 0
	}
	for i := range z.tests {
		z.tests[i].now = zone{}
	}
}

// learn takes the items of the block, which has so many, that are in a batch from a row on.
func (z *zoned) learn(b *types.Batch, from, of int) {
	if z.block < 0 {
		return
	}
	if z.items += b.Len() - from; !b.Columnar() || z.items > of {
		z.block = -1
		return
	}
	for i := range z.tests {
		t := &z.tests[i]
		v := b.Column(t.at)
		if !inInts(v.Kind) {
			z.block = -1
			return
		}
		t.now.add(v, from, b.Len())
	}
	if z.items < of {
		return
	}
	for i := range z.tests {
		t := &z.tests[i]
		if t.now.items = of; t.zones != nil {
			known := t.now
			t.zones[z.block].Store(&known)
		}
	}
	z.block = -1
}

// add widens the zone by some values.
func (z *zone) add(v *types.Vector, from, to int) {
	least, greatest := -1, -1
	for i := from; i < to; i++ {
		if v.HasNulls && v.Nulls[i] {
			z.nulls = true
			continue
		}
		if least < 0 || v.Ints[i] < v.Ints[least] {
			least = i
		}
		if greatest < 0 || v.Ints[i] > v.Ints[greatest] {
			greatest = i
		}
	}
	if least < 0 {
		return
	}
	if low := v.Value(least); z.least.IsNull() || types.Compare(low, z.least) < 0 {
		z.least = low
	}
	if high := v.Value(greatest); z.greatest.IsNull() || types.Compare(high, z.greatest) > 0 {
		z.greatest = high
	}
}

// passesOver says whether the scan leaves out a block, of the table, that its range goes into from the block before.
func (sc *scan) passesOver(block int, end []byte) bool {
	if sc.zones == nil || bytes.Compare(sc.table.lastKey(block), end) >= 0 {
		return false
	}
	items, ok := sc.zones.leavesOut(block)
	if ok {
		sc.request.Stats.Unread++
		sc.request.Stats.Filtered += int64(items)
	}
	return ok
}
