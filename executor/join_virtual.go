package executor

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// mostKeys is for how many rows of the build side a relation of the system is asked for
// some objects instead of all.
const mostKeys = 1000

// asked is the probe side when the build side is known: a relation of the system then has
// to compute only what the build rows have keys for. That is so only where probe rows
// without a partner do not come out.
func (h *hashJoin) asked(n plan.Node) (plan.Node, error) {
	if h.keepsProbe() || h.table.rows.count > mostKeys {
		return n, nil
	}
	if f, ok := n.(plan.Filter); ok {
		in, err := h.asked(f.Input)
		f.Input = in
		return f, err
	}
	v, ok := n.(plan.Virtual)
	if !ok || v.Relation.Key < 0 {
		return n, nil
	}
	for i, ask := range h.asks {
		c, ok := ask.(expr.Column)
		if ok && v.Reads[c.Index] == v.Relation.Key && !h.table.nulls[i] && wholeNumber(h.table.keys[i].Type()) {
			keys, err := h.keysOf(h.table.keys[i])
			v.Only = append(slices.Clone(v.Only), plan.Term{Op: plan.TermAny, Args: []expr.Expr{keys}})
			return v, err
		}
	}
	return n, nil
}

// keysOf are the values of an expression over the build rows that are numbers of objects.
func (h *hashJoin) keysOf(e expr.Expr) (expr.Expr, error) {
	var items []types.Value
	for i := range h.table.rows.count {
		v, err := e.Eval(h.env.Expr, h.table.rows.row(h.built, i))
		if err != nil {
			return nil, err
		}
		if !v.IsNull() && v.Int() >= 0 && v.Int() <= math.MaxUint32 {
			items = append(items, v)
		}
	}
	all, _ := types.ArrayOf(types.Of(types.OIDOID))
	return expr.Const{Value: types.NewItems(types.OIDOID, items), T: all}, nil
}
