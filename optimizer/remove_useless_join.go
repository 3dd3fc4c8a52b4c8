package optimizer

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// removeUselessJoin leaves out an outer join of which nothing is asked above: each row has one partner at the most, by
// a key of the other side, and comes out as often as without the join.
//
//	Project a                     Project a
//	└─ Left Join on (b = x)   →   └─ Scan t
//	   ├─ Scan t
//	   └─ Scan u, with the key x
//
// It must not fire where the other side, or the condition, has something volatile or locks rows, or where one row may
// have several partners. The rule is PostgreSQL's, remove_useless_joins.
var removeUselessJoin = Rule{"RemoveUselessJoin", func(_ *Options, n plan.Node) (plan.Node, bool) {
	var used map[int]bool
	switch top := n.(type) {
	case plan.Project:
		if hasOuterJoin(top.Input) {
			used = map[int]bool{}
			columnsOf(used, top.Exprs...)
		}
	case plan.Aggregate, plan.GroupingSets:
		if hasOuterJoin(top.Inputs()[0]) {
			used = map[int]bool{}
			ownColumns(top, used)
		}
	}
	if used == nil {
		return n, false
	}
	w := narrowing{joins: true}
	out, _ := w.below(n, used)
	if w.removed == 0 {
		return n, false
	}
	return out, true
}}

// hasOuterJoin says whether there is a join of which a side may be left out.
func hasOuterJoin(n plan.Node) bool {
	switch n := n.(type) {
	case plan.Scan:
		return false
	case plan.Filter:
		return hasOuterJoin(n.Input)
	case plan.Join:
		if n.Method == nil && (n.Kind == plan.LeftJoin || n.Kind == plan.RightJoin) {
			return true
		}
	}
	return slices.ContainsFunc(n.Inputs(), hasOuterJoin)
}

// needless says whether an outer join is only the rows of the side that it keeps, and which side that is, where some
// of its columns are used above.
func needless(j plan.Join, used map[int]bool) (kept side) {
	ofLeft, ofRight := splitColumns(used, plan.Width(j.Left))
	var other plan.Node
	switch {
	case j.Kind == plan.LeftJoin && len(ofRight) == 0:
		kept, other = left, j.Right
	case j.Kind == plan.RightJoin && len(ofLeft) == 0:
		kept, other = right, j.Left
	default:
		return neither
	}
	partners := rowkey.Columns{}
	for _, k := range j.Equalities().Keys {
		e := k.Right
		if kept == right {
			e = k.Left
		}
		if c, ok := plan.ColumnOf(e); ok {
			partners[c.Index] = partners[c.Index] || !k.NullsEqual
		}
	}
	if !rowkey.Unique(other, partners) || slices.ContainsFunc(plan.Exprs(j), volatile) || holdsVolatile(other) ||
		len(plan.Locked(other)) > 0 {
		return neither
	}
	return kept
}
