package access

import (
	"math"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Where only the first rows of each group are wanted, and the groups are prefixes of a layout, a path reads these of a
// prefix and goes on behind it:
//
//	the first 2 of each a on (a, b)    entries (1, 3), (1, 4), on to (2, ...)
//
// Nothing may be checked on entries or rows behind that: the ones that are left might not pass.

// prefixRows is what it costs to go on behind a prefix, in rows: a scan of the embedded store was measured to begin in
// the time of 10 to 40 rows.
const prefixRows = 40

// firstOfEach reads the first entries of each prefix where that costs less than to read all entries of the spans. How
// many prefixes there are must be known from statistics.
func (c *chooser) firstOfEach(p *path) {
	a, count := &p.access, c.scan.Each.Count
	if count == 0 || !a.Ordered || a.Merge != nil || a.Keys != nil || len(a.Either) > 0 || a.Skip > 0 || a.Verify ||
		len(a.EntryFilter)+len(a.BoxFilter)+len(a.RowFilter) > 0 || c.scan.Write || c.scan.Marked > 0 ||
		!c.scan.Table.Stats.Known {
		return
	}
	of, prefixes := c.prefixesOf(p)
	if of == 0 {
		return
	}
	e := a.Estimate
	prefixes = math.Min(prefixes, math.Max(e.Rows, 1))
	e.Rows = math.Min(e.Rows, prefixes*float64(count))
	e.Matches = e.Rows
	if e.Price = e.Rows + prefixRows*prefixes; a.Lookup {
		e.Lookups = e.Rows
	}
	cost.ChargeRanges(&e, e.Spans+prefixes)
	if cost.Path(e) < cost.Path(a.Estimate) {
		a.Each.Of, a.Each.Count, a.Estimate = of, count, e
	}
}

// prefixesOf is how many leading parts of the layout of a path are the columns of groups, besides those that have one
// value, and how many values these have together; 0: the groups are no prefixes.
func (c *chooser) prefixesOf(p *path) (of int, prefixes float64) {
	w := &walk{chooser: c, index: p.index, layout: layoutOf(c.scan.Table, p.index)}
	groups := map[uint32]bool{}
	for _, o := range c.scan.Order[:c.scan.Each.Of] {
		if id := c.scan.Table.Columns[o.Column].ID; !w.oneValue(id) {
			groups[id] = true
		}
	}
	prefixes = 1
	for _, part := range walkParts(w.layout) {
		switch {
		case len(groups) == 0:
			return of, prefixes
		case !part.Plain():
			return 0, 0
		case groups[part.Column]:
			delete(groups, part.Column)
			prefixes *= math.Max(1, c.prefixValues(p, &part))
		case !w.oneValue(part.Column):
			return 0, 0
		}
		of++
	}
	return 0, 0 // each entry is a group
}

// prefixValues is how many values a part has that the spans leave.
func (c *chooser) prefixValues(p *path, part *catalog.Part) float64 {
	if s := c.shapeOf(part.Column); s.points > 0 {
		return float64(s.points)
	}
	return c.runs(part)
}

// readsFirstOfEach says whether a path reads only the first entries of each prefix.
func (p *path) readsFirstOfEach() bool { return p.access.Each.Count > 0 }

// Ends are the rows of a scan that are wanted of each group: the one with an end of the values of a column, or any.
// Columns are ordinals in the table.
type Ends struct {
	Groups   []int
	End      int // negative: any row does
	Greatest bool
}

// Of is a scan that wants only the ends of groups, in the order by which a path brings them first for the least cost,
// if that is less than to read all rows.
func (e Ends) Of(s plan.Scan, on Store, off Off, env *types.Env) (best plan.Scan, ok bool) {
	all := Choose(s, on, off, env)
	price := cost.Path(all.Estimate)
	for _, x := range newChooser(s, on, expr.Beforehand(env)).inKeyOrder() {
		one := s
		if one.Order = e.order(s.Table, layoutOf(s.Table, x)); one.Order == nil {
			continue
		}
		one.Each.Of, one.Each.Count = len(e.Groups), 1
		a := Choose(one, on, off, env)
		if now := cost.Path(a.Estimate); a.Each.Count > 0 && now < price {
			price, best, ok = now, one, true
		}
	}
	return best, ok
}

// order is how a layout, read from one of its ends, brings the ends of groups first; nil: it lacks one of the groups.
// Columns before them have one value, or else the path will not be in this order.
func (e Ends) order(t *catalog.Table, l *catalog.Layout) (out []plan.Order) {
	groups := map[int]bool{}
	for _, g := range e.Groups {
		groups[g] = true
	}
	parts, reverse := walkParts(l), false
	for _, p := range parts {
		if p.Plain() && t.Ordinal(p.Column) == e.End {
			reverse = p.Desc != e.Greatest
		}
	}
	for _, p := range parts {
		if !p.Plain() {
			continue
		}
		if ordinal := t.Ordinal(p.Column); groups[ordinal] {
			delete(groups, ordinal)
			out = append(out, plan.Order{Column: ordinal, Desc: p.Desc != reverse,
				NullsFirst: p.NullsFirst() != reverse})
		}
	}
	if len(groups) > 0 {
		return nil
	}
	if e.End >= 0 {
		out = append(out, plan.Order{Column: e.End, Desc: e.Greatest})
	}
	return out
}
