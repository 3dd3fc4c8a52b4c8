package access

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
)

// maxPoints bounds how many spans sets of points may multiply to. A set that would make
// more ends the prefix and is checked entry by entry. A single set may be as large as
// the statement made it.
const maxPoints = 1000

// path is one layout with what the conditions make of it.
type path struct {
	index  *catalog.Index // nil: the table itself
	access draft
	stops  []stop   // the parts that were walked
	equal  int      // key columns in a row that are bound to points
	ranged bool     // and an interval on the next
	unique bool     // at most one row: the whole of a unique key is bound by equality
	parts  int      // columns of the key as declared
	tuple  int      // the condition that access.Tuple decides, -1: it only bounds
	or     or       // of which access.Either is made
	weak   bool     // nothing bounds it but what leaves nearly everything
	skips  []uint32 // columns whose values keys are held against while they are read
	keys   *keySet  // what access.Keys are
	exact  []uint32 // columns whose bounds boxes decide, as far as codes do
	held   bool     // rows are looked up only since entries are held against them
	hint   int      // 1: a hint asks for it, -1: against it
}

func (p *path) name() string {
	if p.access.Keys != nil {
		return p.access.Keys.String()
	}
	return p.access.Name()
}

// walked are the parts that make the spans.
func (p *path) walked() []stop {
	out := p.stops[:p.access.Parts]
	if last := len(out) - 1; last >= 0 && p.oneRange(last) {
		out = slices.Clone(out)
		out[last].interval, out[last].counted = true, false
	}
	return out
}

// oneRange says whether a part whose interval could be counted out is read as that interval: the last one, where
// nothing is merged by it.
func (p *path) oneRange(i int) bool {
	a, s := &p.access, p.stops[i]
	return s.counted && s.ranges && i == a.Parts-1 && (a.Merge == nil || a.Merge.Parts <= i)
}

// byCost says whether a path is held against others by what it costs, and not by rule.
func (p *path) byCost() bool { return p.access.Box || p.access.Keys != nil }

// layoutOf is the layout of an index, or of the table.
func layoutOf(t *catalog.Table, x *catalog.Index) *catalog.Layout {
	if x == nil {
		return &t.Primary
	}
	return &x.Layout
}

// walkParts are the parts that bounds are matched against, from left to right. The
// tie-breaker of a layout that is not unique is part of every key.
func walkParts(l *catalog.Layout) []catalog.Part {
	if l.Unique {
		return l.Parts()
	}
	return slices.Concat(l.Partition, l.Sort, l.Tie)
}

// matchPrefix walks a layout from left to right as far as the conditions bound its
// parts, or these have few values anyway: an interval ends the walk.
func (c *chooser) matchPrefix(p *path) {
	l := layoutOf(c.scan.Table, p.index)
	w := &walk{chooser: c, index: p.index, layout: l, named: !c.store.OrderedPartitions, points: 1}
	parts := walkParts(l)
	for i := range parts {
		s, ok := w.stop(i, &parts[i])
		if !ok {
			break
		}
		p.stops = append(p.stops, s)
		if s.interval {
			break
		}
	}
	p.keep(w.last(p.stops), w)
}

// keep makes the first n parts of the walk those that make the spans.
func (p *path) keep(n int, w *walk) {
	a := &p.access
	a.Parts, a.Tuple, a.Bounds = n, nil, nil
	p.equal, p.ranged, p.weak = 0, false, n > 0
	for i, s := range p.stops[:n] {
		p.equal += s.equal
		p.ranged = p.ranged || s.interval && !s.weak && len(s.columns) > 0 || s.counted
		p.weak = p.weak && (s.weak || !s.narrowed)
		for _, id := range s.columns {
			if !bounds(a.Bounds, id) {
				a.Bounds = append(a.Bounds, w.boundOf(id))
			}
		}
		if s.interval {
			a.Tuple, p.tuple = w.tuple(w.layout, i)
		}
	}
	p.unique = w.layout.Distinct() && n >= len(w.layout.Parts()) && w.oneKey()
}

// finish works out what is left to be checked, whether a lookup is needed and what order
// comes out.
func (c *chooser) finish(p *path) {
	a := &p.access
	t := c.scan.Table
	stored := t.StoredOrdinals(p.index)
	lacks := func(column int) bool { return !slices.Contains(stored, column) }
	open, edges, implied := c.open(p)
	ahead := c.ahead(p.index)
	covers := p.index != nil && !slices.ContainsFunc(c.wantedColumns(), lacks) &&
		!slices.ContainsFunc(open, func(r residual) bool { return r.entry == nil })
	a.Verify = ahead && !c.keysOnly
	// A row that is written is read from the table, which alone can tell at commit whether
	// it is still the same.
	fromTable := c.scan.Write
	a.Lookup = p.index != nil && (fromTable || a.Verify || !covers)
	p.held = a.Verify && covers && !fromTable
	// Another transaction may have changed the row behind an entry that was read before it.
	recheck := a.Lookup && c.store.NoSnapshots && !c.keysOnly
	a.Verify = a.Verify || recheck
	switch {
	case a.Lookup:
		a.EntryReads = c.entryReads(p)
	case slices.ContainsFunc(c.scan.Reads, lacks):
		a.EntryReads = slices.DeleteFunc(slices.Clone(c.scan.Reads), lacks)
	}
	if ahead { // what an entry has besides its key may be of another row than the one that is there
		if a.Verify {
			a.RowFilter = asWritten(slices.Concat(open, edges, implied))
		}
		return
	}
	onEntry := func(cond expr.Expr) expr.Expr {
		switch {
		case a.EntryReads != nil:
		case c.reachesBeyond(cond):
			a.EntryReads = slices.Clone(c.scan.Reads)
		default:
			return cond
		}
		return c.overEntry(cond, a)
	}
	for _, cond := range open {
		if cond.entry == nil {
			a.RowFilter = append(a.RowFilter, cond.row)
		} else {
			a.EntryFilter = append(a.EntryFilter, onEntry(cond.entry))
		}
	}
	for _, cond := range edges {
		a.BoxFilter = append(a.BoxFilter, onEntry(cond.entry))
	}
	if recheck {
		a.RowFilter = asWritten(slices.Concat(open, edges, implied))
	}
}

// ahead says whether entries of an index may be ahead of rows.
func (c *chooser) ahead(x *catalog.Index) bool { return x != nil && x.Loose && c.store.Loose }

// entryReads are the columns of entries whose rows are looked up.
func (c *chooser) entryReads(p *path) []int {
	out := slices.Clone(c.scan.Table.KeyOrdinals())
	if !p.access.Verify {
		return out
	}
	for _, id := range p.index.Layout.Sources() {
		if at := c.scan.Table.Ordinal(id); !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// open are the conditions that neither the bounds of a path decide nor what its index holds, those that
// are open only at the edges of a box, and those that follow from what the index holds.
func (c *chooser) open(p *path) (out, edges, implied []residual) {
	held, residuals := c.holds(p.index), c.residuals(p.index)
	var bounds []int
	for i := range c.scan.Filter {
		bounded, decided := c.decided(i, p)
		if bounded {
			bounds = append(bounds, i)
		}
		switch {
		case decided && !p.access.Box:
		case held != nil && proof.Implies(held, c.wanted()[i], c.filled):
			implied = append(implied, residuals(i))
		case decided:
			edges = append(edges, residuals(i))
		default:
			out = append(out, residuals(i))
		}
	}
	p.access.Cond = c.inOrderOf(layoutOf(c.scan.Table, p.index), bounds)
	return out, edges, implied
}

// inOrderOf are conditions of the scan in the order of the columns of a layout that they bound.
func (c *chooser) inOrderOf(l *catalog.Layout, conds []int) []expr.Expr {
	columns := l.Sources()
	first := map[int]int{} // by condition
	for _, k := range c.constraints {
		at := slices.Index(columns, axis.Column(k.id))
		if before, ok := first[k.cond]; at >= 0 && (!ok || at < before) {
			first[k.cond] = at
		}
	}
	for _, i := range conds {
		if _, ok := first[i]; !ok {
			first[i] = len(columns)
		}
	}
	slices.SortStableFunc(conds, func(a, b int) int { return cmp.Compare(first[a], first[b]) })
	var out []expr.Expr
	for _, i := range conds {
		out = append(out, c.scan.Filter[i])
	}
	return out
}

// wantedColumns are the ordinals in the table of the columns that are read by what gets the rows of the scan.
func (c *chooser) wantedColumns() []int {
	var out []int
	for i, column := range c.scan.Reads {
		if !slices.Contains(c.scan.Aside, i) {
			out = append(out, column)
		}
	}
	return out
}

// decided says whether condition i bounds a column of the path, and whether nothing of
// it is left to be checked. A box decides no more than its cells tell values apart, see
// plan.Box.Edges.
func (c *chooser) decided(i int, p *path) (bounded, decided bool) {
	a := &p.access
	if i == p.or.cond && len(a.Either) > 0 {
		return true, p.or.decided
	}
	for _, k := range c.constraints {
		if k.cond != i {
			continue
		}
		id := k.id
		if slices.ContainsFunc(a.Either, func(alt plan.Side) bool { return bounds(alt.Bounds, id) }) {
			every := !slices.ContainsFunc(a.Either, func(alt plan.Side) bool { return !bounds(alt.Bounds, id) })
			return true, a.Box && every && k.exact && k.row == nil
		}
		if bounds(a.Bounds, id) {
			exact := a.Box && slices.Contains(p.exact, id) || !a.Box && p.decides(id, k.term.Op == plan.TermNull)
			if k.row != nil {
				return true, a.Tuple != nil && p.tuple == i && exact
			}
			return true, k.exact && exact
		}
	}
	return false, false
}

// bounds says whether a column is among those that are bounded.
func bounds(list []plan.Bound, id uint32) bool {
	return slices.ContainsFunc(list, func(b plan.Bound) bool { return b.Column == id })
}

// overEntry makes a condition over the scan's rows one over the entries' columns.
func (c *chooser) overEntry(cond expr.Expr, a *draft) expr.Expr {
	return expr.Rewrite(cond, func(e expr.Expr) expr.Expr {
		col, ok := e.(expr.Column)
		if !ok {
			return e
		}
		ordinal := c.reads[col.Index]
		at := slices.Index(a.EntryReads, ordinal)
		if at < 0 {
			at = len(a.EntryReads)
			a.EntryReads = append(a.EntryReads, ordinal)
		}
		col.Index = at
		return col
	})
}
