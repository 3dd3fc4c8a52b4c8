package explain

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/planner/plan"
)

func joinDetails(n plan.Join, p *plan.NodeProfile) []property {
	var out []property
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

// hashDetails is what ANALYZE says of a hash table, or of the files that stood for it.
func hashDetails(p *plan.NodeProfile) []property {
	if p == nil || p.Loops == 0 {
		return nil
	}
	batches, memory := counted("Hash Batches", 1), counted("Peak Memory Usage", kilobytes(p.Memory))
	memory.quiet = true
	if p.Spilled == 0 {
		batches.lines = []string{fmt.Sprintf("Batches: 1  Memory Usage: %dkB", kilobytes(p.Memory))}
		return []property{batches, memory}
	}
	batches, disk := counted("Hash Batches", p.Batches), counted("Disk Usage", kilobytes(p.Spilled))
	batches.lines = []string{fmt.Sprintf("Batches: %d  Memory Usage: %dkB  Disk Usage: %dkB", p.Batches,
		kilobytes(p.Memory), kilobytes(p.Spilled))}
	disk.quiet = true
	return []property{batches, memory, disk}
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
