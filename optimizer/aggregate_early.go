package optimizer

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/optimizer/joinorder"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
)

// aggregateEarly computes aggregates of the rows of one table before they are joined, for groups of those columns that
// are needed later, where this leaves fewer rows to join. What comes of the groups is put together above the joins.
//
//	Aggregate by z: sum(b)               Aggregate by z: sum(sum)
//	└─ Join (a = x)                  →   └─ Join (a = x)
//	   ├─ Scan t reads=a,b                  ├─ Aggregate by a: sum(b)
//	   └─ Scan u reads=x,z                  │  └─ Scan t reads=a,b
//	                                        └─ Scan u reads=x,z
//
// A row of a group has the partners that the group has, so that they are counted as often. It must not fire where an
// argument is computed, which may fail for rows without partners; nor with sums of floats, which depend on the order of
// their values; nor where a column that is needed later has equal values that differ. Groups that a LIMIT ends stay as
// they are, and so do rows that may be read in one scan with those of another table. The rewrite is the eager group-by
// of Yan and Larson, "Eager aggregation and lazy aggregation" (1995).
var aggregateEarly = Rule{"AggregateEarly", func(o *Options, n plan.Node) (plan.Node, bool) {
	costs := earlier{o}
	a, ok := n.(plan.Aggregate)
	if !ok || o.hinted || len(a.Calls) == 0 || costs.fewGroups(a) {
		return n, false
	}
	joins, ok := overJoins(&a)
	if !ok {
		return n, false
	}
	s := &joinSet{}
	t, ok := s.tree(joins)
	if !ok || o.anyShare(s.inputs) {
		return n, false
	}
	best := costs.fewest(&early{joinSet: s, joinTree: t, above: a})
	if best == nil {
		return n, false
	}
	after := best.aggregate()
	early := costs.formed(best.groups) + costs.joined(after.Input.(plan.Join))
	listed, single := best.listed(after)
	if !single {
		early += costs.grouped(after)
	}
	switch {
	case early >= worthIt*(costs.joined(joins)+costs.grouped(a)):
		return n, false
	case single:
		return listed, true
	}
	return after, true
}}

const (
	// mostGroups is how many groups there may be for each row that they are made of.
	mostGroups = 0.5
	// quickly is how many inputs are ordered once more in no time. For more of them there must be many rows.
	quickly  = 4
	manyRows = 10_000
)

// earlier weighs groups before joins.
type earlier struct{ *Options }

// fewGroups says whether only some of the groups are wanted, which may come in their order.
func (o earlier) fewGroups(a plan.Aggregate) bool {
	if _, limited := o.limitAbove(); limited {
		return true
	}
	wanted := wantedAbove(o.above)
	if wanted.limit == nil {
		return false
	}
	first, ok := wanted.keys[0].Expr.(expr.Column)
	return ok && first.Index < len(a.Groups)
}

// fewest forms groups of the input that has the fewest for each of its rows; nil: none has few.
func (o earlier) fewest(joins *early) (best *early) {
	least := mostGroups
	for input, n := range joins.inputs {
		scan, ok := n.(plan.Scan)
		if !ok || !scan.Table.Stats.Known || readWithAny(scan, joins.inputs) ||
			len(joins.slots[input]) > 0 {
			continue
		}
		e := *joins
		e.input = input
		rows := o.rows(scan)
		if len(e.inputs) > quickly && rows < manyRows || !e.prepare() {
			continue
		}
		if share := o.rows(e.groups) / rows; share < least {
			best, least = &e, share
		}
	}
	return best
}

// readWithAny says whether the rows of a table lie among those of another one, so that one scan may read both.
func readWithAny(scan plan.Scan, inputs []plan.Node) bool {
	return slices.ContainsFunc(inputs, func(n plan.Node) bool {
		other, ok := n.(plan.Scan)
		return ok && behindEachOther(scan, other)
	})
}

// overJoins puts select lists between an Aggregate and joins into the Aggregate, and gives the joins.
func overJoins(a *plan.Aggregate) (joins plan.Join, ok bool) {
	for {
		switch in := a.Input.(type) {
		case plan.Join:
			return in, orderable(in)
		case plan.Project:
			if slices.ContainsFunc(in.Exprs, volatile) || slices.ContainsFunc(in.Exprs, holdsSubquery) {
				return joins, false
			}
			*a = ofExprs(*a, func(e expr.Expr) expr.Expr { return substitute(e, in.Exprs) })
			a.Input = in.Input
		default:
			return joins, false
		}
	}
}

// ofExprs is an Aggregate of other expressions.
func ofExprs(a plan.Aggregate, other func(expr.Expr) expr.Expr) plan.Aggregate {
	out, _ := plan.MapExprs(a, func(e expr.Expr) (expr.Expr, bool) { return other(e), true })
	return out.(plan.Aggregate)
}

// joined is what joins cost, but for what inputs do that are no scans.
func (o earlier) joined(joins plan.Join) float64 {
	s := &joinSet{}
	t, _ := s.tree(joins)
	s.equate(t.Tree)
	best, cost := joinorder.Search(t.Tree, newJoinModel(o.Options, s))
	if best != nil {
		cost = math.Min(cost, best.Cost)
	}
	return cost
}

// grouped is what it costs to form groups.
func (o earlier) grouped(a plan.Aggregate) float64 {
	return price.Grouped(o.rows(a.Input), o.rows(a), len(a.Calls))
}

// formed is what it costs to read a table and to form groups of its rows.
func (o earlier) formed(groups plan.Aggregate) float64 {
	return cost.Path(o.scanned(groups.Input.(plan.Scan))) + o.grouped(groups)
}
