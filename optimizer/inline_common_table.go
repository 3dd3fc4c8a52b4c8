package optimizer

import (
	"zproxy/planner/plan"
)

// inlineCommonTable puts a query of WITH where it is read, when that is in one place, and
// forgets one that is not read.
//
//	With 1 c
//	├─ Project a               Filter (a > 5)
//	│  └─ Scan t           →   └─ Project a
//	└─ Filter (a > 5)             └─ Scan t
//	   └─ Ref 1 c
//
// It must not fire on MATERIALIZED, on a query that calls something volatile, which would
// run as often as it is read, nor on one that writes, nor when it is read in a subquery or by a lateral join,
// which may run it for every row.
var inlineCommonTable = Rule{"InlineCommonTable", func(_ *Options, n plan.Node) (plan.Node, bool) {
	w, ok := n.(plan.With)
	if !ok {
		return n, false
	}
	once, repeated := refs(w.Input, w.Number, false)
	switch {
	case once+repeated == 0 && plan.Target(w.Query) == nil:
		return w.Input, true
	case once != 1 || repeated > 0 || w.Always || holdsVolatile(w.Query) || plan.Target(w.Query) != nil:
		return n, false
	}
	out, _ := replaceRef(w.Input, w.Number, w.Query)
	return out, true
}}

// refs counts where a common table is read: in a place that runs once, and in others.
func refs(n plan.Node, number int, inside bool) (once, repeated int) {
	if r, ok := n.(plan.Ref); ok && r.Number == number {
		if inside {
			return 0, 1
		}
		return 1, 0
	}
	add := func(x plan.Node, inside bool) {
		a, b := refs(x, number, inside)
		once, repeated = once+a, repeated+b
	}
	in := n.Inputs()
	for i, x := range in {
		lateral := false
		switch n := n.(type) {
		case plan.Join:
			lateral = i == 1 && len(n.Slots) > 0
		case plan.Recursion:
			lateral = i == 1
		}
		add(x, inside || lateral)
	}
	for _, s := range plan.Subqueries(n) {
		add(s.Plan.(plan.Sub).Node, true)
	}
	return once, repeated
}

// replaceRef puts a query where it is read, under the names that it is read by.
func replaceRef(n plan.Node, number int, query plan.Node) (plan.Node, bool) {
	if r, ok := n.(plan.Ref); ok && r.Number == number {
		return plan.Project{Input: query, Exprs: columnsAsExprs(query), Cols: r.Cols}, true
	}
	in := n.Inputs()
	out := append([]plan.Node(nil), in...)
	for i, x := range in {
		if y, ok := replaceRef(x, number, query); ok {
			out[i] = y
			return n.WithInputs(out), true
		}
	}
	return n, false
}
