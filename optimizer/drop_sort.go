package optimizer

import (
	"slices"

	"zproxy/catalog/partition"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// dropSort leaves out a sort whose input comes in its order already.
//
//	Sort a                        Index Scan using t_a on t
//	└─ Index Scan using t_a   →
//
// If that is so of some input of an Append, the others are sorted, and all are merged.
//
//	Sort a                           Merge Append a
//	└─ Append                    →   ├─ Index Scan using t_a on t
//	   ├─ Index Scan using t_a       └─ Sort a
//	   └─ Seq Scan on u                 └─ Seq Scan on u
//
// A join has its rows in the order of one side, and groups come in that of their rows.
//
// Partitions whose ranges follow each other in the order of the first key are read one after the other instead, the
// later ones only if the earlier ones have not enough rows.
//
// It must not fire when the path brings only a part of the keys, or another order of
// NULLs: Access.Ordered says whether it brings all that was asked for. Nor while the path waits
// for values, by which it may become another one.
var dropSort = Rule{"DropSort", func(_ *Options, n plan.Node) (plan.Node, bool) {
	sort, ok := n.(plan.Sort)
	if !ok {
		return n, false
	}
	if in, ok := sorted(sort, sort.Input, sort.Keys); ok {
		return in, true
	}
	return sort, false
}}

// sorted is what comes in the order of keys of a sort, if any of it does without a sort.
func sorted(sort plan.Sort, n plan.Node, keys []plan.SortKey) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Scan:
		order, ok := ordersOf(n, keys)
		return n, ok && n.Access != nil && n.Access.Ordered && !n.Access.Rechosen && slices.Equal(n.Order, order)
	case plan.Project:
		keys, ok := keysBelow(n, keys)
		if !ok {
			return n, false
		}
		in, ok := sorted(sort, n.Input, keys)
		n.Input = in
		return n, ok
	case plan.ProjectSet:
		if !keysOfInput(n, keys) {
			return n, false
		}
		in, ok := sorted(sort, n.Input, keys)
		n.Input = in
		return n, ok
	case plan.Append:
		return mergeInputs(sort, n, keys)
	case plan.Join, plan.Aggregate, plan.Distinct, plan.Filter:
		return n, comesInOrder(n, keys)
	}
	return n, false
}

// mergeInputs merges the inputs of an Append, and those of an Append among them with it. Rows must have the keys as
// columns.
func mergeInputs(sort plan.Sort, a plan.Append, keys []plan.SortKey) (plan.Node, bool) {
	if slices.ContainsFunc(keys, func(k plan.SortKey) bool {
		_, is := k.Expr.(expr.Column)
		return !is
	}) {
		return a, false
	}
	out, some := plan.Append{By: keys, Cols: a.Cols, Removed: a.Removed}, false
	for _, in := range a.In {
		in, ok := sorted(sort, in, keys)
		some = some || ok
		below, nested := in.(plan.Append)
		switch {
		case !ok:
			out.In = append(out.In, plan.Sort{Input: in, Keys: keys, Most: sort.Most, Few: sort.Few})
		case nested:
			out.In, out.Removed = append(out.In, below.In...), out.Removed+below.Removed
		default:
			out.In = append(out.In, in)
		}
	}
	switch {
	case !some:
		return a, false
	case consecutive(a.In, keys[0]):
		if out.By = nil; keys[0].Desc {
			slices.Reverse(out.In)
		}
	}
	return out, true
}

// consecutive says whether the inputs are partitions by ranges of a key, each one's behind that of the one before. They
// have no rows in which it is NULL.
func consecutive(in []plan.Node, key plan.SortKey) bool {
	var before *partition.Of
	for _, n := range in {
		of := rangeOf(n, key)
		if of == nil || before != nil && partition.CompareEnds(before.To, of.From) > 0 {
			return false
		}
		before = of
	}
	return true
}

// rangeOf is the range of a partition by a key, nil for a node that is no scan of such a partition.
func rangeOf(n plan.Node, key plan.SortKey) *partition.Of {
	switch n := n.(type) {
	case plan.Project:
		if below, ok := keysBelow(n, []plan.SortKey{key}); ok {
			return rangeOf(n.Input, below[0])
		}
	case plan.Scan:
		of := n.Table.PartitionOf
		c, ok := key.Expr.(expr.Column)
		if ok && of != nil && n.Whole != nil && n.Whole.ID == of.Parent &&
			of.InOrder(n.Table.Columns[n.Reads[c.Index]].ID) {
			return of
		}
	}
	return nil
}
