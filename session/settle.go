package session

import (
	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/planner/explain"
	"zproxy/planner/plan"
)

// A plan is kept from one run of a statement to the next, with other parameters. Which path reads
// least may depend on them, so that is settled each time when a run begins.

// forceGeneric is the plan_cache_mode in which parameters make no difference.
const forceGeneric = "force_generic_plan"

// settles says whether the plan of a statement may be another one for other values.
func (s *Session) settles(st *Statement) bool { return st.settle.Chooses() && s.goesByValues(st) }

// goesByValues says whether the values of its parameters may make a difference for the plan of a statement.
func (s *Session) goesByValues(st *Statement) bool {
	return len(st.Params) == 0 || !s.settings.genericPlans
}

// planFor is the plan of a statement for the values that are known when it begins to run.
func (s *Session) planFor(st *Statement, known *expr.Context) plan.Node {
	if !s.settles(st) {
		return st.plan
	}
	return st.settle.Run(known)
}

// priced is a plan with prices by the values that are known.
func (s *Session) priced(st *Statement, settle *optimizer.Settler, n plan.Node, known *expr.Context) plan.Node {
	if settle == nil {
		return n
	}
	return settle.Priced(known, s.goesByValues(st))
}

// shown is that plan as EXPLAIN tells of it.
func (s *Session) shown(st *Statement, x *explain.Options) plan.Node {
	if !s.settles(st) {
		return st.plan
	}
	return st.settle.Shown(x.Values)
}
