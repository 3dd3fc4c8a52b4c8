// Package rowkey says which columns hold a key of the rows of a plan, so that no two rows have the same values of them.
// Keys come from the primary keys and the unique indexes of tables, and from what groups rows; joins keep them where
// neither side has several partners. If there is no proof here, rows may still be different.
package rowkey

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// Held says whether some columns of a node hold a key of its rows. Rows with a NULL in a unique index count with nulls.
func Held(n plan.Node, columns map[int]bool, nulls bool) bool {
	switch n := n.(type) {
	case plan.Values:
		return len(n.Rows) <= 1
	case plan.Scan:
		return ofTable(n, columns, nulls)
	case plan.Filter, plan.Sort, plan.Limit, plan.LockRows, plan.Memoize:
		return Held(n.Inputs()[0], columns, nulls)
	case plan.Distinct:
		return n.On == nil && first(len(n.Columns()), columns) || Held(n.Input, columns, nulls)
	case plan.Aggregate:
		return first(len(n.Groups), columns)
	case plan.Project:
		return Held(n.Input, below(n, columns), nulls)
	case plan.Join:
		l, r := map[int]bool{}, map[int]bool{}
		for c := range columns {
			if at := c - plan.Width(n.Left); at < 0 {
				l[c] = true
			} else {
				r[at] = true
			}
		}
		return Held(n.Left, l, nulls) && (n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin || Held(n.Right, r, nulls))
	}
	return false
}

// Partners says whether a row has at most one partner in a side of a join: whether the values that it must be equal to
// hold a key of that side.
func Partners(n plan.Node, values []expr.Expr, nulls bool) bool {
	columns := map[int]bool{}
	for _, v := range values {
		if c, ok := v.(expr.Column); ok {
			columns[c.Index] = true
		}
	}
	return Held(n, columns, nulls)
}

// first says whether the first columns are all among some.
func first(n int, columns map[int]bool) bool {
	for i := range n {
		if !columns[i] {
			return false
		}
	}
	return true
}

// below are the columns of its input that a Project passes on as some of its own.
func below(n plan.Project, columns map[int]bool) map[int]bool {
	out := map[int]bool{}
	for i, e := range n.Exprs {
		if c, ok := e.(expr.Column); ok && columns[i] {
			out[c.Index] = true
		}
	}
	return out
}

// ofTable says whether columns of a scan hold a key of its table.
func ofTable(s plan.Scan, columns map[int]bool, nulls bool) bool {
	lacks := func(ordinal int) bool { return !columns[slices.Index(s.Reads, ordinal)] }
	key := s.Table.Primary.Columns()
	if s.Table.KeyName() == "" { // rows have numbers
		key = s.Table.Primary.Sources()
	}
	if !lacksAny(s.Table, key, lacks) {
		return true
	}
	return slices.ContainsFunc(s.Table.Indexes, func(x catalog.Index) bool {
		if !x.Unique || !x.State.Reads() || x.Partial() {
			return false
		}
		return !lacksAny(s.Table, x.Layout.Columns(), func(ordinal int) bool {
			return lacks(ordinal) || nulls && !x.Layout.NullsEqual && !s.Table.Columns[ordinal].NotNull
		})
	})
}

// lacksAny says whether something is lacking of any of some columns of a table.
func lacksAny(t *catalog.Table, ids []uint32, lacks func(ordinal int) bool) bool {
	return slices.ContainsFunc(ids, func(id uint32) bool { return lacks(t.Ordinal(id)) })
}
