package access

import (
	"math"
	"slices"

	"zproxy/catalog/part"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/store"
)

// estimator says what the paths of a choice read, as far as values are known.
type estimator struct {
	conditions
	store Store
	ctx   *expr.Context
	memo  *memo
}

// estimate says what a path reads, as far as values are known.
func (c *estimator) estimate(p *path) {
	switch a := &p.access; {
	case a.Keys != nil:
		c.estimateKeys(p)
	case a.Box:
		c.estimateBox(p)
	case len(a.Either) > 0:
		c.estimateEither(p)
	default:
		c.estimatePrefix(p)
	}
}

// knowing is the same when more values are known.
func (c *estimator) knowing(ctx *expr.Context) *estimator {
	if c.ctx == ctx {
		return c
	}
	one := *c
	one.ctx, one.memo = ctx, &memo{bounds: c.memo.bounds}
	return &one
}

// memo keeps what is asked for each path anew.
type memo struct {
	bounds []plan.Bound // of all columns; nil: they were not gathered yet
	shares []share
	counts *counts // of the part that a walk is at; nil: none has begun
}

// share is the part of the rows that the bounds of a column keep.
type share struct {
	column uint32
	rows   float64
}

// keeps is the share of rows that the conditions on the column of a bound keep.
func (c *estimator) keeps(b plan.Bound) float64 {
	for _, s := range c.memo.shares {
		if s.column == b.Column {
			return s.rows
		}
	}
	f := cost.Fraction(c.scan.Table, b, c.ctx)
	c.memo.shares = append(c.memo.shares, share{b.Column, f})
	return f
}

// keepsAll is the share of rows that some of the bounds keep together.
func (c *estimator) keepsAll(list []plan.Bound, some func(plan.Bound) bool) float64 {
	share, together := 1.0, cost.Together{Table: c.scan.Table, Values: c.ctx}
	for _, b := range list {
		if some(b) {
			one := c.keeps(b)
			share *= one
			together.Add(b, one)
		}
	}
	return share * together.Correction()
}

// estimatePrefix says what a path by prefix reads.
func (c *estimator) estimatePrefix(p *path) {
	n := c.entries(p)
	e := &p.access.Estimate
	read := n * c.keepsAll(p.access.Bounds, func(b plan.Bound) bool { return !slices.Contains(p.skips, b.Column) })
	read, seeks := c.skipped(p, read)
	if p.unique {
		read = math.Min(read, 1)
	}
	e.Spans, e.Seeks = float64(c.spans(p.walked())), seeks
	e.Ranges, e.Rows = e.Spans, math.Max(read, math.Min(n, 1))
	c.estimateRest(p)
}

// entries is how many entries a path has to choose from. Of the columns that are bounded, the
// bounds leave out what a partial index does not hold.
func (c *estimator) entries(p *path) float64 {
	n := c.scan.Table.RowCount()
	if p.index == nil || p.index.Where == nil {
		return n
	}
	held := c.held(p.index)
	for _, b := range held {
		if !bounds(p.access.Bounds, b.Column) {
			n *= cost.Fraction(c.scan.Table, b, c.ctx)
		}
	}
	for _, id := range p.index.Where.NotNull {
		if !bounds(p.access.Bounds, id) && !bounds(held, id) {
			n *= 1 - c.scan.Table.Stats.Column(id).Nulls
		}
	}
	return n
}

// estimateRest fills in matches, lookups and units.
func (c *estimator) estimateRest(p *path) {
	e := &p.access.Estimate
	e.Matches = math.Min(e.Rows, math.Max(c.matches(), math.Min(e.Rows, 1)))
	e.Guessed = c.guesses()
	if e.Price = cost.Price(*e, p.access.Skip > 0); e.ZOrder != nil {
		e.Price = e.ZOrder.Cost
	}
	e.Lookups = 0
	if p.access.Lookup {
		e.Lookups = math.Max(math.Min(e.Rows, c.entriesKept(p)), e.Matches)
	}
	if c.store.Units {
		e.Width = c.scan.Table.EntryBytes(p.index)
		e.Each = store.ReadUnits(c.scan.Table.EntryBytes(nil))
	}
	if c.pointwise(p) {
		cost.ChargeKeys(e, e.Ranges)
	} else {
		cost.ChargeRanges(e, e.Ranges)
	}
}

// entriesKept is how many entries of a path all conditions keep that are checked on entries.
func (c *estimator) entriesKept(p *path) float64 {
	a := &p.access
	if len(a.EntryFilter)+len(a.BoxFilter)+a.Skip == 0 {
		return math.Inf(1)
	}
	t := c.scan.Table
	stored := t.StoredOrdinals(p.index)
	return t.RowCount() * c.keepsAll(c.boundsByColumn(),
		func(b plan.Bound) bool { return slices.Contains(stored, t.Ordinal(b.Column)) })
}

// matches is how many rows all conditions together are thought to keep.
func (c *estimator) matches() float64 {
	return c.scan.Table.RowCount() * c.keepsAll(c.boundsByColumn(), func(plan.Bound) bool { return true })
}

// guesses says whether there are conditions that bound no column and may keep few rows, such as those on what a
// function makes of it. What is only known not to be so keeps most, and of OR its sides tell.
func (c *estimator) guesses() bool {
	for i, cond := range c.scan.Filter {
		switch e := cond.(type) {
		case expr.Logic, expr.Not:
			continue
		case expr.Compare:
			if e.Op == expr.NE {
				continue
			}
		}
		if !slices.ContainsFunc(c.constraints, func(k constraint) bool { return k.cond == i }) {
			return true
		}
	}
	return false
}

// boundsByColumn gathers the terms of each bounded column.
func (c *estimator) boundsByColumn() []plan.Bound {
	if c.memo.bounds == nil {
		c.memo.bounds = []plan.Bound{}
		for _, k := range c.constraints {
			if !bounds(c.memo.bounds, k.id) {
				c.memo.bounds = append(c.memo.bounds, c.boundOf(k.id))
			}
		}
	}
	return c.memo.bounds
}

// pointwise says whether each span is one whole key of a unique layout, to be read as such.
func (c *estimator) pointwise(p *path) bool {
	l := layoutOf(c.scan.Table, p.index)
	switch {
	case p.access.Box || !l.Distinct():
		return false
	case len(p.or.sides) > 0:
		return !slices.ContainsFunc(p.or.sides, func(a alternative) bool { return !a.by.pointwise(&a.path) })
	}
	stops := p.walked()
	return len(stops) == len(l.Parts()) &&
		!slices.ContainsFunc(stops, func(s stop) bool { return s.interval && !s.counted })
}

// spans is how many spans parts that were walked are thought to make.
func (c *estimator) spans(stops []stop) int {
	n := 1
	for _, s := range stops {
		if s.single() || s.open {
			n = c.forked(n, s)
		}
	}
	return n
}

// forked is how many spans become of some by a part.
func (c *estimator) forked(spans int, s stop) int {
	if s.spread == nil {
		return spans * s.points
	}
	return spans + spans/s.points*c.more(s.spread, s.points)
}

// more is how many shards n keys are thought to have beyond one for each. Values that are not known yet may be those
// that have most. Those of many rows, which are looked up, have as many as any.
func (c *estimator) more(s *part.Spread, n int) int {
	bound := c.boundOf(s.By().ID)
	set, err := bound.Set(c.ctx)
	if err == nil {
		return s.More(set, n)
	}
	ofRows := func(t plan.Term) bool {
		return slices.ContainsFunc(t.Args, func(e expr.Expr) bool {
			return expr.Any(e, func(x expr.Expr) bool { _, outer := x.(expr.Outer); return outer })
		})
	}
	if slices.ContainsFunc(bound.Terms, ofRows) {
		return int(float64(n) * c.moreOfAny(s))
	}
	return s.More(span.Everything, n)
}

// moreOfAny is how many shards beyond one the keys of a column have on average.
func (c *estimator) moreOfAny(s *part.Spread) float64 {
	return float64(s.More(span.Everything, math.MaxInt)) / math.Max(cost.Distinct(c.scan.Table, s.By().ID), 1)
}
