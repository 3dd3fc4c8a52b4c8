package optimizer

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// memoize keeps what a plan that runs for each row outside gave, by the values that it reads from outside.
//
//	Join $0=a                      Join $0=a
//	├─ Scan t                  →   ├─ Scan t
//	└─ Limit 1                     └─ Memoize a
//	   └─ Scan u, y > a               └─ Limit 1
//	                                     └─ Scan u, y > a
//
// It must not fire on a plan that computes something volatile or locks rows; nor on one that reads a common table from
// outside, whose rows may be others the next time. Nor where no row is read, or where the values hold a key of the
// rows outside, so that they never come again.
var memoize = Rule{"Memoize", func(o *Options, n plan.Node) (plan.Node, bool) {
	changed := false
	if j, ok := n.(plan.Join); ok && len(j.Slots) > 0 {
		pairs := j.Kind != plan.SemiJoin && j.Kind != plan.AntiJoin
		if (pairs || j.On == nil) && !comesOnce(j.Left, valuesOf(j.Slots)) {
			j.Right, changed = o.memoized(j.Right, !pairs)
			n = j
		}
	}
	n, inside := rewritten(n, func(e expr.Expr) (expr.Expr, bool) {
		s, ok := e.(expr.Subquery)
		if !ok || s.Test != nil || len(s.Depends) == 0 || comesOnce(rowsOutside(n), s.Args) {
			return e, false
		}
		sub := s.Plan.(plan.Sub)
		if sub.Node, ok = o.memoized(sub.Node, s.Kind == expr.ExistsSubquery); !ok {
			return e, false
		}
		s.Plan = sub
		return s, true
	})
	return n, changed || inside
}}

// memoized puts a Memoize above a plan where that is right.
func (o *Options) memoized(n plan.Node, single bool) (plan.Node, bool) {
	if _, ok := n.(plan.Memoize); ok {
		return n, false
	}
	r := outside{read: map[int]expr.Expr{}, made: map[int]bool{}, tables: map[int]bool{}}
	if r.visit(n); !r.reads || r.differs || len(plan.Locked(n)) > 0 {
		return n, false
	}
	maps.DeleteFunc(r.read, func(slot int, _ expr.Expr) bool { return r.made[slot] })
	m := plan.Memoize{Input: n, Single: single, Number: o.memos}
	for _, slot := range slices.Sorted(maps.Keys(r.read)) {
		m.Keys = append(m.Keys, r.read[slot])
	}
	o.memos++
	return m, true
}

// outside is what the rows of a plan depend on besides tables.
type outside struct {
	read    map[int]expr.Expr // values of slots
	made    map[int]bool      // the slots that the plan itself fills
	tables  map[int]bool      // the common tables that the plan itself makes
	reads   bool              // rows of tables
	differs bool              // the rows may be others for the same values
}

func (r *outside) visit(n plan.Node) {
	switch n := n.(type) {
	case plan.Scan, plan.Virtual:
		r.reads = true
	case plan.Join:
		r.make(n.Slots)
		if n.Method != nil {
			r.make(n.Method.Slots)
		}
	case plan.Nearest:
		r.made[n.Slot] = true
	case plan.With:
		r.tables[n.Number] = true
	case plan.Recursion:
		r.tables[n.Number] = true
	case plan.Ref:
		r.differs = r.differs || !r.tables[n.Number]
	}
	for _, in := range n.Inputs() {
		r.visit(in)
	}
	for _, e := range plan.Exprs(n) {
		r.expr(e)
	}
}

func (r *outside) make(slots []plan.Slot) {
	for _, s := range slots {
		r.made[s.Number] = true
	}
}

func (r *outside) expr(e expr.Expr) {
	r.differs = r.differs || volatile(e)
	expr.Any(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Outer:
			r.read[x.Slot] = x
		case expr.Subquery:
			for _, slot := range x.Slots {
				r.made[slot] = true
			}
			if x.Test != nil {
				r.expr(x.Test)
			}
			r.visit(x.Plan.(plan.Sub).Node)
		}
		return false
	})
}

// rowsOutside are the rows that the expressions of a node are over; nil where that is not said.
func rowsOutside(n plan.Node) plan.Node {
	switch n := n.(type) {
	case plan.Scan:
		return n
	case plan.Filter, plan.Project, plan.Sort, plan.Limit, plan.Aggregate:
		return n.Inputs()[0]
	}
	return nil
}

func valuesOf(slots []plan.Slot) (values []expr.Expr) {
	for _, s := range slots {
		values = append(values, s.Value)
	}
	return values
}

// comesOnce says whether no two rows of a node have the same values, which are columns of a key among others.
func comesOnce(n plan.Node, values []expr.Expr) bool {
	return n != nil && rowkey.Partners(n, values, true)
}
