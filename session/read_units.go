package session

import (
	"fmt"
	"math"

	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// maxUnitsSetting bounds what a statement may be charged for reading.
const maxUnitsSetting = "zproxy.max_read_units"

// refuseUnits refuses to run a statement that is thought to be charged more read units than the session
// allows. It goes by what is known when the statement begins: the values of its parameters, too.
func (s *Session) refuseUnits(st *Statement, known *expr.Context) error {
	if s.settings.maxUnits == 0 || !s.db.store.Capabilities().Units || st.plan == nil {
		return nil
	}
	spent := s.reckon(st, s.planFor(st, known), known)
	if spent.Units <= float64(s.settings.maxUnits) {
		return nil
	}
	share := " takes them"
	if spent.Most < spent.Units {
		share = fmt.Sprintf(" takes about %.0f of them", math.Ceil(spent.Most))
	}
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would read about %.0f read units, more than %d", math.Ceil(spent.Units), s.settings.maxUnits).
		WithDetail("The scan of table %q%s. The limit is the setting %s.", spent.Dearest.Table.Name, share, maxUnitsSetting).
		WithHint("%s LIMIT lets a statement read less, and EXPLAIN (WHY) tells what it reads. SET %s = 0 lifts the limit.", s.cheaper(st, spent.Dearest, known), maxUnitsSetting)
}

// cheaper says how a scan could be charged less.
func (s *Session) cheaper(st *Statement, scan plan.Scan, known *expr.Context) string {
	hint := s.remedy(st, scan, func(n plan.Node) bool {
		if settle := optimizer.Settler(n, s.db.optimizerOptions(s)); settle != nil && s.settles(st) {
			n = settle(known, false)
		}
		return s.reckon(st, n, known).Units <= float64(s.settings.maxUnits)
	})
	if scan.Access.Lookup {
		hint += " One that holds all columns which the statement reads would spare the lookups."
	}
	return hint
}

// reckon adds up what the scans of a plan are thought to cost for the values that are known.
func (s *Session) reckon(st *Statement, n plan.Node, known *expr.Context) cost.Spending {
	k := cost.Known{Values: known, Store: s.db.store.Capabilities(), Eventual: s.readsEventually(st)}
	return k.Reads(n, s.db.optimizerOptions(s).Rows)
}
