package plan

import "zproxy/expr"

// Qualify is an expression over the rows of a node with names for its columns that have the tables, where they
// are known.
func Qualify(n Node, e expr.Expr) expr.Expr { return withNames(e, names(n)) }

// names are the names of the columns of a node, with the table where that is known.
func names(n Node) []string {
	switch n := n.(type) {
	case Scan:
		return prefixed(n.Cols, n.Alias)
	case Ref:
		return prefixed(n.Cols, n.Alias)
	case FunctionScan:
		return prefixed(n.Cols, n.Alias)
	case Virtual:
		return prefixed(n.Cols, n.Alias)
	case Filter, Sort, Limit, Distinct, LockRows, Gather:
		return names(n.Inputs()[0])
	case Join:
		return append(names(n.Left), names(n.Right)...)[:Width(n)]
	case Project:
		return passedOn(n.Exprs, n)
	case Aggregate:
		return passedOn(n.Groups, n)
	case GroupingSets:
		return passedOn(n.Groups, n)
	}
	return prefixed(n.Columns(), "")
}

// passedOn are the names of the columns of a node, of which the first are expressions over its input.
func passedOn(list []expr.Expr, n Node) []string {
	in, out := names(n.Inputs()[0]), prefixed(n.Columns(), "")
	for i, e := range list {
		if c, ok := e.(expr.Column); ok && c.Index < len(in) {
			out[i] = in[c.Index]
		}
	}
	return out
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
