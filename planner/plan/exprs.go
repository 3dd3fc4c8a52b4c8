package plan

import "zproxy/expr"

// Exprs are the expressions that a node itself evaluates, those of MapExprs. Of calls that
// return sets they are the calls, not only the arguments. What rows are checked for again is left out.
func Exprs(n Node) (out []expr.Expr) {
	switch n := n.(type) {
	case FunctionScan:
		return callExprs(n.Calls)
	case ProjectSet:
		return callExprs(n.Calls)
	}
	MapExprs(withoutRecheck(n), func(e expr.Expr) (expr.Expr, bool) {
		out = append(out, e)
		return e, false
	})
	return out
}

// withoutRecheck is a node without the conditions that others below stand for.
func withoutRecheck(n Node) Node {
	switch n := n.(type) {
	case LockRows:
		n.Recheck = nil
		return n
	case Update:
		n.Recheck = nil
		return n
	case Delete:
		n.Recheck = nil
		return n
	}
	return n
}

func callExprs(calls []expr.Call) (out []expr.Expr) {
	for _, c := range calls {
		out = append(out, c)
	}
	return out
}

// Subqueries are the subqueries in the expressions of a node, each once, in the order in
// which they stand there.
func Subqueries(n Node) []expr.Subquery {
	var out []expr.Subquery
	seen := map[int]bool{}
	var walk func(e expr.Expr)
	walk = func(e expr.Expr) {
		for _, in := range e.Inputs() {
			walk(in)
		}
		s, ok := e.(expr.Subquery)
		if !ok {
			return
		}
		if s.Test != nil {
			walk(s.Test)
		}
		if !seen[s.Number] {
			seen[s.Number] = true
			out = append(out, s)
		}
	}
	for _, e := range Exprs(n) {
		walk(e)
	}
	return out
}

// Scans are all scans of a plan, also those of the subqueries in its expressions.
func Scans(n Node) []Scan { return appendScans(nil, n) }

// appendScans appends the scans of a plan, so that those of a thousand joins are copied once.
func appendScans(dst []Scan, n Node) []Scan {
	if s, ok := n.(Scan); ok {
		dst = append(dst, s)
	}
	for _, in := range n.Inputs() {
		dst = appendScans(dst, in)
	}
	for _, s := range Subqueries(n) {
		dst = appendScans(dst, s.Plan.(Sub).Node)
	}
	return dst
}
