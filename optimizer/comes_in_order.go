package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// comesInOrder says whether the rows of a node come in the order of keys, as far as that is certain: by a sort below,
// by the path of a scan, or by inputs that are merged.
func comesInOrder(n plan.Node, keys []plan.SortKey) bool {
	switch n := n.(type) {
	case plan.Sort:
		return beginWith(n.Keys, keys)
	case plan.Append:
		return beginWith(n.By, keys)
	case plan.Scan:
		order, ok := ordersOf(n, keys)
		return ok && n.Access != nil && n.Access.Ordered && !n.Access.Rechosen &&
			len(order) <= len(n.Order) && slices.Equal(order, n.Order[:len(order)])
	case plan.Project:
		keys, ok := keysBelow(n, keys)
		return ok && comesInOrder(n.Input, keys)
	case plan.Window:
		width := plan.Width(n.Input)
		return !slices.ContainsFunc(keys, func(k plan.SortKey) bool { return sideOf(k.Expr, width)&right != 0 }) &&
			comesInOrder(n.Input, keys)
	case plan.Aggregate: // groups come in the order of their first rows
		below := make([]plan.SortKey, len(keys))
		for i, k := range keys {
			c, ok := k.Expr.(expr.Column)
			if !ok || c.Index >= len(n.Groups) {
				return false
			}
			k.Expr = n.Groups[c.Index]
			below[i] = k
		}
		return len(keys) > 0 && comesInOrder(n.Input, below)
	case plan.Distinct:
		return comesInOrder(n.Input, keys)
	case plan.Filter:
		return comesInOrder(n.Input, keys)
	case plan.Limit:
		return comesInOrder(n.Input, keys)
	case plan.Join:
		side, keys, ok := keysOfOuter(n, keys)
		return ok && comesInOrder(side, keys)
	}
	return false
}

// beginWith says whether an order begins with another one.
func beginWith(order, keys []plan.SortKey) bool {
	return len(keys) <= len(order) && slices.EqualFunc(keys, order[:len(keys)], func(a, b plan.SortKey) bool {
		return a.Desc == b.Desc && a.NullsFirst == b.NullsFirst && expr.Equal(a.Expr, b.Expr)
	})
}

// keysOfOuter is the side of a join in whose order its rows come, and keys over that side: for a column of the other
// side the one that equals it. It is not ok if there is none, or if rows without a partner come otherwise.
func keysOfOuter(j plan.Join, keys []plan.SortKey) (side plan.Node, of []plan.SortKey, ok bool) {
	width := plan.Width(j.Left)
	flipped := j.Method != nil && j.Method.BuildLeft
	if j.Kind == plan.RightJoin || j.Kind == plan.FullJoin || flipped && j.Kind != plan.InnerJoin {
		return nil, nil, false
	}
	side, outer := j.Left, left
	if flipped {
		side, outer = j.Right, right
	}
	for _, k := range keys {
		c, isColumn := k.Expr.(expr.Column)
		if !isColumn {
			return nil, nil, false
		}
		switch {
		case sideOf(c, width) == outer && flipped:
			k.Expr = expr.Shift(c, -width)
		case sideOf(c, width) == outer:
		default:
			if k.Expr, ok = partnerOf(j, c, width); !ok {
				return nil, nil, false
			}
		}
		of = append(of, k)
	}
	return side, of, true
}

// partnerOf is the column of the outer side, over its own columns, that an inner join makes equal to one of the other
// side.
func partnerOf(j plan.Join, c expr.Column, width int) (expr.Expr, bool) {
	if j.Method == nil || j.Kind != plan.InnerJoin {
		return nil, false
	}
	for _, k := range j.Method.Keys {
		own, other := k.Right, k.Left
		if j.Method.BuildLeft {
			own, other = k.Left, k.Right
		} else {
			own = expr.Shift(own, width)
		}
		if _, isColumn := other.(expr.Column); isColumn && expr.Equal(own, c) {
			return other, true
		}
	}
	return nil, false
}
