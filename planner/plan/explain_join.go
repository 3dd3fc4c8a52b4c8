package plan

import (
	"fmt"
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
	names := append(qualified(n.Left), qualified(n.Right)...)
	filter := n.On
	if m := n.Method; m != nil {
		filter = m.Residual
		switch m.Strategy {
		case Hash:
			out = append(out, "Hash Cond: "+joinKeys(n))
		case Lookup:
			out = append(out, lookupLine(n))
		case Loop:
		}
	}
	if filter != nil {
		out = append(out, "Join Filter: "+withNames(filter, names).String())
		if p != nil && p.Removed > 0 {
			out = append(out, fmt.Sprintf("Rows Removed by Join Filter: %d", p.Removed))
		}
	}
	return out
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
		a, b := withNames(k.Left, left).String(), withNames(k.Right, right).String()
		if n.Method.BuildLeft {
			a, b = b, a
		}
		op := " = "
		if k.NullsEqual {
			op = " IS NOT DISTINCT FROM "
		}
		all = append(all, "("+a+op+b+")")
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
		return prefixed(n.Cols, n.Name)
	case FunctionScan:
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
