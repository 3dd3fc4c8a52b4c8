package optimizer

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// unnestAggregate computes the aggregates of a correlated subquery for all groups at once, where that reads less than
// to run it for each row outside.
//
//	Filter (a < SubPlan 1)                Project a, b
//	└─ Scan t                             └─ Filter (a < avg)
//	SubPlan 1 $0=b                   →       └─ Left Join on (b = k)
//	└─ Aggregate avg(x)                         ├─ Scan t
//	   └─ Filter (k = $0)                       └─ Aggregate by k: avg(x)
//	      └─ Scan u                                └─ Scan u
//
// A row outside without a group has what the aggregates are of no rows: NULL, or 0 for a count. What is computed of the
// aggregates is computed for the rows outside, as before. It must not fire where anything but equalities correlates the
// subquery, nor where an argument of an aggregate is computed, which may fail for rows that no row outside asks for.
// The rewrite is that of Kim, "On optimizing an SQL-like nested query" (1982), with the outer join of Ganski and Wong,
// "Optimization of nested SQL queries revisited" (1987).
var unnestAggregate = Rule{"UnnestAggregate", func(o *Options, n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Filter:
		conds := expr.Conjuncts(n.Cond)
		for i, c := range conds {
			rest := filtered(n.Input, slices.Delete(slices.Clone(conds), i, i+1))
			g, ok := o.groupedIn(c, rest)
			if !ok {
				continue
			}
			joined := g.join(n.Input)
			return picked(plan.Filter{Input: joined, Cond: g.replaced(n.Cond)}, n.Input.Columns(),
				func(i int) int { return i }), true
		}
	case plan.Project:
		for _, e := range n.Exprs {
			if g, ok := o.groupedIn(e, n.Input); ok {
				n.Input, n.Exprs = g.join(n.Input), slices.Clone(n.Exprs)
				for i, e := range n.Exprs {
					n.Exprs[i] = g.replaced(e)
				}
				return n, true
			}
		}
	}
	return n, false
}}

// grouped is a subquery whose aggregates are computed for all groups.
type grouped struct {
	subquery expr.Subquery
	value    expr.Expr // of the aggregates
	input    plan.Node
	keys     []plan.JoinKey // of a row outside and of the input
	calls    plan.Aggregate
	empty    []types.Value // of each call: what it is of no rows
}

// groupedIn finds a subquery in an expression over rows outside that is better computed for all groups.
func (o *Options) groupedIn(e expr.Expr, outside plan.Node) (g grouped, ok bool) {
	expr.Any(e, func(x expr.Expr) bool {
		s, is := x.(expr.Subquery)
		if is && !ok {
			g, ok = groupedOf(s, o.estimator().Values)
			ok = ok && o.paysForAll(&g, o.runs(s, outside))
		}
		return ok
	})
	return g, ok
}

// runs is for how many different values from outside a subquery runs.
func (o *Options) runs(s expr.Subquery, outside plan.Node) float64 {
	cols := make([]plan.Column, len(s.Args))
	for i, e := range s.Args {
		cols[i] = plan.Column{Name: e.String(), Type: e.Type()}
	}
	different := o.rows(plan.Distinct{Input: plan.Project{Input: outside, Exprs: s.Args, Cols: cols}})
	return math.Min(different, o.asked(outside))
}

// asked is for how many rows of a node the one above that a rule looks at is computed, which a LIMIT may end.
func (o *Options) asked(n plan.Node) float64 {
	limit, ok := o.limitAbove()
	if !ok {
		return math.Inf(1)
	}
	rows := o.rows(plan.Limit{Input: n, Count: limit.Count})
	if limit.Offset != nil {
		rows += o.rows(plan.Limit{Input: n, Count: limit.Offset})
	}
	return rows
}

// limitAbove is the LIMIT above the node that a rule looks at, with nothing but select lists between.
func (o *Options) limitAbove() (plan.Limit, bool) {
	for _, n := range slices.Backward(o.above) {
		if _, ok := n.(plan.Project); !ok {
			limit, ok := n.(plan.Limit)
			return limit, ok
		}
	}
	return plan.Limit{}, false
}

// paysForAll says whether to compute all groups costs less than so many runs. The least and the greatest value may be
// at an end of an index. Runs that an index serves stay as they are where it is not known how many rows they save.
func (o *Options) paysForAll(g *grouped, runs float64) bool {
	each := o.perRun(g.input, g.keys)
	if each.bound && !counted(g.input) {
		return false
	}
	if each.bound && !slices.ContainsFunc(g.calls.Calls,
		func(c plan.AggregateCall) bool { return c.Fn.Name != "min" && c.Fn.Name != "max" }) {
		each.price = math.Min(each.price, cost.RangeRows*float64(len(g.calls.Calls)))
	}
	return runs*each.price > o.perRun(g.input, nil).price
}

// counted says whether statistics tell how many rows each table of a plan has.
func counted(n plan.Node) bool {
	if s, ok := n.(plan.Scan); ok {
		return s.Table.Stats.Known
	}
	return !slices.ContainsFunc(n.Inputs(), func(in plan.Node) bool { return !counted(in) })
}

// groupedOf takes a subquery apart; it is not ok if that is not possible.
func groupedOf(s expr.Subquery, known *expr.Context) (g grouped, ok bool) {
	if s.Kind != expr.ScalarSubquery || !readsRow(s) {
		return g, false
	}
	g.subquery, g.value = s, expr.Column{Index: 0}
	n := s.Plan.(plan.Sub).Node
	if p, isProject := n.(plan.Project); isProject {
		g.value, n = p.Exprs[0], p.Input
	}
	if g.calls, ok = n.(plan.Aggregate); !ok || len(g.calls.Groups) > 0 || !readsPlainly(g.calls.Calls) {
		return g, false
	}
	if g.empty, ok = ofNoRows(g.calls.Calls, known); !ok {
		return g, false
	}
	values := argsOf(s)
	if g.input, g.keys, ok = correlated(g.calls.Input, values); !ok ||
		readsAny(g.value, values) || volatile(g.value) || holdsSubquery(g.value) {
		return g, false
	}
	return g, true
}

// readsPlainly says whether aggregates are over columns and constants, in any order.
func readsPlainly(calls []plan.AggregateCall) bool {
	return !slices.ContainsFunc(calls, func(c plan.AggregateCall) bool {
		return c.Order != nil || c.Filter != nil || slices.ContainsFunc(c.Args, func(e expr.Expr) bool {
			_, column := e.(expr.Column)
			return !column && notConstant(e)
		})
	})
}

// ofNoRows is what aggregates are of no rows; it is not ok if one of them does not say so.
func ofNoRows(calls []plan.AggregateCall, known *expr.Context) (out []types.Value, ok bool) {
	for _, c := range calls {
		args := make([]types.T, len(c.Args))
		for i, e := range c.Args {
			args[i] = e.Type()
		}
		v, err := c.Fn.New(args).Result(known)
		if err != nil {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// readsRow says whether a subquery, which is not optimized yet, reads the row outside and no row further out.
func readsRow(s expr.Subquery) bool {
	sub, ok := s.Plan.(plan.Sub)
	return ok && !sub.Optimized && len(s.Slots) > 0 && len(s.Depends) <= len(s.Slots) &&
		!slices.ContainsFunc(s.Args, func(e expr.Expr) bool { return volatile(e) || holdsSubquery(e) })
}

// argsOf are the values of the row outside that a subquery reads, by slots.
func argsOf(s expr.Subquery) map[int]expr.Expr {
	values := map[int]expr.Expr{}
	for i, slot := range s.Slots {
		values[slot] = s.Args[i]
	}
	return values
}

// correlated takes the plan of a subquery into one that reads nothing of the row outside, and the equalities with
// values of that row by which it finds its rows; it is not ok if there is something else.
func correlated(n plan.Node, values map[int]expr.Expr) (inner plan.Node, keys []plan.JoinKey, ok bool) {
	inner, pulled, ok := pull(n, values)
	if !ok {
		return nil, nil, false
	}
	for slot := range values {
		if readsSlot(inner, slot) {
			return nil, nil, false
		}
	}
	for _, c := range pulled {
		k, ok := correlation(c, values)
		if !ok {
			return nil, nil, false
		}
		keys = append(keys, k)
	}
	return inner, keys, true
}

// correlation reads the equality of a value of the subquery with one of the row outside.
func correlation(cond expr.Expr, values map[int]expr.Expr) (k plan.JoinKey, ok bool) {
	e, ok := cond.(expr.Compare)
	if !ok || e.Op != expr.EQ {
		return k, false
	}
	inner, outer := e.Left, e.Right
	if readsAny(inner, values) {
		inner, outer = outer, inner
	}
	slot, ok := outer.(expr.Outer)
	column, isColumn := inner.(expr.Column)
	return plan.JoinKey{Left: values[slot.Slot], Right: column}, ok && isColumn
}

// join joins rows outside with their groups.
func (g *grouped) join(outside plan.Node) plan.Node {
	width := plan.Width(outside)
	groups := plan.Aggregate{Input: g.input, Calls: g.calls.Calls}
	var on []expr.Expr
	for i, k := range g.keys {
		c := k.Right.(expr.Column)
		groups.Groups, groups.Cols = append(groups.Groups, c), append(groups.Cols, plan.Column{Name: c.Name, Type: c.T})
		group := expr.Column{Index: width + i, Name: c.Name, T: c.T}
		on = append(on, expr.Compare{Op: expr.EQ, Left: k.Left, Right: group})
	}
	groups.Cols = append(groups.Cols, g.calls.Cols...)
	g.value = substitute(g.value, g.aggregates(width, groups.Cols))
	return plan.Join{Kind: plan.LeftJoin, Left: outside, Right: groups, On: expr.Conjoin(on)}
}

// aggregates are the values of the calls in a row of the join, whose groups have columns behind those of the row
// outside.
func (g *grouped) aggregates(width int, cols []plan.Column) (out []expr.Expr) {
	column := func(i int) expr.Expr { return expr.Column{Index: width + i, Name: cols[i].Name, T: cols[i].Type} }
	for i, c := range g.calls.Calls {
		e := column(len(g.keys) + i)
		if !g.empty[i].IsNull() {
			none := expr.When{Cond: expr.IsNull{Arg: column(0)}, Result: expr.Const{Value: g.empty[i], T: c.Type}}
			e = expr.Case{Whens: []expr.When{none}, Else: e, T: c.Type}
		}
		out = append(out, e)
	}
	return out
}

// replaced has the value of the subquery in its place.
func (g *grouped) replaced(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if s, ok := x.(expr.Subquery); ok && s.Number == g.subquery.Number {
			return g.value
		}
		return x
	})
}
