package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
)

// wantOrder tells a scan in which order a Sort above it would like the rows, so that a
// path that delivers it can be preferred.
//
//	Sort a, b DESC     Sort a, b DESC
//	└─ Scan t      →   └─ Scan t order=a, b DESC
//
// It tells all scans below an Append, and one below a ProjectSet whose functions make none of the keys. It must not
// fire when a key is an expression that no index is over.
var wantOrder = Rule{"WantOrder", func(_ *Options, n plan.Node) (plan.Node, bool) {
	sort, ok := n.(plan.Sort)
	if !ok {
		return n, false
	}
	in, ok := inOrder(sort, sort.Input, sort.Keys)
	sort.Input = in
	return sort, ok
}}

// inOrder tells the scans that deliver the rows of a node in which order a sort puts them by some keys, and how many of
// them it keeps.
func inOrder(sort plan.Sort, n plan.Node, keys []plan.SortKey) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Scan:
		order, ok := ordersOf(n, keys)
		if !ok || n.Order != nil || n.Access != nil {
			return n, false
		}
		n.Order, n.Few = order, sort.Most != nil || sort.Few
		n.Each.Of, n.Each.Count = sort.Of, sort.Each
		return n, true
	case plan.Project:
		keys, ok := keysBelow(n, keys)
		if !ok {
			return n, false
		}
		in, ok := inOrder(sort, n.Input, keys)
		n.Input = in
		return n, ok
	case plan.ProjectSet:
		if sort.Each > 0 || !keysOfInput(n, keys) {
			return n, false
		}
		in, ok := inOrder(sort, n.Input, keys)
		n.Input = in
		return n, ok
	case plan.Append:
		return eachInput(n, func(in plan.Node) (plan.Node, bool) { return inOrder(sort, in, keys) })
	}
	return n, false
}

// eachInput is an Append with what f makes of its inputs, which says whether it changed one.
func eachInput(a plan.Append, f func(plan.Node) (plan.Node, bool)) (plan.Node, bool) {
	in, changed := make([]plan.Node, len(a.In)), false
	for i := range a.In {
		x, ok := f(a.In[i])
		in[i], changed = x, changed || ok
	}
	a.In = in
	return a, changed
}

// ordersOf are the keys of a sort as columns of the table of a scan, if they are such.
func ordersOf(s plan.Scan, keys []plan.SortKey) ([]plan.Order, bool) {
	var out []plan.Order
	for _, k := range keys {
		column, ok := access.KeyColumn(s, k.Expr)
		if !ok {
			return nil, false
		}
		out = append(out, plan.Order{Column: column, Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	return out, true
}

// keysBelow are the keys of a sort over the input of a Project, if it passes them on.
func keysBelow(p plan.Project, keys []plan.SortKey) ([]plan.SortKey, bool) {
	out := make([]plan.SortKey, len(keys))
	for i, k := range keys {
		above, ok := k.Expr.(expr.Column)
		if !ok {
			return nil, false
		}
		k.Expr = p.Exprs[above.Index]
		out[i] = k
	}
	return out, true
}

// keysOfInput says whether all keys of a sort are columns of the input of a ProjectSet, whose order it keeps.
func keysOfInput(n plan.ProjectSet, keys []plan.SortKey) bool {
	return !slices.ContainsFunc(keys, func(k plan.SortKey) bool { return !readsInput(n, k.Expr) })
}
