package explain

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

func (x *explainer) joinDetails(n plan.Join, p *plan.NodeProfile) []property {
	out := []property{x.innerUnique(n)}
	cond := n.On
	var filter []expr.Expr
	if m := n.Method; m != nil {
		cond = m.Residual
		switch m.Strategy {
		case plan.Hash:
			out = append(out, textProperty("Hash Cond", joinKeys(n)))
		case plan.Lookup:
			out = append(out, textProperty("Lookups", lookups(n)))
			for _, k := range unsearched(n) {
				filter = append(filter, named(n, k))
			}
		case plan.Merged:
			out = append(out, textProperty("Merge Cond", joinKeys(n)))
		case plan.Interleaved:
			out = append(out, textProperty("Interleave Cond", joinKeys(n)))
		case plan.Loop:
		}
	}
	if cond != nil {
		filter = append(filter, plan.Qualify(plan.Join{Left: n.Left, Right: n.Right}, cond))
	}
	if len(filter) > 0 {
		out = append(out, textProperty("Join Filter", expr.Conjoin(filter).String()))
		if p != nil && p.Removed > 0 {
			out = append(out, counted("Rows Removed by Join Filter", p.Removed))
		}
	}
	if x.Why && n.Second != "" {
		out = append(out, textProperty("Second Order", n.Second))
	}
	return out
}

// innerUnique says whether it is known that no row has several partners in the second input, as PostgreSQL does.
func (x *explainer) innerUnique(n plan.Join) property {
	inner, keys := n.Right, n.Equalities().Keys
	if n.Method != nil {
		keys = n.Method.Keys
		if n.Method.Strategy == plan.Loop {
			keys = plan.Join{Left: n.Left, Right: n.Right, On: n.Method.Residual}.Equalities().Keys
		}
	}
	flipped := n.Method != nil && n.Method.BuildLeft
	if flipped {
		inner = n.Left
	}
	var values []expr.Expr
	nulls := false
	for _, k := range keys {
		nulls = nulls || k.NullsEqual
		if flipped {
			k.Right = k.Left
		}
		values = append(values, k.Right)
	}
	pairs := n.Kind != plan.SemiJoin && n.Kind != plan.AntiJoin
	unique := pairs && len(values) > 0 && rowkey.Partners(inner, values, nulls)
	out := unsaid("Inner Unique", unique)
	if x.Verbose && unique {
		out.quiet, out.lines = false, []string{"Inner Unique: true"}
	}
	return out
}

// unsearched are the keys of a lookup that the bounds of the right side leave to be
// checked on each pair.
func unsearched(n plan.Join) (keys []plan.JoinKey) {
	scan, ok := n.Right.(plan.Scan)
	if !ok || scan.Access == nil {
		return nil
	}
	for _, k := range n.Method.Keys {
		searched := slices.ContainsFunc(scan.Access.Cond, func(e expr.Expr) bool {
			c, ok := e.(expr.Compare)
			if !ok || !expr.Equal(c.Left, k.Right) {
				return false
			}
			out, ok := c.Right.(expr.Outer)
			return ok && slices.ContainsFunc(n.Method.Slots,
				func(s plan.Slot) bool { return s.Number == out.Slot && expr.Equal(s.Value, k.Left) })
		})
		if !searched {
			keys = append(keys, k)
		}
	}
	return keys
}

// named is a key as a condition, with names for the columns of each side.
func named(n plan.Join, k plan.JoinKey) expr.Expr {
	l, r := plan.Qualify(n.Left, k.Left), plan.Qualify(n.Right, k.Right)
	if k.NullsEqual {
		return expr.Distinct{Left: l, Right: r, Not: true}
	}
	return expr.Compare{Op: expr.EQ, Left: l, Right: r}
}

// joinKeys are the equalities of a join, the side that is looked up behind.
func joinKeys(n plan.Join) string {
	var all []string
	for _, k := range n.Method.Keys {
		of := n
		if n.Method.BuildLeft {
			k.Left, k.Right, of.Left, of.Right = k.Right, k.Left, n.Right, n.Left
		}
		all = append(all, named(of, k).String())
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, " AND ") + ")"
}

// lookups says whose rows a join looks up.
func lookups(n plan.Join) string {
	name := "a scan"
	if s, ok := n.Right.(plan.Scan); ok {
		name = s.Alias
	}
	return fmt.Sprintf("%s, in batches of %d", name, plan.LookupBatch)
}
