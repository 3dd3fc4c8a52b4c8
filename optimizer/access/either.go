package access

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
)

// either is the path by a layout that reads the alternatives of an OR one by one, which is
// taken where it binds more of the key than what holds for all of them does:
//
//	(a, b) IN ((1, 2), (3, 4))    a = 1 AND b = 2 OR a = 3 AND b = 4    a < 3 OR a > 9
//
// Spans of alternatives may hold the same rows and are joined. A span does not say which
// alternative it is of, so the whole OR stays to be checked unless spans decide all of them.
func (c *chooser) either(x *catalog.Index, all path) (path, bool) {
	best, found := path{}, false
	for i, cond := range c.scan.Filter {
		or, ok := cond.(expr.Logic)
		if !ok || !or.Or || lives(c.scan, cond) {
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
// one of them is no reason to take it, or where the spans are many more than alternatives.
func (c *chooser) alternatives(x *catalog.Index, i int, args []expr.Expr) (path, bool) {
	out := path{index: x, parts: len(layoutOf(c.scan.Table, x).Columns()), equal: math.MaxInt,
		or: or{cond: i, decided: true}}
	out.access.Index = x
	spans := 0.0
	for _, arg := range args {
		one, p, decided := c.alternative(x, arg)
		if p.access.Parts == 0 || p.weak {
			return out, false
		}
		if spans += float64(one.spans(p.walked())); spans > float64(max(maxPoints, len(args))) {
			return out, false
		}
		out.or.sides = append(out.or.sides, alternative{&one.estimator, p})
		out.equal, out.ranged, out.or.decided = min(out.equal, p.equal), out.ranged || p.ranged,
			out.or.decided && decided
		a := &p.access
		out.access.Parts = max(out.access.Parts, a.Parts)
		out.access.Either = append(out.access.Either, a.Side)
	}
	c.finish(&out)
	c.estimate(&out)
	return out, true
}

// or is a condition whose alternatives are read one by one.
type or struct {
	cond    int  // its place in Scan.Filter
	decided bool // what is read of each side decides it
	sides   []alternative
}

// alternative is one side of an OR as a path of its own, and what estimates it.
type alternative struct {
	by   *estimator
	path path
}

// estimateEither says what a path by alternatives reads: what each of them does.
func (c *estimator) estimateEither(p *path) {
	rows, spans := 0.0, 0.0
	for _, alt := range p.or.sides {
		alt.by.knowing(c.ctx).estimate(&alt.path)
		rows, spans = rows+alt.path.access.Estimate.Rows, spans+alt.path.access.Estimate.Spans
	}
	e := &p.access.Estimate
	e.Rows, e.Spans, e.Ranges = math.Min(rows, c.scan.Table.RowCount()), spans, spans
	c.estimateRest(p)
}

// alternative walks a layout as if one alternative of an OR were a condition, too. It says
// whether the spans decide the alternative.
func (c *chooser) alternative(x *catalog.Index, arg expr.Expr) (*chooser, path, bool) {
	one := c.under(append(slices.Clip(c.scan.Filter), expr.Conjuncts(arg)...))
	p := path{index: x}
	one.matchPrefix(&p)
	p.countOut()
	for i := len(c.scan.Filter); i < len(one.scan.Filter); i++ {
		if _, decided := one.decided(i, &p); !decided {
			return one, p, false
		}
	}
	return one, p, true
}
