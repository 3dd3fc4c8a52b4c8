package access

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/planner/plan"
	"zproxy/types"
)

// What is assumed where nothing is known, as in PostgreSQL: an equality keeps one row in
// 200, a bound on one side a third, bounds on both sides one row in 200.
const (
	unknownDistinct = 200
	oneSided        = 1.0 / 3
	twoSided        = 1.0 / 200
)

// estimatePrefix says what a path by prefix reads.
func (c *chooser) estimatePrefix(p *path) {
	n := c.entries(p)
	e := &p.access.Estimate
	read := n
	for _, b := range p.access.Bounds {
		read *= c.fraction(b)
	}
	if p.unique {
		read = math.Min(read, 1)
	}
	e.Spans = p.spans()
	e.Requests, e.Rows = e.Spans, math.Max(read, math.Min(n, 1))
	c.estimateRest(p)
}

// entries is how many entries a path has to choose from. Of the columns that are bounded, the
// bounds leave out what a partial index does not hold.
func (c *chooser) entries(p *path) float64 {
	n := c.scan.Table.RowCount()
	if p.index == nil || p.index.Where == nil {
		return n
	}
	held := c.held(p.index)
	for _, b := range held {
		if !bounds(p.access.Bounds, b.Column) {
			n *= c.fraction(b)
		}
	}
	for _, id := range p.index.Where.NotNull {
		if !bounds(p.access.Bounds, id) && !bounds(held, id) {
			n *= 1 - c.scan.Table.Stats.Columns[id].Nulls
		}
	}
	return n
}

// held is what the condition of a partial index says of single columns.
func (c *chooser) held(x *catalog.Index) []plan.Bound {
	var out []plan.Bound
	for _, cond := range c.holds(x) {
		column, term, _, ok := Bounds(cond)
		if !ok {
			continue
		}
		id := c.scan.Table.Columns[column].ID
		at := slices.IndexFunc(out, func(b plan.Bound) bool { return b.Column == id })
		if at < 0 {
			at = len(out)
			out = append(out, plan.Bound{Column: id})
		}
		out[at].Terms = append(out[at].Terms, term)
	}
	return out
}

// estimateRest fills in matches, lookups and units.
func (c *chooser) estimateRest(p *path) {
	e := &p.access.Estimate
	if c.store.Units {
		e.Units = units(e.Requests, e.Rows)
	}
	e.Matches = math.Min(e.Rows, math.Max(c.matches(), math.Min(e.Rows, 1)))
	if p.access.Lookup {
		e.Lookups = e.Rows
		if len(p.access.EntryFilter) > 0 {
			e.Lookups = e.Matches
		}
		e.Requests += math.Ceil(e.Lookups / plan.LookupBatch)
		if c.store.Units {
			e.Units += e.Lookups // each row is rounded up on its own
		}
	}
}

// units is what reading rows by some requests costs.
func units(requests, rows float64) float64 {
	return math.Max(requests, math.Ceil(rows*assumedRowBytes/unitBytes))
}

// unitBytes is what one read unit reads, strongly consistent. A request costs one at least.
const unitBytes = 4096

// assumedRowBytes is the size of an entry where nothing is known of it.
const assumedRowBytes = 120

// matches is how many rows all conditions together are thought to keep.
func (c *chooser) matches() float64 {
	n := c.scan.Table.RowCount()
	for _, b := range c.boundsByColumn() {
		n *= c.fraction(b)
	}
	return n
}

// boundsByColumn gathers the terms of each bounded column.
func (c *chooser) boundsByColumn() []plan.Bound {
	var out []plan.Bound
	for _, col := range c.scan.Table.Columns {
		if b := c.boundOf(col.ID); len(b.Terms) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// spans is how many spans a path is thought to read.
func (p *path) spans() float64 {
	n := 1.0
	for _, s := range p.stops[:p.access.Parts] {
		if s.single() || s.open {
			n *= float64(s.points)
		}
	}
	return n
}

// fraction is the share of rows that a bound keeps: points by the number of distinct
// values, an interval by its share of the known values, taken to be uniform.
func (c *chooser) fraction(b plan.Bound) float64 {
	stats := c.scan.Table.Stats.Columns[b.Column]
	one := (1 - stats.Nulls) / c.distinct(b.Column)
	low, high := false, false
	f := 1.0
	for _, t := range b.Terms {
		if c.isLife(b.Column, t) {
			continue
		}
		switch t.Op {
		case plan.TermEQ:
			return one
		case plan.TermIn, plan.TermAny:
			f = math.Min(f, float64(pointsOf(t))*one)
		case plan.TermNull:
			return math.Max(stats.Nulls, 1/math.Max(c.scan.Table.RowCount(), 1))
		case plan.TermNotNull:
			f *= 1 - stats.Nulls
		case plan.TermPrefix:
			low, high = true, true
		case plan.TermLT, plan.TermLE:
			high = true
		default:
			low = true
		}
	}
	if !low && !high {
		return f
	}
	if share, ok := c.share(b, stats); ok {
		return math.Min(f, share)
	}
	if low && high {
		return math.Min(f, twoSided)
	}
	return math.Min(f, oneSided)
}

// distinct is the number of values that a column is thought to have.
func (c *chooser) distinct(column uint32) float64 {
	t := c.scan.Table
	if d := t.Stats.Columns[column].Distinct; d > 0 {
		return d
	}
	if l := t.Primary.Columns(); len(l) == 1 && l[0] == column {
		return math.Max(t.RowCount(), 1)
	}
	return math.Min(unknownDistinct, math.Max(t.RowCount(), 1))
}

// share is the part of the known interval of values that a bound leaves. A bound by a
// parameter has no value yet.
func (c *chooser) share(b plan.Bound, stats catalog.ColumnStats) (float64, bool) {
	if stats.Min.IsNull() || stats.Max.IsNull() {
		return 0, false
	}
	set, err := b.Set(c.ctx)
	if err != nil {
		return 0, false
	}
	lowest, highest := position(stats.Min), position(stats.Max)
	width := highest - lowest
	if width <= 0 || math.IsNaN(width) || math.IsInf(width, 0) {
		return 1, true
	}
	covered := 0.0
	for _, in := range set.Intervals {
		covered += c.width(in, lowest, highest)
	}
	atLeast := 1 / math.Max(c.distinct(b.Column), 1)
	return math.Min(1, math.Max(covered/width, math.Min(atLeast, 1))) * (1 - stats.Nulls), true
}

func (c *chooser) width(in span.Interval, lowest, highest float64) float64 {
	from, to := lowest, highest
	if !in.Low.IsNull() {
		from = math.Max(from, position(in.Low))
	}
	if !in.High.IsNull() {
		to = math.Min(to, position(in.High))
	}
	return math.Max(0, to-from)
}

// position places a value on a line, so that distances between values of a column can be
// compared. NaN is behind all numbers, as in their order.
func position(v types.Value) float64 {
	if x := coordinate(v); !math.IsNaN(x) {
		return x
	}
	return math.Inf(1)
}

func coordinate(v types.Value) float64 {
	switch v.Kind() {
	case types.KindInt:
		return float64(v.Int())
	case types.KindFloat:
		return v.Float()
	case types.KindNumeric:
		f, _ := v.Numeric().Float64()
		return f
	case types.KindDate:
		return float64(v.Days())
	case types.KindTimestamp, types.KindTime:
		return float64(v.Micros())
	case types.KindTimetz:
		return float64(types.UTCOfTimetz(v))
	case types.KindInterval:
		return float64(types.MicrosOfInterval(v))
	case types.KindBool:
		if v.Bool() {
			return 1
		}
		return 0
	case types.KindUUID:
		u := v.UUID()
		return textPosition(string(u[:]))
	}
	return textPosition(v.Text())
}

// textPosition reads the first eight bytes as a number.
func textPosition(s string) float64 {
	f, scale := 0.0, 1.0
	for i := range min(len(s), 8) {
		scale /= 256
		f += float64(s[i]) * scale
	}
	return f
}

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
	fractions := make([]float64, len(dims))
	excluded := make([]float64, len(dims))
	widths := make([]int, len(dims))
	for i, d := range dims {
		fractions[i], widths[i] = 1, d.Bits
		b, s := c.boundOf(d.Column), c.shapeOf(d.Column)
		if s.points == 0 && !s.interval {
			continue // the TTL alone narrows little in each dimension
		}
		p.access.Bounds = append(p.access.Bounds, b)
		fractions[i] = math.Min(1, c.fraction(b))
		excluded[i] = 1 - fractions[i]
		if s.points == 1 {
			excluded[i] = 1
		}
	}
	if len(p.access.Bounds) < atLeast && !c.asksFor(x.Name) {
		return p, false
	}
	c.finish(&p)
	v, cells, cost := zorder.Cost(c.entries(&p), fractions)
	e := &p.access.Estimate
	e.ZOrder = &plan.ZEstimate{V: v, P: cells, Cost: cost, Addresses: addresses(widths, excluded)}
	e.Requests, e.Rows = partitions(&x.Layout), math.Max(cells, 1)
	c.estimateRest(&p)
	return p, true
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
