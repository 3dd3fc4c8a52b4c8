package keys

import (
	"bytes"
	"math"
	"sort"

	"zproxy/catalog"
	"zproxy/encoding/zorder"
	"zproxy/store"
)

const (
	// usualRanges is how many ranges a cover may have where they are not just pages.
	usualRanges = 128
	// unitBytes and pageBytes are what a read unit and a request of DynamoDB read.
	unitBytes = 4 << 10
	pageBytes = 1 << 20
)

// CoverOptions say what ranges of a Z-order index cost in a store, where so many of its entries
// are wanted. Where reads are charged in units a range costs one at least, for which as many rows
// could be read as fit into it.
func CoverOptions(t *catalog.Table, x *catalog.Index, s store.Capabilities, entries, wanted float64) zorder.CoverOptions {
	o := zorder.CoverOptions{
		Price: s.RangePrice, Most: usualRanges,
		Rows: zorder.Sketch{Quantiles: t.Stats.Sketches[x.ID], Total: entries},
	}
	if s.Units {
		size := t.EntryBytes(x)
		o.Price = math.Max(1, unitBytes/size)
		o.Most = int(math.Min(math.Max(usualRanges, wanted*size/pageBytes), 1<<20))
	}
	return o
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
			piece := store.Range{Partition: g.Partition, From: r.Lo, To: successor(r.Hi)}
			if bytes.Compare(piece.From, g.From) < 0 {
				piece.From = g.From
			}
			out = append(out, piece)
		}
	}
	return out
}
