package access

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types/normal"
)

// boxes are the paths through Z-order indexes of which at least so many dimensions are
// bounded: by what holds for all rows that are wanted, and by the alternatives of an OR.
func (c *chooser) boxes(atLeast int, off Off) []path {
	var out []path
	for _, at := range c.scan.Table.TableIndexes() {
		x := at.Index
		if at.Method() != catalog.ZOrder || x != nil && (!c.readable(x) || !c.holdsAll(x)) {
			continue
		}
		if p, ok := c.box(x, atLeast); ok {
			out = append(out, p)
		}
		if off.Either {
			continue
		}
		for i, cond := range c.scan.Filter {
			or, ok := cond.(expr.Logic)
			if !ok || !or.Or || lives(c.scan, cond) || len(or.Args) > keys.MaxBoxes {
				continue
			}
			if p, ok := c.severalBoxes(x, i, or.Args, atLeast); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

// box is the path by one box.
func (c *chooser) box(x *catalog.Index, atLeast int) (path, bool) {
	layout := layoutOf(c.scan.Table, x)
	dims := layout.Curve()
	p := path{index: x, parts: len(dims)}
	p.access.Index, p.access.Box = x, true
	for _, d := range dims {
		if id, ok := c.bounding(d); ok {
			p.access.Bounds = append(p.access.Bounds, c.boundOf(id))
		}
	}
	if len(p.access.Bounds) < atLeast && !c.hints().asksFor(p.name()) || !c.inPartitions(layout, &p) {
		return p, false
	}
	c.finish(&p)
	c.estimate(&p)
	return p, true
}

// bounding is the column whose conditions bound a dimension, or of one that has the codes of a normal form a form of
// the column that tells no more texts to be equal than that. The TTL alone narrows little in each dimension, and codes
// of a normal form are not in the order of values.
func (c *chooser) bounding(d catalog.Dimension) (id uint32, ok bool) {
	s := c.shapeOf(d.Column)
	if d.Form == "" || s.points > 0 {
		return d.Column, s.points > 0 || s.interval
	}
	form, _ := normal.Parse(d.Form)
	for _, of := range []normal.Form{normal.NFC, normal.NFD, normal.NFKC, normal.NFKD} {
		if id = axis.Formed(d.Column, of); form.Keeps(of) && c.shapeOf(id).points > 0 {
			return id, true
		}
	}
	return 0, false
}

// inPartitions bounds the columns that make the partitions of a layout, apart from shards and leading bits, which boxes
// find themselves. It says false where one of them has no single values: then boxes cannot be read.
func (c *chooser) inPartitions(l *catalog.Layout, p *path) bool {
	for i := range l.Partition {
		part := &l.Partition[i]
		if part.Partitions() > 0 {
			continue
		}
		for _, id := range part.Columns() {
			if c.shapeOf(id).points == 0 {
				return false
			}
			if !bounds(p.access.Bounds, id) {
				p.access.Bounds = append(p.access.Bounds, c.boundOf(id))
			}
			if part.Is(id) {
				p.exact = append(p.exact, id)
			}
		}
	}
	p.exact = append(p.exact, l.Sort[0].Columns()...)
	return true
}

// severalBoxes is the path by the boxes of the alternatives of condition i.
func (c *chooser) severalBoxes(x *catalog.Index, i int, args []expr.Expr, atLeast int) (path, bool) {
	out := path{index: x, parts: len(layoutOf(c.scan.Table, x).Curve()), or: or{cond: i, decided: true}}
	out.access.Index, out.access.Box = x, true
	for _, arg := range args {
		one := c.under(append(slices.Clip(c.scan.Filter), expr.Conjuncts(arg)...))
		p, ok := one.box(x, atLeast)
		if !ok || len(p.access.Bounds) == 0 {
			return out, false
		}
		for j := len(c.scan.Filter); j < len(one.scan.Filter); j++ {
			_, decided := one.decided(j, &p)
			out.or.decided = out.or.decided && decided
		}
		out.or.sides = append(out.or.sides, alternative{&one.estimator, p})
		out.access.Either = append(out.access.Either, plan.Side{Bounds: p.access.Bounds})
	}
	c.finish(&out)
	c.estimate(&out)
	return out, true
}

// estimateBox says what the formula gives for a box, or for several together.
func (c *estimator) estimateBox(p *path) {
	e := &p.access.Estimate
	e.Ranges = partitions(layoutOf(c.scan.Table, p.index))
	if len(p.or.sides) == 0 {
		e.ZOrder = c.formula(p)
	} else {
		sum := plan.ZEstimate{}
		for _, alt := range p.or.sides {
			one := alt.by.knowing(c.ctx).formula(&alt.path)
			boxes, v, cells, price := sum.Boxes+one.Boxes, sum.V+one.V, sum.P+one.P, sum.Cost+one.Cost
			wanted := sum.Wanted + one.Wanted
			sum = *one
			sum.Fractions, sum.Pieces, sum.Wanted = nil, nil, math.Min(wanted, one.N)
			sum.Boxes, sum.V, sum.P, sum.Cost = boxes, math.Min(v, one.N), math.Min(cells, math.Max(one.N, 1)), price
		}
		e.ZOrder = &sum
	}
	if c.store.Requests {
		c.estimateCover(p)
	} else {
		e.Rows, e.Seeks = zorder.Reads(e.ZOrder.N, e.ZOrder.V, e.ZOrder.P)
	}
	e.Rows = math.Max(e.Rows, 1)
	e.Waste = e.Rows / math.Max(e.ZOrder.Wanted, 1)
	c.estimateRest(p)
}

// estimateCover says how boxes are read where each range is a request: in each shard by a cover of
// its rows.
func (c *estimator) estimateCover(p *path) {
	e, z := &p.access.Estimate, p.access.Estimate.ZOrder
	shards := 1.0
	for _, part := range layoutOf(c.scan.Table, p.index).Partition {
		if part.Sharded() {
			shards = float64(part.Count)
		}
	}
	price := keys.RangePrice(c.scan.Table, p.index, c.store.RangePrice, c.store.Units)
	most := max(1, keys.MostRanges(c.scan.Table, p.index, z.V, c.store.Units)/int(shards))
	e.Ranges, e.Rows = zorder.Covers(z.N/shards, z.V/shards, z.Dims, price, most)
	e.Ranges, e.Rows = math.Round(e.Ranges*shards), e.Rows*shards
}

// formula is the estimate of one box.
func (c *estimator) formula(p *path) *plan.ZEstimate {
	dims := layoutOf(c.scan.Table, p.index).Curve()
	z := &plan.ZEstimate{N: c.entries(p), Boxes: 1, Dims: len(dims)}
	for _, b := range p.access.Bounds {
		if !slices.ContainsFunc(dims, func(d catalog.Dimension) bool { return d.Column == axis.Unformed(b.Column) }) {
			z.N *= c.keeps(b) // of the partitions that are read
		}
	}
	z.Wanted = z.N
	sides := make([]zorder.Side, len(dims))
	for i, d := range dims {
		sides[i] = zorder.Side{Fraction: 1, Pieces: 1}
		at := slices.IndexFunc(p.access.Bounds, func(b plan.Bound) bool { return axis.Unformed(b.Column) == d.Column })
		if at >= 0 {
			b := p.access.Bounds[at]
			keeps := math.Min(1, c.keeps(b))
			z.Wanted *= keeps
			sides[i].Fraction = cost.CellFraction(c.scan.Table, d, b, c.ctx, keeps)
			sides[i].Pieces = math.Max(1, float64(c.shapeOf(b.Column).points))
		}
		z.Fractions, z.Pieces = append(z.Fractions, sides[i].Fraction), append(z.Pieces, sides[i].Pieces)
	}
	e := zorder.Estimated(z.N, sides)
	z.V, z.P, z.Cost, z.Side = e.V, e.P, e.Cost, e.Side
	return z
}

// partitions is how many partitions a layout by shards or leading bits has.
func partitions(l *catalog.Layout) float64 {
	n := 1
	for _, p := range l.Partition {
		n *= max(p.Partitions(), 1)
	}
	return float64(n)
}
