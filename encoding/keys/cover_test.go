package keys

import (
	"math"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/store"
	"zproxy/types"
)

// TestCovered reads the rows of a grid by covers of boxes, in layouts of one partition, of shards,
// and of cells: each that is wanted is in one of the ranges, and those have an end behind their
// beginning, or none.
func TestCovered(t *testing.T) {
	r := newRand(t)
	shard := catalog.Part{Kind: part.Shard, Of: []uint32{3}, Count: 3}
	for range 300 {
		l := catalog.Layout{
			Sort: []catalog.Part{{Kind: part.ZAddress}}, Tie: []catalog.Part{{Column: 3}},
			Partition: [][]catalog.Part{nil, {shard}, {{Kind: part.ZAddress, Count: 1 + r.IntN(5)}}}[r.IntN(3)],
		}
		for i := range 2 {
			m := zorder.Bounds(Code(types.NewInt(0), types.Int2), Code(types.NewInt(15), types.Int2))
			d := catalog.Dimension{Column: uint32(i + 1), Bits: 4 + r.IntN(8), Map: catalog.MapRange, Knots: m.Knots}
			l.Sort[0].Curve = append(l.Sort[0].Curve, d)
		}
		codec, err := NewCodec(table(types.Int2, types.Int2, types.Int4), &l)
		if err != nil {
			t.Fatal(err)
		}
		var sets []Sets
		for range 1 + r.IntN(3) {
			x, y := randomBounds(r, catalog.Dimension{}, types.Int2), randomBounds(r, catalog.Dimension{}, types.Int2)
			if r.IntN(4) > 0 {
				low := int64(r.IntN(14))
				x = span.Of(span.Interval{Low: types.NewInt(low), High: types.NewInt(low + r.Int64N(10))})
			}
			sets = append(sets, func(c uint32) span.Set { return []span.Set{x, y, span.Everything}[c-1] })
		}
		b, some := codec.Boxes(sets...)
		if !some {
			continue
		}
		most := 3 + r.IntN(20)
		o := zorder.CoverOptions{Price: r.Float64() * 10, Most: most, Rows: zorder.Sketch{Total: 256}}
		ranges := b.Covered(b.Cover(o))
		if l.Partition == nil && len(ranges) > most || b.shards > 1 && len(ranges) > most {
			t.Fatalf("%d ranges, at most %d are wanted", len(ranges), most)
		}
		for x := range int64(16) {
			for y := range int64(16) {
				checkCovered(t, codec, &b, ranges,
					types.Row{types.NewInt(x), types.NewInt(y), types.NewInt(r.Int64N(100))})
			}
		}
	}
}

// checkCovered holds that the key of a row is in one of the ranges if a box has it, and never in two.
func checkCovered(t *testing.T, c *Codec, b *Boxes, ranges []store.Range, row types.Row) {
	t.Helper()
	key, in := c.Key(row), 0
	for _, g := range ranges {
		if inRange(g, key) {
			in++
		}
	}
	if in > 1 || in == 0 && b.Skip.Wanted(key.Sort) {
		t.Fatalf("row %v, key %x, is in %d of %x", row, key, in, ranges)
	}
}

// TestCoverOptions works out prices and limits by the width of entries.
func TestCoverOptions(t *testing.T) {
	tab := table(types.Float8, types.Float8, types.Text, types.Int8)
	tab.Stats = catalog.Stats{
		Known: true, Rows: 5e6, Sketches: map[uint32][]uint64{9: {1, 2, 3}},
		Columns: map[uint32]catalog.ColumnStats{3: {Width: 500, Nulls: 0.5}},
	}
	x := catalog.Index{ID: 9, Method: catalog.ZOrder, Covers: true, Layout: catalog.Layout{
		Sort: []catalog.Part{{Kind: part.ZAddress, Curve: []catalog.Dimension{{Column: 1}, {Column: 2}}}},
		Tie:  []catalog.Part{{Column: 4}},
	}}
	plain := CoverOptions(tab, &x, store.Capabilities{RangePrice: 15}, 4e6, 1e9)
	if plain.Price != 15 || plain.Most != usualRanges || plain.Rows.Total != 4e6 || len(plain.Rows.Quantiles) != 3 {
		t.Errorf("%+v", plain)
	}
	size := tab.EntryBytes(&x)
	if size < 250 || size > 400 {
		t.Errorf("an entry of about 300 bytes has %v", size)
	}
	units := store.Capabilities{RangePrice: 15, Units: true}
	few, many := CoverOptions(tab, &x, units, 5e6, 1e4), CoverOptions(tab, &x, units, 5e6, 5e6)
	if few.Price != 4096/size || few.Most != chargedRanges {
		t.Errorf("%+v", few)
	}
	if pages := 5e6 * size / (1 << 20); math.Abs(float64(many.Most)-pages) > 1 {
		t.Errorf("at most %d ranges for %v pages", many.Most, pages)
	}
}
