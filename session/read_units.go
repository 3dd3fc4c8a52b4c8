package session

import (
	"fmt"
	"math"

	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
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
	if spent.units <= float64(s.settings.maxUnits) {
		return nil
	}
	share := " takes them"
	if spent.most < spent.units {
		share = fmt.Sprintf(" takes about %.0f of them", math.Ceil(spent.most))
	}
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would read about %.0f read units, more than %d", math.Ceil(spent.units), s.settings.maxUnits).
		WithDetail("The scan of table %q%s. The limit is the setting %s.", spent.dearest.Table.Name, share, maxUnitsSetting).
		WithHint("%s LIMIT lets a statement read less, and EXPLAIN (WHY) tells what it reads. SET %s = 0 lifts the limit.", s.cheaper(st, spent.dearest, known), maxUnitsSetting)
}

// cheaper says how a scan could be charged less.
func (s *Session) cheaper(st *Statement, scan plan.Scan, known *expr.Context) string {
	hint := s.remedy(st, scan, func(n plan.Node) bool {
		if settle := optimizer.Settler(n, s.db.optimizerOptions(s)); settle != nil && s.settles(st) {
			n = settle(known, false)
		}
		return s.reckon(st, n, known).units <= float64(s.settings.maxUnits)
	})
	if scan.Access.Lookup {
		hint += " One that holds all columns which the statement reads would spare the lookups."
	}
	return hint
}

// spending is what a plan is thought to be charged for reading.
type spending struct {
	units   float64
	most    float64 // of them, by
	dearest plan.Scan
}

// reckon adds up what the scans of a plan are thought to cost for the values that are known.
func (s *Session) reckon(st *Statement, n plan.Node, known *expr.Context) (out spending) {
	x := &plan.Explainer{Context: known, Store: s.db.store.Capabilities(), Eventual: s.readsEventually(st)}
	for _, r := range plan.Readings(n, s.db.optimizerOptions(s).Rows) {
		if r.Scan.Access == nil {
			continue
		}
		units := r.Runs * reckon(x, r.Scan)
		if out.units += units; units > out.most {
			out.most, out.dearest = units, r.Scan
		}
	}
	return out
}

// reckon is what a scan is thought to cost for the values that are known.
func reckon(x *plan.Explainer, scan plan.Scan) float64 {
	a := *scan.Access
	most := a.Most
	if a.Again != nil {
		a = a.Again.Settle(x.Context, false)
	}
	if most != nil {
		a = access.Limited(a, knownLimit(most, x.Context))
	}
	scan.Access = &a
	return x.ReadUnits(scan)
}

// knownLimit is a LIMIT with the numbers that its expressions have, as far as they are known.
func knownLimit(l *plan.Limit, known *expr.Context) *plan.Limit {
	value := func(e expr.Expr) expr.Expr {
		if e == nil {
			return nil
		}
		v, err := e.Eval(known, nil)
		if err != nil {
			return e // the run will tell
		}
		return expr.Const{Value: v, T: e.Type()}
	}
	return &plan.Limit{Count: value(l.Count), Offset: value(l.Offset)}
}
