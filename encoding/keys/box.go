package keys

import (
	"bytes"
	"fmt"
	"slices"

	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/store"
	"zproxy/types"
)

// MaxBoxes is how many boxes are told apart. More of them are made one where they lie closest:
// each costs when a key is looked for.
const MaxBoxes = 64

// Boxes are boxes of a Z-order layout: all keys of rows whose columns are in some sets.
type Boxes struct {
	Ranges []store.Range // one in each partition that has keys of a box
	Skip   store.Skipper // leaves out the keys between boxes
	// Exact says that no row outside of the sets has a key in a box, so that nothing about the
	// dimensions is left to be checked.
	Exact bool
	List  []zorder.Box
	// shards is in how many of the partitions rows may be that have one address; 1 where leading
	// bits make the partitions.
	shards int
}

// Boxes are those of rows whose columns are in the sets of one of several alternatives. It says
// false when no row can match. Boxes may overlap; together they leave no row out, and without
// being Exact may hold rows that the sets do not.
func (c *Codec) Boxes(alternatives ...Sets) (Boxes, bool) {
	z := c.curve
	b := Boxes{Exact: true}
	for _, sets := range alternatives {
		sides, some := z.sides(sets, max(1, MaxBoxes/len(alternatives)))
		if !some {
			continue
		}
		for _, side := range sides {
			b.Exact = b.Exact && !slices.ContainsFunc(side, func(c cells) bool { return !c.exact })
		}
		b.List = append(b.List, z.product(sides)...)
	}
	if len(b.List) == 0 {
		return b, false
	}
	slices.SortFunc(b.List, func(x, y zorder.Box) int { return bytes.Compare(x.Min(), y.Min()) })
	area := &zcells{boxes: b.List, bits: z.curve.Bits()}
	b.Skip = area.skipper()
	b.Ranges, b.shards = c.boxRanges(area, alternatives), 1
	if c.cells() == nil {
		b.shards = max(1, len(b.Ranges))
	}
	return b, true
}

// sides are the intervals of codes of each dimension, no more than make so many boxes.
func (z *curve) sides(sets Sets, most int) ([][]cells, bool) {
	sides := make([][]cells, len(z.dims))
	product := 1
	for i := range z.dims {
		sides[i] = z.dims[i].cells(sets(z.dims[i].id))
		if len(sides[i]) == 0 {
			return nil, false
		}
		product = min(product*len(sides[i]), 1<<30)
	}
	for product > most {
		i, longest := 0, 0
		for j, side := range sides {
			if len(side) > longest {
				i, longest = j, len(side)
			}
		}
		others := max(1, product/longest)
		keep := max(1, min(longest-1, most/others))
		sides[i] = closest(sides[i], keep)
		product = 1
		for _, side := range sides {
			product *= len(side)
		}
	}
	return sides, true
}

// closest makes no more than n intervals of codes of many, those with the least between them one.
func closest(list []cells, n int) []cells {
	gaps := make([]int, len(list)-1)
	for i := range gaps {
		gaps[i] = i + 1
	}
	slices.SortStableFunc(gaps, func(i, j int) int {
		return bytes.Compare(minus(list[j].low, list[j-1].high), minus(list[i].low, list[i-1].high))
	})
	gaps = gaps[:n-1]
	slices.Sort(gaps)
	out := make([]cells, 0, n)
	from := 0
	for _, to := range append(gaps, len(list)) {
		out = append(out, cells{low: list[from].low, high: list[to-1].high, exact: to == from+1 && list[from].exact})
		from = to
	}
	return out
}

// minus is the difference of two codes of one length.
func minus(a, b []byte) []byte {
	out := make([]byte, len(a))
	borrow := 0
	for i := len(a) - 1; i >= 0; i-- {
		d := int(a[i]) - int(b[i]) - borrow
		borrow = 0
		if d < 0 {
			d, borrow = d+256, 1
		}
		out[i] = byte(d)
	}
	return out
}

// product are the boxes that have one interval of each side.
func (z *curve) product(sides [][]cells) []zorder.Box {
	low, high := make([][]byte, len(sides)), make([][]byte, len(sides))
	var out []zorder.Box
	var choose func(d int)
	choose = func(d int) {
		if d == len(sides) {
			out = append(out, z.curve.Box(low, high))
			return
		}
		for _, c := range sides[d] {
			low[d], high[d] = c.low, c.high
			choose(d + 1)
		}
	}
	choose(0)
	return out
}

// boxRanges are the ranges of boxes in each partition: in all shards, and of the cells that
// leading bits make in those that a box meets.
func (c *Codec) boxRanges(area *zcells, alternatives []Sets) []store.Range {
	whole := store.Range{Partition: []byte{}, From: area.min(), To: ordered.Successor(area.max())}
	if len(c.partition) == 0 {
		return []store.Range{whole}
	}
	if z := c.cells(); z != nil {
		return z.ranges(area)
	}
	var spans []span.Span
	for _, sets := range alternatives {
		spans = append(spans, c.Spans(Walk{Parts: len(c.partition)}, sets)...)
	}
	var out []store.Range
	for _, s := range c.Union(spans) {
		g := whole
		for i, v := range s.Prefix {
			g.Partition = c.partition[i].Append(g.Partition, v)
		}
		out = append(out, g)
	}
	return out
}

// cells are the leading bits that make the partitions, or nil.
func (c *Codec) cells() *topBits {
	if len(c.partition) == 0 {
		return nil
	}
	z, _ := c.partition[0].Of.(*topBits)
	return z
}

// ranges goes from each cell that boxes meet to the next one.
func (z *topBits) ranges(area *zcells) []store.Range {
	var out []store.Range
	for at, ok := area.min(), true; ok; {
		cell := z.cell(at)
		g := store.Range{Partition: ordered.Append([]byte{}, types.NewInt(int64(cell)), false), From: at}
		out = append(out, g)
		if cell+1 == 1<<z.bits {
			break
		}
		at, _, ok = area.least(nil, z.first(cell+1))
	}
	last := &out[len(out)-1]
	last.To = ordered.Successor(area.max())
	return out
}

// Corners shows the Z-addresses of the lowest and the highest corner of boxes, as EXPLAIN
// prints them.
func (b *Boxes) Corners() (low, high string) {
	area := zcells{boxes: b.List}
	return fmt.Sprintf("%x", area.min()), fmt.Sprintf("%x", area.max())
}
