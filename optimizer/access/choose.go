package access

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Store is what the choice needs to know of the store.
type Store struct {
	OrderedPartitions bool // an interval of a partition column is one range
	Units             bool // reads are charged in units
}

// Off turns families of paths off: for tests that compare answers with and without, and
// where one is of no use.
type Off struct {
	Prefix bool // every scan is a full scan, or a box
	ZOrder bool
	Either bool // no OR is read by its alternatives
	Merge  bool // no keys of several indexes are merged
}

// chooser is one choice.
type chooser struct {
	scan        plan.Scan
	store       Store
	constraints []constraint
	ctx         *expr.Context
	notices     []string
	removed     []plan.Candidate // indexes that cannot serve the scan
	filter      []expr.Expr      // the scan's, over the columns of the table; nil: not asked for yet
	memo        *memo
}

func newChooser(s plan.Scan, store Store, ctx *expr.Context) *chooser {
	return &chooser{scan: s, store: store, ctx: ctx, constraints: constrain(s), memo: &memo{}}
}

// under is a choice for the same scan under other conditions.
func (c *chooser) under(filter []expr.Expr) *chooser {
	one := *c
	one.scan.Filter, one.filter, one.memo = filter, nil, &memo{}
	one.constraints = constrain(one.scan)
	return &one
}

// Choose finds the path by which a scan reads its table. Every path is one that misses
// no row; the rules only rank them.
func Choose(s plan.Scan, store Store, off Off, env *types.Env) plan.Access {
	c := newChooser(s, store, &expr.Context{Env: env})
	paths := c.prefixes(nil, off)
	for i := range s.Table.Indexes {
		if x := &s.Table.Indexes[i]; x.Method == catalog.BTree && !off.Prefix && c.readable(x) && c.holdsAll(x) {
			paths = append(paths, c.prefixes(x, off)...)
		}
	}
	if !off.ZOrder {
		paths = append(paths, c.boxes(fewestSides(paths))...)
	}
	best := c.rank(append(paths, c.merges(paths, off)...))
	a := best[0].access
	a.Candidates = append(a.Candidates, c.removed...)
	a.Notices = c.notices
	return a
}

// readable says whether queries may read an index. One that is not is no candidate.
func (c *chooser) readable(x *catalog.Index) bool {
	if x.State.Reads() {
		return true
	}
	c.removed = append(c.removed, plan.Candidate{Path: x.Name, Removed: true, Verdict: "is not readable: " + x.State.String()})
	return false
}

// fewestSides is how many dimensions must be bounded for a Z-order index to compete. With
// one it is no match for an index that begins with that column, but far better than
// reading everything.
func fewestSides(prefixes []path) int {
	if slices.ContainsFunc(prefixes, func(p path) bool { return p.access.Parts > 0 && !p.weak }) {
		return 2
	}
	return 1
}

// prefixes are the paths by a layout: by what holds for all rows that are wanted, or where
// that binds more of the key, by the alternatives of an OR.
func (c *chooser) prefixes(x *catalog.Index, off Off) []path {
	p := c.prefix(x, off)
	if !off.Prefix && !off.Either {
		if q, ok := c.either(x, p); ok {
			return []path{q, p}
		}
	}
	return []path{p}
}

// prefix is the path by the longest prefix of a layout, or through all of it.
func (c *chooser) prefix(x *catalog.Index, off Off) path {
	p := path{index: x, parts: len(layoutOf(c.scan.Table, x).Columns())}
	p.access.Index = x
	if !off.Prefix {
		c.matchPrefix(&p)
		c.order(&p)
		p.countOut()
	}
	c.finish(&p)
	c.estimate(&p)
	return p
}

// rank puts the best path first and says of the others which rule put them behind. The
// best prefix is found by rule and only then held against the best box or merge by cost: mixed,
// the two orders would make circles.
func (c *chooser) rank(paths []path) []path {
	hinted := c.hinted(paths)
	slices.SortStableFunc(paths, func(a, b path) int {
		if a.byCost() != b.byCost() {
			return before(b.byCost(), a.byCost())
		}
		order, _ := c.compare(a, b, hinted)
		return order
	})
	prefix := paths[0]
	if i := slices.IndexFunc(paths, func(p path) bool { return p.byCost() }); i > 0 {
		if order, _ := c.compare(prefix, paths[i], hinted); order > 0 {
			best := paths[i]
			paths = slices.Insert(slices.Delete(paths, i, i+1), 0, best)
		}
	}
	all := make([]plan.Candidate, len(paths))
	for i, p := range paths {
		verdict := "chosen"
		switch {
		case i > 1 && !p.byCost():
			_, verdict = c.compare(prefix, p, hinted)
		case i > 0:
			_, verdict = c.compare(paths[0], p, hinted)
		}
		all[i] = plan.Candidate{
			Path: p.name(), Equal: p.equal, Range: p.ranged, Covers: !p.access.Lookup, Ordered: p.access.Ordered,
			Estimate: p.access.Estimate, Verdict: verdict,
		}
	}
	paths[0].access.Candidates = all
	return paths
}

// compare ranks two paths by the rules, first difference first, and names the rule.
func (c *chooser) compare(a, b path, hinted map[string]int) (int, string) {
	if x, y := hinted[a.name()], hinted[b.name()]; x != y {
		return y - x, "a hint"
	}
	if a.byCost() || b.byCost() {
		return c.compareCosts(a, b)
	}
	flags := []struct {
		order int
		rule  string
	}{
		{before(a.unique, b.unique), "a unique key bound by equality"},
		{b.equal - a.equal, "more equality-bound key columns in a row"},
		{before(a.ranged, b.ranged), "a range on the next key column"},
		{before(c.scan.Few && a.access.Ordered, c.scan.Few && b.access.Ordered), "the ORDER BY asked for under a LIMIT"},
		{c.compareSparse(a, b), "a partial index, which holds few rows"},
		{before(!a.access.Lookup, !b.access.Lookup), "no lookup"},
		{before(a.access.Partial(), b.access.Partial()), "a partial index, which holds fewer rows"},
		{before(a.index == nil, b.index == nil), "the table itself, where an index is no better"},
		{a.parts - b.parts, "fewer key columns"},
		{strings.Compare(a.name(), b.name()), "name"},
	}
	for _, f := range flags {
		if f.order != 0 {
			return f.order, f.rule
		}
	}
	return 0, ""
}

// compareSparse puts first what reads all of a partial index for less than all of the table
// would take, and of several the cheapest. It tells only paths apart that bind nothing of a key.
func (c *chooser) compareSparse(a, b path) int {
	sparse := func(p path) bool {
		return p.access.Partial() && p.equal == 0 && !p.ranged && p.cost() < c.scan.Table.RowCount()
	}
	if sparse(a) && sparse(b) {
		return compareFloats(a.cost(), b.cost())
	}
	return before(sparse(a), sparse(b))
}

func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compareCosts ranks two paths of which one at least is a box or a merge. A merge that does not
// bring the order asked for under a LIMIT reads all that it can find, so a path that does goes
// first if it need not read everything either.
func (c *chooser) compareCosts(a, b path) (int, string) {
	if a.access.Keys != nil || b.access.Keys != nil {
		if order := before(a.unique, b.unique); order != 0 {
			return order, "a unique key bound by equality"
		}
		if order := before(c.firstInOrder(a), c.firstInOrder(b)); order != 0 {
			return order, "the ORDER BY asked for under a LIMIT"
		}
	}
	if order := compareFloats(a.cost(), b.cost()); order != 0 {
		return order, fmt.Sprintf("cost in rows: %s against %s", rows(a.cost()), rows(b.cost()))
	}
	if order := before(!a.byCost(), !b.byCost()); order != 0 {
		return order, "a prefix is taken when the costs are equal"
	}
	return strings.Compare(a.name(), b.name()), "name"
}

// firstInOrder says whether a path finds the first rows in the order asked for without reading
// all of them, or everything.
func (c *chooser) firstInOrder(p path) bool {
	return c.scan.Few && p.access.Ordered && (p.equal > 0 || p.ranged || p.access.Keys != nil)
}

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// lookupRows is what fetching a table row costs, in entries read in order: measured at
// 30 to 100 on the embedded store.
const lookupRows = 30

// cost is what a path reads, in rows: entries, lookups, and for a box what it examines
// outside of it.
func (p *path) cost() float64 {
	e := p.access.Estimate
	reads := e.Rows
	switch {
	case p.access.Box:
		reads = e.ZOrder.Cost
	case p.access.Keys != nil:
		reads = p.keys.price
	}
	return reads + lookupRows*e.Lookups
}

// hinted says of each path whether a hint asks for it (1), against it (-1), or neither.
func (c *chooser) hinted(paths []path) map[string]int {
	out := map[string]int{}
	for _, h := range c.scan.Hints {
		if h.Merge {
			c.hintedMerge(h, paths, out)
			continue
		}
		for _, name := range h.Indexes {
			i := slices.IndexFunc(paths, func(p path) bool { return strings.EqualFold(p.name(), name) })
			switch {
			case strings.EqualFold(name, "primary"):
				i = 0
			case i < 0 && c.scan.Table.Index(name) == nil:
				c.notices = append(c.notices, fmt.Sprintf("hint ignored: table %q has no index %q", c.scan.Table.Name, name))
				continue
			case i < 0 && h.Forbid:
				continue // it is no candidate anyway
			case i < 0:
				c.notices = append(c.notices, fmt.Sprintf("hint ignored: index %q cannot serve this query", name))
				continue
			}
			if h.Forbid {
				out[paths[i].name()] = -1
			} else {
				out[paths[i].name()] = 1
			}
		}
	}
	return out
}

func rows(n float64) string { return fmt.Sprintf("%.0f", n) }
