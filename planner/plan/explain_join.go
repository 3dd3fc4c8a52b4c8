package plan

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/expr"
)

func joinDetails(n Join, p *NodeProfile) []property {
	var out []property
	left, right := qualified(n.Left), qualified(n.Right)
	cond := n.On
	var filter []expr.Expr
	if m := n.Method; m != nil {
		cond = m.Residual
		switch m.Strategy {
		case Hash:
			out = append(out, said("Hash Cond", joinKeys(n)))
		case Lookup:
			out = append(out, said("Lookups", lookups(n)))
			for _, k := range unsearched(n) {
				filter = append(filter, k.named(left, right))
			}
		case Loop:
		}
	}
	if cond != nil {
		filter = append(filter, withNames(cond, slices.Concat(left, right)))
	}
	if len(filter) > 0 {
		out = append(out, said("Join Filter", expr.Conjoin(filter).String()))
		if p != nil && p.Removed > 0 {
			out = append(out, counted("Rows Removed by Join Filter", p.Removed))
		}
	}
	return out
}

// unsearched are the keys of a lookup that the bounds of the right side leave to be
// checked on each pair.
func unsearched(n Join) (keys []JoinKey) {
	scan, ok := n.Right.(Scan)
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
			return ok && slices.ContainsFunc(n.Method.Slots, func(s Slot) bool { return s.Number == out.Slot && expr.Equal(s.Value, k.Left) })
		})
		if !searched {
			keys = append(keys, k)
		}
	}
	return keys
}

// named is a key as a condition, with names for the columns of each side.
func (k JoinKey) named(left, right []string) expr.Expr {
	l, r := withNames(k.Left, left), withNames(k.Right, right)
	if k.NullsEqual {
		return expr.Distinct{Left: l, Right: r, Not: true}
	}
	return expr.Compare{Op: expr.EQ, Left: l, Right: r}
}

// hashDetails is what ANALYZE says of a hash table, or of the files that stood for it.
func hashDetails(p *NodeProfile) []property {
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
	batches.lines = []string{fmt.Sprintf("Batches: %d  Memory Usage: %dkB  Disk Usage: %dkB", p.Batches, kilobytes(p.Memory), kilobytes(p.Spilled))}
	disk.quiet = true
	return []property{batches, memory, disk}
}

// joinKeys are the equalities of a join, the side that is looked up behind.
func joinKeys(n Join) string {
	left, right := qualified(n.Left), qualified(n.Right)
	var all []string
	for _, k := range n.Method.Keys {
		l, r := left, right
		if n.Method.BuildLeft {
			k.Left, k.Right, l, r = k.Right, k.Left, right, left
		}
		all = append(all, k.named(l, r).String())
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, " AND ") + ")"
}

// lookups says whose rows a join looks up.
func lookups(n Join) string {
	name := "a scan"
	if s, ok := n.Right.(Scan); ok {
		name = s.Alias
	}
	return fmt.Sprintf("%s, in batches of %d", name, LookupBatch)
}

// Qualified writes an expression over the rows of a node, with the tables of its columns
// where they are known.
func Qualified(n Node, e expr.Expr) string { return withNames(e, qualified(n)).String() }

// qualified are the names of the columns of a node, with the table where that is known.
func qualified(n Node) []string {
	switch n := n.(type) {
	case Scan:
		return prefixed(n.Cols, n.Alias)
	case Ref:
		return prefixed(n.Cols, n.Alias)
	case FunctionScan:
		return prefixed(n.Cols, n.Alias)
	case Virtual:
		return prefixed(n.Cols, n.Alias)
	case Filter, Sort, Limit, Distinct:
		return qualified(n.Inputs()[0])
	case Join:
		return append(qualified(n.Left), qualified(n.Right)...)[:Width(n)]
	case Project:
		in, out := qualified(n.Input), prefixed(n.Cols, "")
		for i, e := range n.Exprs {
			if c, ok := e.(expr.Column); ok && c.Index < len(in) {
				out[i] = in[c.Index]
			}
		}
		return out
	}
	return prefixed(n.Columns(), "")
}

func prefixed(cols []Column, with string) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		if out[i] = c.Name; with != "" {
			out[i] = with + "." + c.Name
		}
	}
	return out
}

// withNames is an expression with other names for its columns.
func withNames(e expr.Expr, names []string) expr.Expr {
	if c, ok := e.(expr.Column); ok && c.Index < len(names) {
		c.Name = names[c.Index]
		return c
	}
	in := e.Inputs()
	if len(in) == 0 {
		return e
	}
	out := make([]expr.Expr, len(in))
	for i := range in {
		out[i] = withNames(in[i], names)
	}
	return e.WithInputs(out)
}
