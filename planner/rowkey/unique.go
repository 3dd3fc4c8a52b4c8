// Package rowkey says which columns hold a key of the rows of a plan, so that no two rows have the same values of them.
// Keys come from the primary keys and the unique indexes of tables, and from what groups rows; joins keep them where
// neither side has several partners. If there is no proof here, rows may still be different. Columns that do not differ
// where others do not are dependencies.
package rowkey

import (
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Columns are those in which two rows have the same value; of each, whether it is known that the value is not NULL.
type Columns map[int]bool

// Unique says whether no two rows of a node agree in some columns, NULL being equal to NULL. Within the right side of a
// lateral join it holds for one left row.
func Unique(n plan.Node, in Columns) bool {
	switch n := n.(type) {
	case plan.Values:
		return len(n.Rows) <= 1
	case plan.Scan:
		return uniqueInScan(n, in)
	case plan.Filter:
		if s, ok := n.Input.(plan.Scan); ok {
			return uniqueInScan(filtered(s, n.Cond), in)
		}
		return Unique(n.Input, in.fixed(expr.Conjuncts(n.Cond)))
	case plan.Project:
		return Unique(n.Input, in.below(n.Exprs))
	case plan.Sort, plan.LockRows, plan.Memoize, plan.Barrier:
		return Unique(n.Inputs()[0], in)
	case plan.With:
		return Unique(n.Input, in)
	case plan.Limit:
		return oneAtMost(n) || Unique(n.Input, in)
	case plan.Distinct:
		return in.covers(n.On, plan.Width(n)) || Unique(n.Input, in)
	case plan.Aggregate:
		return in.coversKeys(n) || Unique(n.Input, in.below(n.Groups))
	case plan.Window:
		of, _ := in.split(plan.Width(n.Input))
		return Unique(n.Input, of)
	case plan.SetOp:
		return !n.All && in.covers(nil, plan.Width(n)) || Unique(n.Left, in)
	case plan.Join:
		return uniqueInJoin(n, in)
	case plan.Append:
		return uniqueInAppend(n, in)
	}
	return false
}

// uniqueInAppend says whether inputs differ from each other in a column that is constant in each of them, and no two
// rows of an input agree.
func uniqueInAppend(n plan.Append, in Columns) bool {
	for i := range in {
		if differing(n.In, i) {
			return !slices.ContainsFunc(n.In, func(x plan.Node) bool { return !Unique(x, in) })
		}
	}
	return false
}

// differing says whether all rows of an input have the same value in a column, and each input has another one.
func differing(inputs []plan.Node, column int) bool {
	var values []types.Value
	for _, n := range inputs {
		v, ok := constantIn(n, column)
		if !ok || slices.ContainsFunc(values, func(x types.Value) bool { return types.Equal(v, x) }) {
			return false
		}
		values = append(values, v)
	}
	return true
}

// constantIn is the value of a column that is a constant in a select list.
func constantIn(n plan.Node, column int) (v types.Value, ok bool) {
	switch n := n.(type) {
	case plan.Filter:
		return constantIn(n.Input, column)
	case plan.Project:
		c, ok := n.Exprs[column].(expr.Const)
		return c.Value, ok && !c.Value.IsNull()
	}
	return v, false
}

// oneAtMost says whether a Limit passes on one row, or none.
func oneAtMost(n plan.Limit) bool {
	count, ok := n.Count.(expr.Const)
	return ok && n.Ties == nil && count.Value.Kind() == types.KindInt && count.Value.Int() <= 1
}

// uniqueInScan looks for a key of the table of which all columns are known.
func uniqueInScan(s plan.Scan, in Columns) bool {
	in = in.fixed(s.Filter)
	return slices.ContainsFunc(keysOf(s), func(key *catalog.Layout) bool { return inKey(s, in, key) })
}

// inKey says whether no two rows of a scan agree in the columns of a key that is unique among the rows without NULL in
// it, or among all rows.
func inKey(s plan.Scan, in Columns, key *catalog.Layout) bool {
	return !slices.ContainsFunc(key.Columns(), func(id uint32) bool {
		ordinal := s.Table.Ordinal(id)
		at := slices.Index(s.Reads, ordinal)
		filled, ok := in[at]
		return !ok || !filled && !key.NullsEqual && !neverNull(s, ordinal, at)
	})
}

// uniqueInJoin takes the rows of one side to be the same, and then those of the other one by the equalities.
func uniqueInJoin(j plan.Join, in Columns) bool {
	l, r := in.split(plan.Width(j.Left))
	keys := j.Equalities().Keys
	ofLeft := func(k plan.JoinKey) expr.Expr { return k.Left }
	ofRight := func(k plan.JoinKey) expr.Expr { return k.Right }
	every := func(plan.JoinKey) bool { return true }
	switch j.Kind {
	case plan.SemiJoin, plan.AntiJoin:
		return Unique(j.Left, l)
	case plan.LeftJoin:
		return Unique(j.Left, l) && Unique(j.Right, r.with(keys, ofRight, every))
	case plan.RightJoin:
		return Unique(j.Right, r) && Unique(j.Left, l.with(keys, ofLeft, every))
	case plan.InnerJoin:
		l = l.with(keys, ofLeft, func(k plan.JoinKey) bool { return r.has(k.Right) })
		r = r.with(keys, ofRight, func(k plan.JoinKey) bool { return l.has(k.Left) })
		return Unique(j.Left, l) && Unique(j.Right, r.with(keys, ofRight, every)) ||
			len(j.Slots) == 0 && Unique(j.Right, r) && Unique(j.Left, l.with(keys, ofLeft, every))
	}
	return false
}

// keySide is the value of one side of an equality.
type keySide func(plan.JoinKey) expr.Expr

// with has the columns of one side of equalities, too, where the values of the other side are known.
func (in Columns) with(keys []plan.JoinKey, of keySide, known func(plan.JoinKey) bool) Columns {
	out := maps.Clone(in)
	for _, k := range keys {
		if c, ok := plan.ColumnOf(of(k)); ok && known(k) {
			out[c.Index] = out[c.Index] || !k.NullsEqual
		}
	}
	return out
}

// has says whether an expression is one of the columns.
func (in Columns) has(e expr.Expr) bool {
	c, ok := plan.ColumnOf(e)
	_, known := in[c.Index]
	return ok && known
}

// covers says whether all of some expressions are among the columns; nil: as many columns as there are.
func (in Columns) covers(list []expr.Expr, width int) bool {
	if list != nil {
		return !slices.ContainsFunc(list, func(e expr.Expr) bool { return !in.has(e) })
	}
	for i := range width {
		if _, ok := in[i]; !ok {
			return false
		}
	}
	return true
}

// coversKeys says whether the groups of an Aggregate that decide all others are among the columns.
func (in Columns) coversKeys(n plan.Aggregate) bool {
	if n.By == nil {
		return in.covers(nil, len(n.Groups))
	}
	return !slices.ContainsFunc(n.By, func(at int) bool { _, ok := in[at]; return !ok })
}

// split is those of each side of a node, of which the left one has a number of columns.
func (in Columns) split(width int) (l, r Columns) {
	l, r = Columns{}, Columns{}
	for i, filled := range in {
		if i < width {
			l[i] = filled
		} else {
			r[i-width] = filled
		}
	}
	return l, r
}

// below is those of the input that a select list has.
func (in Columns) below(list []expr.Expr) Columns {
	out := Columns{}
	for i, filled := range in {
		if i < len(list) {
			if c, ok := plan.ColumnOf(list[i]); ok {
				out[c.Index] = out[c.Index] || filled
			}
		}
	}
	return out
}

// fixed has the columns, too, that conditions on the rows make equal to a value of the run, or to other such columns.
func (in Columns) fixed(conds []expr.Expr) Columns {
	out := maps.Clone(in)
	for _, cond := range conds {
		if c, ok := fixedColumn(cond); ok {
			out[c.Index] = true
		}
	}
	for _, class := range Equivalences(conds) {
		if slices.ContainsFunc(class, func(c expr.Column) bool { return out.has(c) }) {
			for _, c := range class {
				out[c.Index] = true
			}
		}
	}
	return out
}

// fixedColumn is the column that a condition makes equal to a value of the run.
func fixedColumn(cond expr.Expr) (c expr.Column, ok bool) {
	e, ok := cond.(expr.Compare)
	if !ok || e.Op != expr.EQ {
		return c, false
	}
	if c, ok = plan.ColumnOf(e.Left); ok {
		return c, expr.Fixed(e.Right)
	}
	c, ok = plan.ColumnOf(e.Right)
	return c, ok && expr.Fixed(e.Left)
}
