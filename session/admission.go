package session

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/optimizer/remedy"
	"zproxy/planner/plan"
	"zproxy/session/settings"
	"zproxy/session/statement"
)

// admission chooses the plan of a statement that begins to run. It refuses what the role may not do, and what would
// read too much.
type admission struct {
	*parts
	reach    *reach
	planning planning
}

// allowance is with what a statement was last found to be allowed.
type allowance struct {
	schema *catalog.Snapshot
	role   uint32
}

// allow wants the present role to be allowed what a planned statement needs. Nothing is
// asked twice while neither the catalog nor the role changes.
func (s admission) allow(st *Statement) error {
	now := allowance{s.txn.Schema(), s.user.Role()}
	if st.allowed == now {
		return nil
	}
	for _, n := range st.needs {
		role := n.As
		if role == 0 {
			role = now.role
		}
		if err := statement.Grants(now.schema, role, n.Relation, &n.Wanted); err != nil {
			return err
		}
	}
	st.allowed = now
	return nil
}

// A plan is kept from one run of a statement to the next, with other parameters. Which path reads
// least may depend on them, so the plan is chosen each time when a run begins.

// choosesPlan says whether the plan of a statement may be another one for other values.
func (s admission) choosesPlan(st *Statement) bool {
	return st.chooser.Chooses() && !st.generic(&s.settings)
}

// generic says whether the plan of a statement is the same for all values of its parameters.
func (st *Statement) generic(s *settings.Settings) bool {
	return len(st.Params) > 0 && !st.lifted && s.GenericPlans
}

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
	if err := s.refuseUnits(st, n, known); err != nil {
		return nil, err
	}
	return n, s.refuseWrites(st, n, known)
}

// refuseWrites refuses to run a statement that is thought to be charged more write units than the session allows.
func (s admission) refuseWrites(st *Statement, n plan.Node, known *expr.Context) error {
	if s.settings.MaxWrites == 0 || n == nil {
		return nil
	}
	k := cost.Known{Values: known, Store: s.db.Store.Capabilities()}
	charge, dearest, by := k.Writes(st.chooser.Priced(n, known), cardinality.Estimator{Values: known}.Rows)
	if charge.WriteUnits <= float64(s.settings.MaxWrites) {
		return nil
	}
	return remedy.RefuseWrites(charge.WriteUnits, s.settings.MaxWrites, dearest, by)
}

// refuseUnits refuses to run a statement that is thought to be charged more read units than the session
// allows. It goes by what is known when the statement begins: the values of its parameters, too.
func (s admission) refuseUnits(st *Statement, n plan.Node, known *expr.Context) error {
	if s.settings.MaxUnits == 0 || n == nil {
		return nil
	}
	k := cost.Known{Values: known, Store: s.db.Store.Capabilities(), Eventual: s.txn.Reads(st.writes()),
		AsCharged: true}
	rows := s.reach.optimizerOptions().Rows
	spent := k.Reads(st.chooser.Priced(n, known), rows)
	if spent.Units <= float64(s.settings.MaxUnits) {
		return nil
	}
	return s.remedy(st, known).RefuseUnits(spent, s.settings.MaxUnits,
		func(n plan.Node) float64 { return k.Reads(n, rows).Units })
}
