package plan

import "zproxy/planner/expr"

// Exprs are the expressions that a node itself evaluates.
func Exprs(n Node) []expr.Expr {
	var out []expr.Expr
	add := func(list ...expr.Expr) {
		for _, e := range list {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	switch n := n.(type) {
	case Values:
		for _, row := range n.Rows {
			add(row...)
		}
	case Scan:
		add(scanExprs(n)...)
	case Filter:
		add(n.Cond)
	case Project:
		add(n.Exprs...)
	case Sort:
		add(keyExprs(n.Keys)...)
	case Limit:
		add(n.Count, n.Offset)
		add(keyExprs(n.Ties)...)
	case Distinct:
		add(n.On...)
	case Aggregate:
		add(n.Groups...)
		for _, c := range n.Calls {
			add(c.Args...)
			add(keyExprs(c.Order)...)
			add(c.Filter)
		}
	case Join:
		add(joinExprs(n)...)
	case Window:
		add(windowExprs(n)...)
	case FunctionScan:
		add(callExprs(n.Calls)...)
	case ProjectSet:
		add(callExprs(n.Calls)...)
	default:
		add(writeExprs(n)...)
	}
	return out
}

func keyExprs(keys []SortKey) (out []expr.Expr) {
	for _, k := range keys {
		out = append(out, k.Expr)
	}
	return out
}

func callExprs(calls []expr.Call) (out []expr.Expr) {
	for _, c := range calls {
		out = append(out, c)
	}
	return out
}

// scanExprs are those of the access path, once there is one.
func scanExprs(n Scan) (out []expr.Expr) {
	if n.Access == nil {
		return n.Filter
	}
	for _, b := range n.Access.Bounds {
		for _, t := range b.Terms {
			out = append(out, t.Args...)
		}
	}
	return append(append(out, n.Access.EntryFilter...), n.Access.RowFilter...)
}

func joinExprs(n Join) []expr.Expr {
	out := []expr.Expr{n.On}
	slots := n.Slots
	if m := n.Method; m != nil {
		out = []expr.Expr{m.Residual}
		for _, k := range m.Keys {
			out = append(out, k.Left, k.Right)
		}
		slots = append(slots[:len(slots):len(slots)], m.Slots...)
	}
	for _, s := range slots {
		out = append(out, s.Value)
	}
	return out
}

func windowExprs(n Window) []expr.Expr {
	out := append(keyExprs(n.Order), n.Partition...)
	for _, c := range n.Calls {
		out = append(out, c.Args...)
		out = append(out, c.Filter, c.Frame.Start.Offset, c.Frame.Start.Value, c.Frame.End.Offset, c.Frame.End.Value)
	}
	return out
}

func writeExprs(n Node) (out []expr.Expr) {
	assigned := func(set []Assignment) {
		for _, a := range set {
			out = append(out, a.Value)
		}
	}
	checked := func(checks []Check) {
		for _, c := range checks {
			out = append(out, c.Cond)
		}
	}
	switch n := n.(type) {
	case Insert:
		assigned(n.Set)
		checked(n.Checks)
		out = append(append(out, n.SetWhere), n.Returning...)
	case Update:
		assigned(n.Set)
		checked(n.Checks)
		out = append(out, n.Returning...)
	case Delete:
		out = n.Returning
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
func Scans(n Node) []Scan {
	var out []Scan
	if s, ok := n.(Scan); ok {
		out = append(out, s)
	}
	for _, in := range n.Inputs() {
		out = append(out, Scans(in)...)
	}
	for _, s := range Subqueries(n) {
		out = append(out, Scans(s.Plan.(Sub).Node)...)
	}
	return out
}
