package optimizer

import (
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// The shares of rows that conditions are thought to keep where nothing is known.
const (
	keptByFilter = 1. / 3
	keptByGroups = 1. / 10
	// keptByKey is a number of rows: of one object of the system.
	keptByKey = 10
)

// Rows is how many rows a plan is thought to deliver.
func (o *Options) Rows(n plan.Node) float64 { return o.rows(n) }

// rows is how many rows a plan is thought to deliver. It only decides between ways to
// the same answer.
func (o *Options) rows(n plan.Node) float64 {
	switch n := n.(type) {
	case plan.Values:
		return float64(len(n.Rows))
	case plan.Scan:
		return o.scanned(n).Matches
	case plan.Filter:
		if v, ok := n.Input.(plan.Virtual); ok && namesOne(n.Cond, v) {
			return math.Min(keptByKey, v.Relation.Rows)
		}
		return math.Max(1, o.rows(n.Input)*keptByFilter)
	case plan.Nearest:
		return o.rows(n.All)
	case plan.Limit:
		return o.limited(n)
	case plan.Aggregate:
		if len(n.Groups) == 0 {
			return 1
		}
		return math.Max(1, o.rows(n.Input)*keptByGroups)
	case plan.Append:
		sum := 0.
		for _, in := range n.In {
			sum += o.rows(in)
		}
		return sum
	case plan.Join:
		return o.joined(n)
	case plan.With:
		return o.rows(n.Input)
	case plan.SetOp:
		return o.rows(n.Left)
	case plan.Recursion:
		return 10 * o.rows(n.Base)
	case plan.FunctionScan, plan.Ref:
		return 1000
	case plan.Virtual:
		if n.Only != nil {
			return math.Min(keptByKey, n.Relation.Rows)
		}
		return math.Max(1, n.Relation.Rows)
	}
	if in := n.Inputs(); len(in) == 1 {
		return o.rows(in[0])
	}
	return 1
}

// namesOne says whether a condition has the name of an object of the system.
func namesOne(cond expr.Expr, v plan.Virtual) bool {
	for _, c := range expr.Conjuncts(cond) {
		column, term, _, ok := plan.TermOf(c)
		if ok && term.Op == plan.TermEQ && v.Cols[column].Type.OID == types.OIDName {
			return true
		}
	}
	return false
}

// scanned is what a scan is thought to read and keep.
func (o *Options) scanned(s plan.Scan) plan.Estimate { return o.chosen(s).Access.Estimate }

func (o *Options) limited(n plan.Limit) float64 {
	below := o.rows(n.Input)
	if c, ok := n.Count.(expr.Const); ok && !c.Value.IsNull() {
		return math.Min(below, float64(c.Value.Int()))
	}
	return below
}

// joined takes it that an equality finds about one partner for each row of the larger
// side.
func (o *Options) joined(n plan.Join) float64 {
	l, r := o.rows(n.Left), o.rows(n.Right)
	switch {
	case n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin:
		return math.Max(1, l/2)
	case n.On == nil && n.Method == nil:
		return l * r
	}
	return math.Max(l, r)
}
