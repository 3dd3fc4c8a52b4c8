package access

import (
	"math"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/store"
)

// An index merge reads the keys of rows from several indexes and looks up the rows whose keys
// are in any of them, or in all:
//
//	a = 1 OR b = 2     union of t_a, t_b
//	a = 1 AND b = 2    intersection of t_a, t_b
//
// It is held by cost against the best single path, as a box is.

// maxBranches bounds the alternatives of an OR that are read through indexes of their own.
const maxBranches = 100

// keySet is the keys of rows that one index has, or several together, with what is thought of
// them.
type keySet struct {
	node    plan.Node // plan.Keys, or a plan.Scan
	reads   plan.Estimate
	price   float64  // of the reads, in rows
	keys    float64  // that come out
	columns []uint32 // that bounds of its scans are on
	conds   []int    // the conditions that it serves

	by    *alternative // what reads it, where it is that of one index
	asked *asked       // of an inverted index
	of    []keySet     // of which it is made
}

// cost is what it costs to have the rows, in rows.
func (s *keySet) cost() float64 { return s.price + cost.LookupRows*s.keys }

// keyChooser finds sets of keys.
type keyChooser struct {
	*chooser
	order   []plan.Order // in which the table keeps its keys; nil: it cannot be said by columns
	reverse bool
	refused []plan.Candidate // unions that cannot be
}

// merges are the index merges that can serve the scan: each union, and the best intersection.
func (c *chooser) merges(single []path, off Off) []path {
	forced, forbidden := c.hints().merge()
	switch {
	case off.Prefix, off.Merge, forbidden, len(c.scan.Table.Indexes) == 0:
		return nil
	case !forced && slices.ContainsFunc(single, func(p path) bool { return p.unique }):
		return nil
	}
	mergeable := forced || c.mergeable(single)
	inverted := slices.ContainsFunc(c.scan.Table.Indexes, func(x catalog.Index) bool { return x.Method.Inverted() })
	if !mergeable && !inverted {
		return nil
	}
	own := *c
	own.removed = nil // Choose has told of them
	table := path{}
	sorted := own
	sorted.store.OrderedPartitions = true // keys are put in order, also where partitions have none
	sorted.order(&table)
	k := keyChooser{chooser: &own, reverse: table.access.Reverse}
	k.order = k.keyOrder()
	sets := k.keySets(0)
	c.removed = append(c.removed, k.refused...)
	var out []path
	for _, s := range sets {
		_, union := s.node.(plan.Keys)
		if union && mergeable || s.asked != nil {
			out = append(out, k.path(s, table.access.Ordered))
		}
	}
	if !mergeable && len(out) == 0 {
		return nil
	}
	if best, ok := k.best(sets); ok {
		if keys, ok := best.node.(plan.Keys); ok && !keys.Any {
			out = append(out, k.path(best, table.access.Ordered))
		}
	}
	return out
}

// mergeable says whether there is anything to merge: an OR, or several indexes that conditions
// on different columns bind, where it is known how many rows each of them leaves. A guess would be a gamble: one
// index may have all that it takes, and the other half of the table.
func (c *chooser) mergeable(single []path) bool {
	if slices.ContainsFunc(c.scan.Filter, c.isOr) {
		return true
	}
	var names []string
	var columns []plan.Bound
	for _, p := range single {
		shared := slices.ContainsFunc(p.access.Bounds, func(b plan.Bound) bool { return bounds(columns, b.Column) })
		if (p.equal > 0 || p.ranged) && !shared {
			names, columns = append(names, p.name()), append(columns, p.access.Bounds...)
		}
	}
	if len(names) > 1 && !c.scan.Table.Stats.Known {
		c.removed = append(c.removed, plan.Candidate{Path: "intersection of " + strings.Join(names, ", "),
			Removed: true, Verdict: "ANALYZE has not seen the table"})
	}
	return len(names) > 1 && c.scan.Table.Stats.Known
}

// keyOrder is the order of the table's keys by columns.
func (k *keyChooser) keyOrder() []plan.Order {
	t := k.scan.Table
	var out []plan.Order
	for _, p := range t.Primary.Parts() {
		if !p.Plain() {
			return nil
		}
		out = append(out, plan.Order{Column: t.Ordinal(p.Column), Desc: p.Desc != k.reverse})
	}
	return out
}

// keySets are sets of keys that have those of all rows that are wanted: one for each index that
// conditions bind, and one for each OR among the conditions from an ordinal on.
func (k *keyChooser) keySets(from int) []keySet {
	var out []keySet
	add := func(s keySet, ok bool) {
		if ok {
			out = append(out, s)
		}
	}
	add(k.single(nil))
	for i := range k.scan.Table.Indexes {
		x := &k.scan.Table.Indexes[i]
		switch {
		case !k.readable(x) || !k.holdsAll(x):
		case x.Method.Inverted():
			add(k.asks(x))
		default:
			add(k.single(x))
		}
	}
	for i := from; i < len(k.scan.Filter); i++ {
		if cond := k.scan.Filter[i]; k.isOr(cond) {
			add(k.union(i, cond.(expr.Logic).Args))
		}
	}
	return out
}

// single is the keys that one index has, or the table, with what it can check of the conditions.
func (k *keyChooser) single(x *catalog.Index) (keySet, bool) {
	t := k.scan.Table
	if !k.hints().mayRead(x) {
		return keySet{}, false
	}
	reads := draft{EntryReads: slices.Clone(t.KeyOrdinals())}
	s := plan.Scan{Table: t, Alias: k.scan.Alias, Order: k.order, Holds: k.scan.Holds}
	var ordinals []int
	residuals := k.residuals(x)
	for i, cond := range k.scan.Filter {
		if held := residuals(i).entry; held != nil && repeatable(cond) {
			s.Filter, ordinals = append(s.Filter, k.overEntry(held, &reads)), append(ordinals, i)
		}
	}
	s.Reads = reads.EntryReads
	s.Cols = plan.TableColumns(t, s.Reads)
	one := newChooser(s, k.store, k.ctx)
	one.keysOnly = true
	p, ok := one.keysBy(x)
	if !ok {
		return keySet{}, false
	}
	out := keySet{by: &alternative{&one.estimator, p}}
	out.read(&p, &s)
	for _, b := range p.access.Bounds {
		if t.TTL == nil || t.TTL.Column != b.Column {
			out.columns = append(out.columns, b.Column)
		}
	}
	for i, ordinal := range ordinals {
		if bounded, _ := one.decided(i, &p); bounded {
			out.conds = append(out.conds, ordinal)
		}
	}
	return out, true
}

// read says what reading the keys of one index takes, by its path.
func (s *keySet) read(p *path, scan *plan.Scan) {
	e := &p.access.Estimate
	s.reads, s.keys, s.price = *e, e.Matches, p.cost()+cost.RangeRows*e.Spans
	if !p.access.Ordered {
		s.price += e.Matches // they are sorted
	}
	keys, a := *scan, p.access.of(scan.Table)
	keys.Access = &a
	s.node = keys
}

// knowing is the same set, estimated again when more values are known.
func (s *keySet) knowing(c *estimator, reverse bool) keySet {
	out := *s
	if s.asked != nil {
		return s.asked.set(c, reverse)
	}
	if s.by != nil {
		one, p := s.by.by.knowing(c.ctx), s.by.path
		one.estimate(&p)
		scan := s.node.(plan.Scan)
		out.read(&p, &scan)
		return out
	}
	of := make([]keySet, len(s.of))
	for i := range of {
		of[i] = s.of[i].knowing(c, reverse)
	}
	out = c.combined(of, s.node.(plan.Keys).Any, reverse)
	out.conds = s.conds
	return out
}

// repeatable says whether a condition may be checked on an entry and again on its row.
func repeatable(cond expr.Expr) bool {
	return !expr.Any(cond, func(e expr.Expr) bool {
		switch e := e.(type) {
		case expr.Subquery:
			return true
		case expr.Call:
			return e.Fn.Volatility == expr.Volatile
		}
		return false
	})
}

// keysBy is the path of a scan of keys through an index, if conditions bind any of it.
func (c *chooser) keysBy(x *catalog.Index) (path, bool) {
	if x != nil && x.Method == catalog.ZOrder {
		return c.box(x, 2)
	}
	p := c.prefix(x, Off{})
	p.access.Ordered = p.access.Ordered || p.unique
	return p, p.equal > 0 || p.ranged
}

// union is the keys that any alternative of condition i has.
func (k *keyChooser) union(i int, args []expr.Expr) (keySet, bool) {
	if len(args) > maxBranches {
		return keySet{}, false
	}
	of := make([]keySet, 0, len(args))
	plain := slices.DeleteFunc(slices.Clone(k.scan.Filter), k.isOr)
	for _, arg := range args {
		one := k.under(slices.Concat(plain, expr.Conjuncts(arg)))
		sub := keyChooser{chooser: one, order: k.order, reverse: k.reverse}
		s, ok := sub.best(sub.keySets(len(plain)))
		if !ok {
			k.refused = append(k.refused,
				plan.Candidate{Path: "union", Removed: true, Verdict: "no index for " + arg.String()})
			return keySet{}, false
		}
		of = append(of, s)
	}
	out := k.combined(of, true, k.reverse)
	out.conds = []int{i}
	return out, true
}

// combined is the keys that any of several sets has, or all have.
func (c *estimator) combined(of []keySet, any, reverse bool) keySet {
	out := keySet{of: of}
	keys := plan.Keys{Table: c.scan.Table, Any: any, Reverse: reverse}
	n := math.Max(c.scan.Table.RowCount(), 1)
	for i := range of {
		s := &of[i]
		out.add(s)
		keys.Of = append(keys.Of, parts(s.node, any)...)
		switch {
		case any:
			out.keys = math.Min(out.keys+s.keys, n)
		case i == 0:
			out.keys = s.keys
		default:
			out.keys = math.Max(out.keys*s.keys/n, math.Min(1, math.Min(out.keys, s.keys)))
		}
	}
	out.node = keys
	return out
}

// parts are the inputs of keys of the same kind, or the node itself.
func parts(n plan.Node, any bool) []plan.Node {
	if keys, ok := n.(plan.Keys); ok && keys.Any == any {
		return keys.Of
	}
	return []plan.Node{n}
}

// add counts what reading another set takes, too.
func (s *keySet) add(o *keySet) {
	s.reads.Rows += o.reads.Rows
	s.reads.Spans += o.reads.Spans
	s.reads.Ranges += o.reads.Ranges
	s.reads.Requests += o.reads.Requests
	s.reads.Units += o.reads.Units
	s.price += o.price
	for _, id := range o.columns {
		if !slices.Contains(s.columns, id) {
			s.columns = append(slices.Clip(s.columns), id)
		}
	}
}

// best is the cheapest set, and those that make it cheaper still by what they leave out. Their
// conditions are on other columns and taken to have nothing to do with each other.
func (k *keyChooser) best(sets []keySet) (keySet, bool) {
	if len(sets) == 0 {
		return keySet{}, false
	}
	forced, _ := k.hints().merge()
	sets = slices.Clone(sets)
	slices.SortStableFunc(sets, func(a, b keySet) int { return compareFloats(a.cost(), b.cost()) })
	out := sets[0]
	for _, s := range sets[1:] {
		disjoint := !slices.ContainsFunc(s.columns, func(id uint32) bool { return slices.Contains(out.columns, id) })
		if !disjoint || !forced && !k.scan.Table.Stats.Known {
			continue
		}
		if both := k.both(out, s); forced || both.cost() < out.cost() {
			out = both
		}
	}
	return out, true
}

// both is the keys that two sets have.
func (k *keyChooser) both(a, b keySet) keySet {
	out := k.combined([]keySet{a, b}, false, k.reverse)
	out.conds = slices.Concat(a.conds, b.conds)
	return out
}

// path is the one that looks up the rows of keys. Their conditions are checked again, since
// what holds of one entry need not hold of the row that several are about.
func (k *keyChooser) path(s keySet, ordered bool) path {
	keys := k.keysOf(&s)
	p := path{keys: &s}
	a := &p.access
	a.Keys, a.Lookup, a.Ordered, a.Reverse = &keys, true, ordered, k.reverse
	for i, cond := range k.scan.Filter {
		if slices.Contains(s.conds, i) {
			a.Cond = append(a.Cond, cond)
		} else {
			a.RowFilter = append(a.RowFilter, cond)
		}
	}
	k.estimate(&p)
	return p
}

// keysOf are the keys of a set, which may be those of one inverted index.
func (c *estimator) keysOf(s *keySet) plan.Keys {
	if keys, ok := s.node.(plan.Keys); ok {
		return keys
	}
	scan := s.node.(plan.Scan)
	return plan.Keys{Table: c.scan.Table, Reverse: scan.Access.Reverse, Of: []plan.Node{s.node}}
}

// estimateKeys says what a path by keys reads: that of all sets, and the rows.
func (c *estimator) estimateKeys(p *path) {
	s := p.keys.knowing(c, p.access.Reverse)
	keys := c.keysOf(&s)
	p.keys, p.access.Keys, p.access.Estimate = &s, &keys, s.reads
	e := &p.access.Estimate
	e.Price = s.price
	e.Lookups = s.keys
	e.Matches = math.Min(s.keys, math.Max(c.matches(), math.Min(s.keys, 1)))
	if c.store.Units {
		e.Each = store.ReadUnits(c.scan.Table.EntryBytes(nil))
	}
	cost.ChargeLookups(e)
}
