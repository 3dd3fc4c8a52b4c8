package access

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
)

// maxEither is how many alternatives of an OR are read on their own at most.
const maxEither = maxPoints

// either is the path by a layout that reads the alternatives of an OR one by one, which is
// taken where it binds more of the key than what holds for all of them does:
//
//	(a, b) IN ((1, 2), (3, 4))    a = 1 AND b = 2 OR a = 3 AND b = 4    a < 3 OR a > 9
//
// Spans of alternatives may hold the same rows and are joined. Every condition stays to be
// checked, since a span does not say which alternative it is of.
func (c *chooser) either(x *catalog.Index, all path) (path, bool) {
	best, found := path{}, false
	for i, cond := range c.scan.Filter {
		or, ok := cond.(expr.Logic)
		if !ok || !or.Or || len(or.Args) > maxEither {
			continue
		}
		if p, ok := c.alternatives(x, i, or.Args); ok && (!found || better(&p, &best)) {
			best, found = p, true
		}
	}
	return best, found && better(&best, &all)
}

// better says whether a path binds more of its key than another one of the same index.
func better(p, q *path) bool {
	return p.equal > q.equal || p.equal == q.equal && p.ranged && !q.ranged
}

// alternatives walks a layout once for each alternative of condition i. It says false where
// one of them is no reason to take it.
func (c *chooser) alternatives(x *catalog.Index, i int, args []expr.Expr) (path, bool) {
	out := path{index: x, parts: len(layoutOf(c.scan.Table, x).Columns()), equal: math.MaxInt, either: i}
	out.access.Index = x
	rows, spans := 0.0, 0.0
	for _, arg := range args {
		one := *c
		one.scan.Filter = expr.Conjuncts(arg)
		added := constrain(one.scan)
		for j := range added {
			added[j].cond, added[j].exact = i, false
		}
		one.scan.Filter = c.scan.Filter
		one.constraints = append(slices.Clip(c.constraints), added...)
		p := path{index: x}
		one.matchPrefix(&p)
		p.countOut()
		if p.access.Parts == 0 || spans > maxPoints {
			return out, false
		}
		one.estimatePrefix(&p)
		rows, spans = rows+p.access.Estimate.Rows, spans+p.access.Estimate.Spans
		out.equal, out.ranged = min(out.equal, p.equal), out.ranged || p.ranged
		a := &p.access
		out.access.Parts = max(out.access.Parts, a.Parts)
		out.access.Either = append(out.access.Either, plan.Alternative{Bounds: a.Bounds, Parts: a.Parts, Counted: a.Counted, Tuple: a.Tuple})
	}
	c.finish(&out)
	e := &out.access.Estimate
	e.Rows, e.Spans, e.Requests = math.Min(rows, c.scan.Table.RowCount()), spans, spans
	c.estimateRest(&out)
	return out, true
}
