package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/types"
)

// PlanChooser makes of a plan the one for the values that its conditions waited for: it chooses the paths of
// the scans that do, each time for other values.
//
//	Limit 10                                Limit 10
//	└─ Sort a                           →   └─ Index Scan using t_a on t most=10
//	   └─ Z-Order Scan using t_z on t
//
// The rules that follow the choice of paths run for what is above such a scan. The joins stay as they
// are: a scan whose path they rely on waits for nothing. The plan has what is to be decided; the
// contests are made of it once and serve every run.
type PlanChooser struct {
	plan     plan.Node
	options  *Options
	contests map[*plan.Access]*access.Contest
	waits    bool // not only for prices
	prunes   bool // inputs of an Append may be left out
	deep     bool // scans of subqueries wait, too
}

// NewPlanChooser is nil when nothing of an optimized plan waits for values.
func NewPlanChooser(n plan.Node, o *Options) *PlanChooser {
	env := &types.Env{} // not that of the session, which plans may outlive
	if o.Env != nil {
		*env = o.Env.Format()
	}
	s := &PlanChooser{plan: n, options: &Options{Off: o.Off, Env: env}, contests: map[*plan.Access]*access.Contest{}}
	for _, scan := range plan.Scans(n) {
		if scan.Access.Rechosen || scan.Access.Repriced {
			s.contests[scan.Access] = access.Waiting(scan, o.Store, o.Paths, o.Env)
			s.waits = s.waits || scan.Access.Rechosen
		}
	}
	leaves := !slices.Contains(o.Off, leaveOutScan.Name)
	below := leaves && prunesBelow(n)
	if s.prunes = below || leaves && prunes(n); !s.prunes && len(s.contests) == 0 {
		return nil
	}
	s.waits = s.waits || s.prunes
	s.deep = below ||
		slices.ContainsFunc(subqueryScans(n), func(scan plan.Scan) bool { return s.contests[scan.Access] != nil })
	return s
}

// Chooses says whether the plan may be another one for other values.
func (s *PlanChooser) Chooses() bool { return s != nil && s.waits }

// Run is the plan that is to run for some values.
func (s *PlanChooser) Run(known *expr.Context) plan.Node {
	return s.choose(&choice{known: known, chooses: true})
}

// Shown is that plan with what only EXPLAIN wants to know.
func (s *PlanChooser) Shown(known *expr.Context) plan.Node {
	return s.choose(&choice{known: known, chooses: true, shown: true})
}

// Priced is the plan, or what Run has made of it, with estimates by the values of scans that have no choice.
func (s *PlanChooser) Priced(n plan.Node, known *expr.Context) plan.Node {
	if s == nil {
		return n
	}
	one := &choice{PlanChooser: s, known: known, prices: true}
	out, _ := one.node(n)
	return out
}

func (s *PlanChooser) choose(one *choice) plan.Node {
	one.PlanChooser = s
	out, _ := one.node(s.plan)
	return out
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

// choice is one choice of the paths of a plan.
type choice struct {
	*PlanChooser
	known    *expr.Context
	chooses  bool
	shown    bool
	prices   bool
	subplans map[int]chosenSub
}

// node chooses a plan from the bottom up. It says false where nothing waited.
func (s *choice) node(n plan.Node) (plan.Node, bool) {
	changed := false
	if scan, ok := n.(plan.Scan); ok {
		n, changed = s.scan(scan)
	} else {
		n, changed = s.inputs(n)
	}
	if a, ok := n.(plan.Append); ok && s.prunes && s.chooses {
		m, c := s.pruned(a)
		n, changed = m, changed || c
	}
	if s.deep {
		m, c := plan.MapExprs(n, s.subqueries)
		if c {
			n, changed = m, true
		}
	}
	return n, changed
}

// scan chooses the path of a scan.
func (s *choice) scan(scan plan.Scan) (plan.Node, bool) {
	switch contest := s.contests[scan.Access]; {
	case contest == nil: // it waits for nothing, or is of what rows are checked for again
		return scan, false
	case scan.Access.Rechosen && s.chooses:
		a := contest.Choose(s.known, s.shown)
		scan.Access = &a
	case scan.Access.Repriced && s.prices:
		a := *scan.Access
		a.Estimate = contest.Choose(s.known, false).Estimate
		scan.Access = &a
	default:
		return scan, false
	}
	return scan, true
}

// inputs chooses what a node reads, and lets it do what it can with that.
func (s *choice) inputs(n plan.Node) (plan.Node, bool) {
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
	for _, r := range []Rule{mergeJoin, groupInOrder, dropSort, pushLimitIntoScan} {
		if !slices.Contains(s.options.Off, r.Name) {
			n, _ = r.Apply(s.options, n)
		}
	}
	return n, true
}

// subqueries chooses the plans of subqueries in an expression, each once.
func (s *choice) subqueries(e expr.Expr) (expr.Expr, bool) {
	changed := false
	out := expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		q, ok := x.(expr.Subquery)
		if !ok {
			return x
		}
		sub, done := s.subplans[q.Number]
		if !done {
			sub.Sub = q.Plan.(plan.Sub)
			sub.Node, sub.changed = s.node(sub.Node)
			if s.subplans == nil {
				s.subplans = map[int]chosenSub{}
			}
			s.subplans[q.Number] = sub
		}
		if sub.changed {
			q.Plan, changed = sub.Sub, true
		}
		return q
	})
	return out, changed
}

// chosenSub is the plan of a subquery, and whether anything of it waited.
type chosenSub struct {
	plan.Sub
	changed bool
}
