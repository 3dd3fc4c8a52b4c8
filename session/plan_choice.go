package session

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/session/settings"
)

// A plan is kept from one run of a statement to the next, with other parameters. Which path reads
// least may depend on them, so the plan is chosen each time when a run begins.

// choosesPlan says whether the plan of a statement may be another one for other values.
func (s admission) choosesPlan(st *Statement) bool {
	return st.chooser.Chooses() && !st.generic(&s.settings)
}

// generic says whether the plan of a statement is the same for all values of its parameters.
func (st *Statement) generic(s *settings.Settings) bool { return len(st.Params) > 0 && s.GenericPlans }

// planFor is the plan of a statement for the values that are known when it begins to run; one that is shown has what
// only EXPLAIN wants to know.
func (s admission) planFor(st *Statement, known *expr.Context, shown bool) plan.Node {
	switch {
	case !s.choosesPlan(st):
		return st.plan
	case shown:
		return st.chooser.Shown(known)
	}
	return st.chooser.Run(known)
}

// admit chooses the plan of a statement that begins to run, once for all that is asked of it, and refuses
// one that would read more than the session allows.
func (s admission) admit(st *Statement, known *expr.Context, shown bool) (plan.Node, error) {
	n := s.planFor(st, known, shown)
	if err := s.refuseFullScans(st, n, known); err != nil {
		return nil, err
	}
	return n, s.refuseUnits(st, n, known)
}
