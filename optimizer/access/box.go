package access

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/encoding/zorder"
	"zproxy/planner/plan"
)

// boxes are the paths through Z-order indexes of which at least so many dimensions are
// bounded, with the cost that the formula gives (zorder.Cost).
func (c *chooser) boxes(atLeast int) []path {
	var out []path
	for i := range c.scan.Table.Indexes {
		x := &c.scan.Table.Indexes[i]
		if x.Method != catalog.ZOrder || !c.readable(x) || !c.holdsAll(x) {
			continue
		}
		if p, ok := c.box(x, atLeast); ok {
			out = append(out, p)
		}
	}
	return out
}

func (c *chooser) box(x *catalog.Index, atLeast int) (path, bool) {
	dims := x.Layout.Sort[0].Curve
	p := path{index: x, parts: len(dims)}
	p.access.Index, p.access.Box = x, true
	for _, d := range dims {
		if s := c.shapeOf(d.Column); s.points == 0 && !s.interval {
			continue // the TTL alone narrows little in each dimension
		}
		p.access.Bounds = append(p.access.Bounds, c.boundOf(d.Column))
	}
	if len(p.access.Bounds) < atLeast && !c.asksFor(x.Name) {
		return p, false
	}
	c.finish(&p)
	c.estimate(&p)
	return p, true
}

// estimateBox says what the formula gives for a box.
func (c *chooser) estimateBox(p *path) {
	dims := p.index.Layout.Sort[0].Curve
	fractions, excluded, widths := make([]float64, len(dims)), make([]float64, len(dims)), make([]int, len(dims))
	for i, d := range dims {
		fractions[i], widths[i] = 1, d.Bits
		at := slices.IndexFunc(p.access.Bounds, func(b plan.Bound) bool { return b.Column == d.Column })
		if at < 0 {
			continue
		}
		fractions[i] = math.Min(1, c.keeps(p.access.Bounds[at]))
		excluded[i] = 1 - fractions[i]
		if c.shapeOf(d.Column).points == 1 {
			excluded[i] = 1
		}
	}
	z := &plan.ZEstimate{
		N: c.entries(p), Fractions: fractions, Boxes: 1, Dims: len(dims), Addresses: addresses(widths, excluded),
	}
	z.V, z.P, z.Cost = zorder.Cost(z.N, fractions)
	z.Side = math.Pow(z.N, 1/float64(z.Dims))
	for i, w := range widths {
		z.Bits += w
		z.Excluded += excluded[i] * float64(w)
	}
	z.Excluded *= float64(z.Dims) / float64(z.Bits)
	e := &p.access.Estimate
	e.ZOrder, e.Requests = z, partitions(&p.index.Layout)
	e.Rows, e.Seeks = zorder.Reads(z.N, z.V, z.P)
	e.Rows = math.Max(e.Rows, 1)
	c.estimateRest(p)
}

// partitions is how many partitions a layout by shards or leading bits has.
func partitions(l *catalog.Layout) float64 {
	n := 1
	for _, p := range l.Partition {
		switch p.Kind {
		case catalog.ShardPart:
			n *= p.Count
		case catalog.ZAddressPart:
			n <<= p.Count
		}
	}
	return float64(n)
}

// asksFor says whether a hint names an index.
func (c *chooser) asksFor(index string) bool {
	for _, h := range c.scan.Hints {
		for _, name := range h.Indexes {
			if name == index && !h.Forbid {
				return true
			}
		}
	}
	return false
}

// addresses shows how many addresses of the search space the box leaves to be looked at:
// in full up to 2^64, rounded beyond.
func addresses(widths []int, excluded []float64) string {
	n := zorder.AddressesShare(widths, excluded)
	if n.MantExp(nil) <= 65 {
		return n.Text('f', 0)
	}
	return n.Text('g', 4)
}
