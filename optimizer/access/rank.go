package access

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// ranking holds the paths of a scan against each other.
type ranking struct {
	scan    *plan.Scan
	sparing bool // reading all of a table is to be avoided at any cost
}

// ranked puts the best path first. The best prefix is found by rule and only then held against
// the best box or merge by cost: mixed, the two orders would make circles.
func (c ranking) ranked(paths []path) []*path {
	out := make([]*path, len(paths))
	for i := range paths {
		out[i] = &paths[i]
	}
	slices.SortStableFunc(out, func(a, b *path) int {
		if a.byCost() != b.byCost() {
			return before(b.byCost(), a.byCost())
		}
		order, _ := c.compare(a, b)
		return order
	})
	if i := slices.IndexFunc(out, func(p *path) bool { return p.byCost() }); i > 0 {
		if order, _ := c.compare(out[0], out[i]); order > 0 {
			toFront(out, i)
		}
	}
	if i := slices.IndexFunc(out, func(p *path) bool { return !p.access.Lookup }); i > 0 && c.dear(out[0], out[i]) {
		toFront(out, i)
	}
	return out
}

// toFront puts one of some paths before the others, which stay in their order.
func toFront(paths []*path, i int) {
	best := paths[i]
	copy(paths[1:i+1], paths[:i])
	paths[0] = best
}

// comparable is how many times as much a path may cost as another one that a rule puts behind it.
const comparable = 2

// dear says whether a path that is first by the rules costs far more than another one without lookups, as of a prefix
// that keeps nearly all rows. Where the first rows in an order are all that is wanted, it ends early. A table of which
// little is read may have grown since.
func (c ranking) dear(p, other *path) bool {
	if !p.access.Lookup || p.hint != 0 || p.unique || c.scan.Few || !c.scan.Table.Stats.Known ||
		c.sparing && other.readsAll() {
		return false
	}
	price := cost.Path(p.access.Estimate)
	return price > worthAsking && price > comparable*cost.Path(other.access.Estimate)
}

// readsAll says whether no condition keeps a path from any part of its layout.
func (p *path) readsAll() bool {
	return !p.byCost() && p.equal == 0 && !p.ranged && p.access.Skip == 0 && !p.access.Partial()
}

// candidates tells of paths that were ranked: which was chosen, and of the others which rule put
// them behind.
func (c ranking) candidates(ranked []*path) []plan.Candidate {
	all := make([]plan.Candidate, len(ranked))
	prefix := ranked[slices.IndexFunc(ranked, func(p *path) bool { return !p.byCost() })]
	for i, p := range ranked {
		verdict := "chosen"
		switch {
		case i > 1 && !p.byCost():
			verdict = c.behind(prefix, p)
		case i > 0:
			verdict = c.behind(ranked[0], p)
		}
		all[i] = plan.Candidate{
			Path: p.name(), Equal: p.equal, Range: p.ranged, Covers: !p.access.Lookup, Ordered: p.access.Ordered,
			Estimate: p.access.Estimate, Cost: p.cost(), Verdict: verdict,
		}
		if p.held {
			all[i].Note = "entries may be ahead of rows, so rows are looked up"
		}
	}
	return all
}

// behind names what ranks a path before another one: the first of the rules, unless they say otherwise.
func (c ranking) behind(first, p *path) string {
	order, r := c.compare(first, p)
	if order > 0 {
		r = rule{costs: [2]float64{cost.Path(first.access.Estimate), cost.Path(p.access.Estimate)}}
		return "lookups, " + r.String()
	}
	return r.String()
}

// rule is what ranks one path before another.
type rule struct {
	text  string
	costs [2]float64 // in rows, where they decide
}

// String is how EXPLAIN shows it.
func (r rule) String() string {
	if r.text == "" {
		return fmt.Sprintf("cost in rows: %s against %s", rows(r.costs[0]), rows(r.costs[1]))
	}
	return r.text
}

// compare ranks two paths by the rules, first difference first, and names the rule.
func (c ranking) compare(a, b *path) (int, rule) {
	if a.hint != b.hint {
		return b.hint - a.hint, rule{text: "a hint"}
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
		{before(a.readsFirstOfEach(), b.readsFirstOfEach()), "the first entries of each prefix"},
		{c.compareSparse(a, b), "few of all entries, in a partial index or by skipping"},
		{before(!a.access.Lookup, !b.access.Lookup), "no lookup"},
		{before(a.access.Partial(), b.access.Partial()), "a partial index, which holds fewer rows"},
		{before(a.index == nil, b.index == nil), "the table itself, where an index is no better"},
		{a.parts - b.parts, "fewer key columns"},
		{strings.Compare(a.name(), b.name()), "name"},
	}
	for _, f := range flags {
		if f.order != 0 {
			return f.order, rule{text: f.rule}
		}
	}
	return 0, rule{}
}

// compareSparse puts first what reads all of a partial index, or skips through all of an index,
// for less than all of the table would take, and of several the cheapest. It tells only paths
// apart that bind nothing of a key.
func (c ranking) compareSparse(a, b *path) int {
	sparse := func(p *path) bool {
		return (p.access.Partial() || p.access.Skip > 0) && p.equal == 0 && !p.ranged &&
			p.cost() < c.scan.Table.RowCount()
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
func (c ranking) compareCosts(a, b *path) (int, rule) {
	if a.access.Keys != nil || b.access.Keys != nil {
		if order := before(a.unique, b.unique); order != 0 {
			return order, rule{text: "a unique key bound by equality"}
		}
		if order := before(c.firstInOrder(a), c.firstInOrder(b)); order != 0 {
			return order, rule{text: "the ORDER BY asked for under a LIMIT"}
		}
	}
	if order := compareFloats(a.cost(), b.cost()); order != 0 {
		return order, rule{costs: [2]float64{a.cost(), b.cost()}}
	}
	if order := before(!a.byCost(), !b.byCost()); order != 0 {
		return order, rule{text: "a prefix is taken when the costs are equal"}
	}
	return strings.Compare(a.name(), b.name()), rule{text: "name"}
}

// firstInOrder says whether a path finds the first rows in the order asked for without reading
// all of them, or everything.
func (c ranking) firstInOrder(p *path) bool {
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
