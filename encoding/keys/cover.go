package keys

import (
	"bytes"
	"math"
	"sort"

	"zproxy/catalog"
	"zproxy/encoding/ordered"
	"zproxy/encoding/zorder"
	"zproxy/store"
)

// How many ranges a cover may have where they are not just pages. Where reads are charged by what they
// read, a box of four dimensions is worth more of them than can be read at once.
const (
	usualRanges   = 128
	chargedRanges = 512
)

// CoverOptions say what ranges of a Z-order index cost in a store, where so many of its entries
// are wanted.
func CoverOptions(t *catalog.Table, x *catalog.Index, s store.Capabilities, entries,
	wanted float64) zorder.CoverOptions {
	return zorder.CoverOptions{
		Price: RangePrice(t, x, s.RangePrice, s.Units), Rounded: s.Units,
		Most: MostRanges(t, x, wanted, s.Units),
		Rows: zorder.Sketch{Quantiles: t.Stats.Sketch(catalog.TableIndex{Table: t, Index: x}.Number()), Total: entries},
	}
}

// RangePrice is how many entries of an index one more range costs: what the store says, but where
// reads are charged in units a range costs one at least, and as many as fit into it.
func RangePrice(t *catalog.Table, x *catalog.Index, usual float64, units bool) float64 {
	if !units {
		return usual
	}
	return math.Max(1, store.ReadUnitBytes/t.EntryBytes(x))
}

// MostRanges is how many ranges a cover of so many entries may have: there is no harm in one for
// each page that is read anyway.
func MostRanges(t *catalog.Table, x *catalog.Index, wanted float64, units bool) int {
	if !units {
		return usualRanges
	}
	return int(math.Min(math.Max(chargedRanges, wanted*t.EntryBytes(x)/store.PageBytes), 1<<20))
}

// Shards is how many times a cover is read, each time in the partitions of one shard.
func (b *Boxes) Shards() int { return b.shards }

// Cover is the ranges of Z-addresses, in order and apart from each other, that together hold
// all of the boxes. Where rows are spread over shards, they are those of each shard, which has
// its share of the rows.
func (b *Boxes) Cover(o zorder.CoverOptions) []zorder.Range {
	o.Most = max(1, o.Most/b.shards)
	o.Rows.Total /= float64(b.shards)
	return zorder.Cover(b.List, o)
}

// Covered are the ranges of keys to read for a cover, in place of Ranges.
func (b *Boxes) Covered(cover []zorder.Range) []store.Range {
	var out []store.Range
	for i, g := range b.Ranges {
		var end []byte
		if b.shards == 1 && i+1 < len(b.Ranges) {
			end = b.Ranges[i+1].From // no box has addresses between this cell and that one
		}
		first := sort.Search(len(cover), func(n int) bool { return bytes.Compare(cover[n].Hi, g.From) >= 0 })
		for _, r := range cover[first:] {
			if end != nil && bytes.Compare(r.Lo, end) >= 0 {
				break
			}
			piece := store.Range{Partition: g.Partition, From: r.Lo, To: ordered.Successor(r.Hi)}
			if bytes.Compare(piece.From, g.From) < 0 {
				piece.From = g.From
			}
			out = append(out, piece)
		}
	}
	return out
}
