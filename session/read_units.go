package session

import (
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// refuseUnits refuses to run a statement that is thought to be charged more read units than the session
// allows. It goes by what is known when the statement begins: the values of its parameters, too.
func (s admission) refuseUnits(st *Statement, n plan.Node, known *expr.Context) error {
	if s.settings.MaxUnits == 0 || !s.db.Store.Capabilities().Units || n == nil {
		return nil
	}
	k := cost.Known{Values: known, Store: s.db.Store.Capabilities(), Eventual: s.readsEventually(st)}
	rows := s.reach.optimizerOptions().Rows
	spent := k.Reads(st.chooser.Priced(n, known), rows)
	if spent.Units <= float64(s.settings.MaxUnits) {
		return nil
	}
	return s.remedy(st, known).RefuseUnits(spent, s.settings.MaxUnits,
		func(n plan.Node) float64 { return k.Reads(n, rows).Units })
}
