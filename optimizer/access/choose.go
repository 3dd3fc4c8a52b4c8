// Package access turns a predicate and the layouts of a table into an access path, by which its rows are read: the
// longest matching prefix of an index, or a Z-order box, with the conditions that remain to be checked. How values
// become bytes is not known here. Read Choose first.
package access

import (
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Store is what the choice needs to know of the store.
type Store struct {
	OrderedPartitions bool    // an interval of a partition column is one range
	Units             bool    // reads are charged in units
	Repriced          bool    // estimates are wanted for the values of each run, also of the only path that there is
	Requests          bool    // a range, and a jump inside one, is a request that is waited for
	RangePrice        float64 // what one costs, in rows read
	Loose             bool    // entries of indexes that are Loose may be ahead of rows
	NoSnapshots       bool    // what is read one after the other may be of different states
	Latest            bool    // no index is read that may lack the last commits
	Sparing           bool    // reading all of a large table is to be avoided, whatever else costs
}

// StoreOf is what the choice needs to know of a store with some capabilities.
func StoreOf(c store.Capabilities) Store {
	return Store{
		OrderedPartitions: c.OrderedPartitions, Units: c.Units, Requests: c.RangeRequests, RangePrice: c.RangePrice,
		Loose: c.Loose, NoSnapshots: !c.Snapshots, Repriced: c.Units,
	}
}

// Off turns families of paths off: for tests that compare answers with and without, and
// where one is of no use.
type Off struct {
	Prefix bool // every scan is a full scan, or a box
	ZOrder bool
	Either bool // no OR is read by its alternatives
	Merge  bool // no keys of several indexes are merged
	Skip   bool // no keys are skipped for what is known of columns behind a prefix
	Each   bool // no prefix is left when its first entries are read
}

// chooser is one choice.
type chooser struct {
	estimator
	notices  []string
	removed  []plan.Candidate // indexes that cannot serve the scan
	keysOnly bool             // only the keys of rows are wanted, whose conditions are checked later
	final    bool             // the path is for the values that are known, and no others
}

func newChooser(s plan.Scan, on Store, ctx *expr.Context) *chooser {
	return &chooser{estimator: estimator{conditions: conditionsOf(s), store: on, ctx: ctx, memo: &memo{}}}
}

// under is a choice for the same scan under other conditions.
func (c *chooser) under(filter []expr.Expr) *chooser {
	one, scan := *c, c.scan
	scan.Filter = filter
	one.conditions, one.memo = conditionsOf(scan), &memo{}
	return &one
}

// Choose finds the path by which a scan reads its table. Every path is one that misses
// no row; the rules only rank them.
func Choose(s plan.Scan, on Store, off Off, env *types.Env) plan.Access {
	return Given(s, on, off, expr.Beforehand(env))
}

// Given is Choose by what values are thought to be. The path is right for others, too.
func Given(s plan.Scan, on Store, off Off, values *expr.Context) plan.Access {
	c := newChooser(s, on, values)
	best := c.rankedPaths(off)
	a := c.chosen(best, true)
	a.Rechosen = c.contest(best) != nil
	a.Repriced = !a.Rechosen && c.again(best[0]) != nil
	return a
}

// rankedPaths are all paths that can serve the scan, the best first.
func (c *chooser) rankedPaths(off Off) []*path {
	var paths []path
	for _, x := range c.inKeyOrder() {
		if x == nil || !off.Prefix {
			paths = append(paths, c.prefixes(x, off)...)
		}
	}
	if !off.ZOrder {
		paths = append(paths, c.boxes(fewestSides(paths), off)...)
	}
	paths = append(paths, c.merges(paths, off)...)
	c.follow(paths)
	return c.ranking().ranked(paths)
}

// inKeyOrder are the indexes in the order of a key that have all rows that the scan wants and may be read, behind nil
// for the table itself.
func (c *chooser) inKeyOrder() []*catalog.Index {
	out := []*catalog.Index{nil}
	for i := range c.scan.Table.Indexes {
		if x := &c.scan.Table.Indexes[i]; x.Method == catalog.BTree && c.readable(x) && c.holdsAll(x) {
			out = append(out, x)
		}
	}
	return out
}

func (c *chooser) ranking() ranking { return ranking{&c.scan, c.store.Sparing} }

// readable says whether queries may read an index. One that is not is no candidate.
func (c *chooser) readable(x *catalog.Index) bool {
	verdict := ""
	switch {
	case !x.State.Reads():
		verdict = "is not readable: " + x.State.String()
	case x.Follows && (c.store.Latest || c.scan.Write):
		verdict = "may lack the last commits, which the statement must see"
	default:
		return true
	}
	c.removed = append(c.removed, plan.Candidate{Path: x.Name, Removed: true, Verdict: verdict})
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
		if !off.Skip {
			c.skip(&p)
		}
	}
	c.finish(&p)
	c.estimate(&p)
	if !off.Each {
		c.firstOfEach(&p)
	}
	return p
}

// cost is what a path reads, in rows.
func (p *path) cost() float64 { return cost.Rows(p.access.Estimate) }

// follow notes of each path whether a hint asks for it, or against it.
func (c *chooser) follow(paths []path) {
	if len(c.scan.Hints) == 0 {
		return
	}
	h := c.hints()
	hinted := h.preferences(paths)
	c.notices = append(c.notices, h.notices...)
	for i := range paths {
		paths[i].hint = hinted[paths[i].name()]
	}
}

func rows(n float64) string { return fmt.Sprintf("%.0f", n) }
