package plan

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/planner/expr"
)

// joinTitle names the strategy and the kind, which of a hash join is told from the side
// that is looked up.
func joinTitle(n Join) string {
	if n.Method == nil || n.Method.Strategy != Hash {
		return "Nested Loop" + joinKinds[n.Kind]
	}
	name := joinKinds[n.Kind]
	if n.Method.BuildLeft {
		name = flippedKinds[n.Kind]
	}
	if name == "" {
		name = " Join"
	}
	return "Hash" + name
}

var joinKinds = [...]string{
	InnerJoin: "", LeftJoin: " Left Join", RightJoin: " Right Join", FullJoin: " Full Join",
	SemiJoin: " Semi Join", AntiJoin: " Anti Join",
}

var flippedKinds = [...]string{
	InnerJoin: "", LeftJoin: " Right Join", RightJoin: " Left Join", FullJoin: " Full Join",
	SemiJoin: " Right Semi Join", AntiJoin: " Right Anti Join",
}

func joinDetails(n Join, p *NodeProfile) []string {
	var out []string
	left, right := qualified(n.Left), qualified(n.Right)
	cond := n.On
	var filter []expr.Expr
	if m := n.Method; m != nil {
		cond = m.Residual
		switch m.Strategy {
		case Hash:
			out = append(out, "Hash Cond: "+joinKeys(n))
		case Lookup:
			out = append(out, lookupLine(n))
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
		out = append(out, "Join Filter: "+expr.Conjoin(filter).String())
		if p != nil && p.Removed > 0 {
			out = append(out, fmt.Sprintf("Rows Removed by Join Filter: %d", p.Removed))
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
func hashDetails(p *NodeProfile) []string {
	switch {
	case p == nil || p.Loops == 0:
		return nil
	case p.Spilled > 0:
		return []string{fmt.Sprintf("Batches: %d  Memory Usage: %dkB  Disk Usage: %dkB", p.Batches, kilobytes(p.Memory), kilobytes(p.Spilled))}
	}
	return []string{fmt.Sprintf("Batches: 1  Memory Usage: %dkB", kilobytes(p.Memory))}
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

func lookupLine(n Join) string {
	name := "a scan"
	if s, ok := n.Right.(Scan); ok {
		name = s.Alias
	}
	return fmt.Sprintf("Lookups: %s, in batches of %d", name, LookupBatch)
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
		return append(qualified(n.Left), qualified(n.Right)...)[:len(n.Columns())]
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

func setOpTitle(n SetOp) string {
	title := "HashSetOp Intersect"
	if n.Except {
		title = "HashSetOp Except"
	}
	if n.All {
		title += " All"
	}
	return title
}

// refTitle names a common table, and what the statement calls it where that is something else.
func refTitle(n Ref, working bool) string {
	title := "CTE Scan on " + n.Name
	if working {
		title = "WorkTable Scan on " + n.Name
	}
	if n.Alias != "" && n.Alias != n.Name {
		title += " " + n.Alias
	}
	return title
}

func functionTitle(n FunctionScan) string {
	if len(n.Calls) != 1 {
		return "Function Scan on " + n.Alias
	}
	name := n.Calls[0].Fn.Name
	if n.Alias != "" && n.Alias != name {
		name += " " + n.Alias
	}
	return "Function Scan on " + name
}
