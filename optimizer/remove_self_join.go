package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// removeSelfJoin reads a table once that is joined with itself by a unique key: both rows of a pair are the same one.
//
//	Join on (t.a = s.a)       Project a, b, a, c
//	├─ Filter (b > 5)     →   └─ Filter ((b > 5) AND (c = 7))
//	│  └─ Scan t                 └─ Scan t
//	└─ Filter (c = 7)
//	   └─ Scan t as s
//
// It finds two scans among all inputs of inner joins, or one of them on the right side of a semi join. It must not fire
// on rows that are written or locked, or for whose scan there is a hint, nor where a condition is volatile, nor on an
// outer join, which has rows without a partner. The rule is PostgreSQL's, remove_useless_self_joins.
var removeSelfJoin = Rule{"RemoveSelfJoin", func(o *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || !plain(j) || j.Kind != plan.InnerJoin && j.Kind != plan.SemiJoin {
		return n, false
	}
	if j.Kind == plan.InnerJoin && len(o.above) > 0 {
		if above, ok := o.above[len(o.above)-1].(plan.Join); ok && plainInner(above) {
			return n, false // the topmost of the joins does it for all of them
		}
	}
	f := &flatJoin{}
	if j.Kind == plan.SemiJoin {
		f.take(j.Left, 0)
		f.input(j.Right)
		f.conds = append(f.conds, expr.Conjuncts(j.On)...)
	} else {
		f.take(j, 0)
	}
	if slices.ContainsFunc(f.conds, volatile) {
		return n, false
	}
	kept, other, ok := f.sameRows(j.Kind)
	if !ok {
		return n, false
	}
	out, at := f.without(kept, other)
	return picked(out, j.Columns(), func(i int) int { return at[i] }), true
}}

// flatJoin is inner joins taken apart: their inputs, whose columns are numbered through, and their conditions.
type flatJoin struct {
	inputs []plan.Node
	starts []int // of each input: its first column
	width  int
	conds  []expr.Expr
}

// take takes apart the inner joins of a plan whose first column has a number.
func (f *flatJoin) take(n plan.Node, from int) {
	j, ok := n.(plan.Join)
	if !ok || !plainInner(j) {
		f.input(n)
		return
	}
	f.take(j.Left, from)
	f.take(j.Right, f.width)
	for _, c := range expr.Conjuncts(j.On) {
		f.conds = append(f.conds, expr.Shift(c, from))
	}
}

func (f *flatJoin) input(n plan.Node) {
	f.inputs, f.starts = append(f.inputs, n), append(f.starts, f.width)
	f.width += plan.Width(n)
}

// sameRows finds two inputs that are the same row of a table in each row of the join. Of a semi join the other one is
// the right side.
func (f *flatJoin) sameRows(kind plan.JoinKind) (kept, other int, ok bool) {
	var equal map[int][]expr.Column
	for other = len(f.inputs) - 1; other > 0; other-- {
		b, ok := onceRead(f.inputs[other])
		if !ok {
			continue
		}
		for kept = range other {
			a, ok := onceRead(f.inputs[kept])
			if !ok || a.Table.ID != b.Table.ID {
				continue
			}
			if equal == nil {
				equal = rowkey.Equivalences(f.known())
			}
			if f.equalKeys(equal, kept, other) {
				return kept, other, true
			}
		}
		if kind == plan.SemiJoin {
			break
		}
	}
	return 0, 0, false
}

// onceRead is the scan that an input is, if what it reads may be read by another scan of the table.
func onceRead(n plan.Node) (s plan.Scan, ok bool) {
	s, ok = n.(plan.Scan)
	return s, ok && s.Access == nil && !s.Write && s.Marked == 0 && s.Order == nil && len(s.Hints) == 0 && !s.Barrier &&
		s.Table.Foreign == nil && !slices.ContainsFunc(s.Filter, volatile)
}

// known are the conditions of the joins, and those of their inputs.
func (f *flatJoin) known() []expr.Expr {
	out := slices.Clone(f.conds)
	for i, n := range f.inputs {
		for _, c := range known(n) {
			out = append(out, expr.Shift(c, f.starts[i]))
		}
	}
	return out
}

// equalKeys says whether all columns of a key of two scans of a table are equal.
func (f *flatJoin) equalKeys(equal map[int][]expr.Column, kept, other int) bool {
	a, b := f.inputs[kept].(plan.Scan), f.inputs[other].(plan.Scan)
	same := rowkey.Columns{}
	for i, ordinal := range a.Reads {
		at := slices.Index(b.Reads, ordinal)
		if at >= 0 && slices.ContainsFunc(equal[f.starts[kept]+i],
			func(c expr.Column) bool { return c.Index == f.starts[other]+at }) {
			same[i] = true
		}
	}
	a.Filter = nil
	return len(same) > 0 && rowkey.Unique(a, same)
}

// without joins the inputs but for one, whose columns are those of another one. It says where each column is now.
func (f *flatJoin) without(kept, other int) (out plan.Node, at []int) {
	scan, columns := merged(f.inputs[kept].(plan.Scan), f.inputs[other].(plan.Scan))
	at = make([]int, f.width)
	first := map[int]int{}
	var inputs []plan.Node
	width := 0
	for i, n := range f.inputs {
		if i == other {
			continue
		}
		first[i] = width
		for c := range n.Columns() {
			at[f.starts[i]+c] = width + c
		}
		if i == kept {
			n = scan
		}
		inputs = append(inputs, n)
		width += plan.Width(n)
	}
	for c, i := range columns {
		at[f.starts[other]+c] = first[kept] + i
	}
	filled := func(c expr.Column) bool {
		i := c.Index - first[kept]
		return 0 <= i && i < len(scan.Reads) && scan.Table.Columns[scan.Reads[i]].NotNull
	}
	return joinedInOrder(inputs, renumbered(f.conds, at, filled)), at
}

// renumbered are conditions over columns that are elsewhere now, each once. A column that is compared with itself must
// not be NULL, which it may be unless it is filled.
func renumbered(conds []expr.Expr, at []int, filled func(expr.Column) bool) (out []expr.Expr) {
	for _, c := range conds {
		c = expr.Renumber(c, func(i int) int { return at[i] })
		l, r, equal := rowkey.EqualColumns(c)
		switch {
		case equal && l.Index == r.Index && filled(l):
			continue
		case equal && l.Index == r.Index:
			c = expr.IsNull{Arg: l, Not: true}
		case equal && l.Index > r.Index:
			c = expr.Compare{Op: expr.EQ, Left: c.(expr.Compare).Right, Right: c.(expr.Compare).Left}
		}
		if !among(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// merged is one scan for two of a table, and which of its columns are those of the second one.
func merged(a, b plan.Scan) (plan.Scan, []int) {
	columns := make([]int, len(b.Reads))
	a.Reads, a.Cols, a.Aside = slices.Clone(a.Reads), slices.Clone(a.Cols), nil
	for i, ordinal := range b.Reads {
		columns[i] = slices.Index(a.Reads, ordinal)
		if columns[i] < 0 {
			columns[i] = len(a.Reads)
			a.Reads, a.Cols = append(a.Reads, ordinal), append(a.Cols, b.Cols[i])
		}
	}
	a.Filter = slices.Clone(a.Filter)
	for _, c := range b.Filter {
		if c = expr.Renumber(c, func(i int) int { return columns[i] }); !among(a.Filter, c) {
			a.Filter = append(a.Filter, c)
		}
	}
	return a, columns
}

// joinedInOrder joins inputs one after the other, each by the conditions over it and those before it.
func joinedInOrder(inputs []plan.Node, conds []expr.Expr) plan.Node {
	out := inputs[0]
	for _, n := range inputs[1:] {
		width := plan.Width(out) + plan.Width(n)
		var on, above []expr.Expr
		for _, c := range conds {
			if sideOf(c, width)&right == 0 {
				on = append(on, c)
			} else {
				above = append(above, c)
			}
		}
		out, conds = plan.Join{Kind: plan.InnerJoin, Left: out, Right: n, On: expr.Conjoin(on)}, above
	}
	return filtered(out, conds)
}
