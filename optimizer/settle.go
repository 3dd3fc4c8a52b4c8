package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// Settled makes of a plan the one for the values that its conditions waited for, with what only
// EXPLAIN wants to know if it is shown.
type Settled func(known *expr.Context, shown bool) plan.Node

// Settler is nil when nothing of an optimized plan waits for values. Otherwise it chooses the paths of
// the scans that do, each time for other values:
//
//	Limit 10                                Limit 10
//	└─ Sort a                           →   └─ Index Scan using t_a on t most=10
//	   └─ Z-Order Scan using t_z on t
//
// The rules that follow the choice of paths run for what is above such a scan. The joins stay as they
// are: a scan whose path they rely on waits for nothing.
func Settler(n plan.Node, o *Options) Settled {
	waits := func(s plan.Scan) bool { return s.Access.Contest != nil }
	if !slices.ContainsFunc(plan.Scans(n), waits) {
		return nil
	}
	own := &Options{Off: o.Off}
	deep := slices.ContainsFunc(subqueryScans(n), waits)
	return func(known *expr.Context, shown bool) plan.Node {
		s := &settling{options: own, known: known, shown: shown, deep: deep}
		out, _ := s.node(n)
		return out
	}
}

// subqueryScans are the scans of the subqueries in the expressions of a plan.
func subqueryScans(n plan.Node) []plan.Scan {
	var out []plan.Scan
	for _, s := range plan.Subqueries(n) {
		out = append(out, plan.Scans(s.Plan.(plan.Sub).Node)...)
	}
	for _, in := range n.Inputs() {
		out = append(out, subqueryScans(in)...)
	}
	return out
}

// settling is one choice of the paths of a plan.
type settling struct {
	options  *Options
	known    *expr.Context
	shown    bool
	deep     bool // scans of subqueries wait, too
	subplans map[int]plan.Sub
}

// node settles a plan from the bottom up. It says false where nothing waited.
func (s *settling) node(n plan.Node) (plan.Node, bool) {
	changed := false
	if scan, ok := n.(plan.Scan); ok {
		if scan.Access.Contest != nil {
			a := scan.Access.Contest.Settle(s.known, s.shown)
			scan.Access = &a
			n, changed = scan, true
		}
	} else {
		n, changed = s.inputs(n)
	}
	if s.deep {
		m, c := plan.MapExprs(n, s.subqueries)
		if c {
			n, changed = m, true
		}
	}
	return n, changed
}

// inputs settles what a node reads, and lets it do what it can with that.
func (s *settling) inputs(n plan.Node) (plan.Node, bool) {
	in := n.Inputs()
	changed := false
	for i := range in {
		x, c := s.node(in[i])
		if !c {
			continue
		}
		if !changed {
			in, changed = slices.Clone(in), true
		}
		in[i] = x
	}
	if !changed {
		return n, false
	}
	n = n.WithInputs(in)
	for _, r := range []Rule{dropSort, pushLimitIntoScan} {
		if !slices.Contains(s.options.Off, r.Name) {
			n, _ = r.Apply(s.options, n)
		}
	}
	return n, true
}

// subqueries settles the plans of subqueries in an expression, each once.
func (s *settling) subqueries(e expr.Expr) (expr.Expr, bool) {
	changed := false
	out := expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		q, ok := x.(expr.Subquery)
		if !ok {
			return x
		}
		sub, done := s.subplans[q.Number]
		if !done {
			sub = q.Plan.(plan.Sub)
			sub.Node, _ = s.node(sub.Node)
			if s.subplans == nil {
				s.subplans = map[int]plan.Sub{}
			}
			s.subplans[q.Number] = sub
		}
		q.Plan = sub
		changed = true
		return q
	})
	return out, changed
}
