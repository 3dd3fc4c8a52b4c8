package access

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/optimizer/cost"
)

// A skip-scan reads the spans of a prefix and holds each key against what is known of parts
// behind it, jumping over keys between:
//
//	a = 1 AND c = 3 on (a, b, c)    spans /1, keys with c = 3: from (1, b, 4) on to (1, b+1, 3)
//
// Keys are held against everything that is known of columns behind the spans, which costs less
// than to check it on the values; how many can be jumped over is another matter, of the estimate.

// skip finds the parts that keys are held against. Where spans bind nothing, a path is one by
// skips only if that leaves out half of its entries at least: else it is a full scan.
func (c *chooser) skip(p *path) {
	a, layout := &p.access, layoutOf(c.scan.Table, p.index)
	if a.Reverse || a.Merge != nil || !c.store.OrderedPartitions && a.Parts == 0 || layout.Curve() != nil {
		return // keys in Z-order are jumped over by boxes
	}
	parts := walkParts(layout)
	for i := a.Parts; i < len(parts); i++ {
		part := parts[i]
		if !part.Plain() {
			continue
		}
		if s := c.shapeOf(part.Column); s.points > 0 || s.interval {
			a.Skip = i + 1
			p.skips = append(p.skips, part.Column)
		}
	}
	if a.Parts == 0 && a.Skip > 0 {
		all := c.entries(p)
		if rows, seeks := c.skipped(p, all); rows+cost.RangeRows*seeks > all/2 {
			a.Skip, p.skips = 0, nil
		}
	}
	for _, id := range p.skips {
		if !bounds(a.Bounds, id) {
			a.Bounds = append(a.Bounds, c.boundOf(id))
		}
	}
}

// lazySkips is how many keys are read in vain before a jump.
const lazySkips = 8

// skipped is how many of the entries of its spans a path by skips reads, and how often it jumps:
// once for each combination of values of the parts in front of the last one that is bounded. Where
// these are as many as entries, none is jumped over.
func (c *estimator) skipped(p *path, entries float64) (rows, seeks float64) {
	a := &p.access
	if a.Skip == 0 || c.store.Requests {
		return entries, 0
	}
	parts := walkParts(layoutOf(c.scan.Table, p.index))
	from := a.Parts
	if from > 0 && len(p.stops) >= from && p.stops[from-1].interval {
		from--
	}
	kept, runs := entries, float64(c.spans(p.walked()))
	for i := from; i < a.Skip; i++ {
		id := parts[i].Column
		values := c.runs(&parts[i])
		if slices.Contains(p.skips, id) {
			kept *= c.columnKeeps(id)
			if s := c.shapeOf(id); s.points > 0 {
				values = float64(s.points)
			} else if i == a.Skip-1 {
				values = 1
			}
		}
		runs *= math.Max(values, 1)
	}
	if rows = kept + runs*lazySkips; rows+cost.RangeRows*runs >= entries {
		return entries, 0
	}
	return rows, runs
}

// runs is how many values a part has behind each value of the parts in front of it.
func (c *estimator) runs(p *catalog.Part) float64 {
	if p.Plain() || p.Random() {
		return cost.Distinct(c.scan.Table, p.Column) * c.columnKeeps(p.Column)
	}
	if b, err := p.Bind(c.scan.Table); err == nil {
		if s, ok := b.Of.(*part.Spread); ok {
			return 1 + c.moreOfAny(s)
		}
	}
	return math.Inf(1) // of another part that is computed nothing is known
}

// columnKeeps is the share of rows that the conditions on a column keep.
func (c *estimator) columnKeeps(id uint32) float64 { return c.keeps(c.boundOf(id)) }
