package optimizer

import (
	"slices"

	"zproxy/planner/plan"
)

// mergeJoin goes through both sides of a join at once, where both come in the order of its keys, instead of putting one
// of them into a hash table.
//
//	Join hash (a = x)                 Join merge (a = x)
//	├─ Scan t path=primary ordered →  ├─ Scan t path=primary ordered
//	└─ Scan u path=u_x ordered        └─ Scan u path=u_x ordered
//
// It must not fire where the order of a side is not certain: a merge would miss pairs. Nor where the order is that of
// some keys alone, of which many rows may have the same; nor where the search for an order of joins does not want it.
var mergeJoin = Rule{"MergeJoin", func(o *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || j.Method == nil || j.Method.Strategy != plan.Hash || j.Method.Shares || !j.Merges {
		return n, false
	}
	keys, ok := inOrderOfBoth(j)
	if !ok {
		return n, false
	}
	m := *j.Method
	m.Strategy, m.Keys, m.BuildLeft = plan.Merged, keys, false
	j.Method = &m
	return j, true
}}

// inOrderOfBoth are the keys of a join in the order in which both sides come. It is not ok if a side comes in another
// one.
func inOrderOfBoth(j plan.Join) (keys []plan.JoinKey, ok bool) {
	rest := slices.Clone(j.Method.Keys)
	var left, right []plan.SortKey
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(k plan.JoinKey) bool {
			return comesInOrder(j.Left, append(slices.Clip(left), plan.SortKey{Expr: k.Left})) &&
				comesInOrder(j.Right, append(slices.Clip(right), plan.SortKey{Expr: k.Right}))
		})
		if next < 0 {
			return nil, false
		}
		k := rest[next]
		keys, rest = append(keys, k), slices.Delete(rest, next, next+1)
		left, right = append(left, plan.SortKey{Expr: k.Left}), append(right, plan.SortKey{Expr: k.Right})
	}
	return keys, true
}
