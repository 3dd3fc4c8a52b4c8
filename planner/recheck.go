package planner

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// recheck is the condition that rows of a FROM list with WHERE meet, over these rows; nil if they need not meet any.
// It is that of WHERE and of inner joins, and what outer joins have of those on the side whose rows they keep.
func recheck(n plan.Node) expr.Expr { return expr.Conjoin(conditions(n)) }

func conditions(n plan.Node) []expr.Expr {
	switch n := n.(type) {
	case plan.Scan:
		return slices.Clip(n.Filter)
	case plan.Filter:
		return append(conditions(n.Input), repeatable(n.Cond)...)
	case plan.Barrier:
		return conditions(n.Input)
	case plan.Join:
		return joinConditions(n)
	}
	return nil
}

func joinConditions(n plan.Join) []expr.Expr {
	var out []expr.Expr
	if n.Kind == plan.InnerJoin || n.Kind == plan.LeftJoin {
		out = conditions(n.Left)
	}
	if n.Kind == plan.InnerJoin || n.Kind == plan.RightJoin {
		for _, c := range conditions(n.Right) {
			out = append(out, withoutSlots(expr.Shift(c, plan.Width(n.Left)), n.Slots))
		}
	}
	if n.Kind == plan.InnerJoin {
		out = append(out, repeatable(n.On)...)
	}
	return out
}

// repeatable are the conditions of a conjunction that may be asked again. A subquery that locks rows would lock
// others, unless its value is kept.
func repeatable(cond expr.Expr) []expr.Expr {
	return slices.DeleteFunc(expr.Conjuncts(cond), func(c expr.Expr) bool {
		return expr.Any(c, func(x expr.Expr) bool {
			s, ok := x.(expr.Subquery)
			return ok && !(s.Kind == expr.ScalarSubquery && s.Once()) && plan.Locked(s.Plan.(plan.Sub).Node) != nil
		})
	})
}

// withoutSlots is a condition on the right rows of a lateral join over the rows of both sides: it computes what the
// join puts into slots.
func withoutSlots(cond expr.Expr, slots []plan.Slot) expr.Expr {
	if len(slots) == 0 {
		return cond
	}
	return expr.Rewrite(cond, func(x expr.Expr) expr.Expr {
		switch x := x.(type) {
		case expr.Outer:
			if at := slices.IndexFunc(slots, func(s plan.Slot) bool { return s.Number == x.Slot }); at >= 0 {
				return slots[at].Value
			}
		case expr.Subquery:
			for _, s := range slots {
				if slices.Contains(x.Depends, s.Number) {
					x.Slots, x.Args = append(slices.Clip(x.Slots), s.Number), append(slices.Clip(x.Args), s.Value)
				}
			}
			return x
		}
		return x
	})
}

// nullableColumns says of which columns of a FROM list with WHERE outer joins may make NULLs, but for those whose
// rows the conditions drop.
func nullableColumns(n plan.Node) func(int) bool {
	nullable := map[int]bool{}
	markNullable(nullable, n, 0, nil)
	return func(column int) bool { return nullable[column] }
}

// markNullable marks the columns of a node, which are those of the list from first on. The conditions are on the
// columns of the list.
func markNullable(nullable map[int]bool, n plan.Node, first int, conds []expr.Expr) {
	if f, ok := n.(plan.Filter); ok {
		for _, c := range expr.Conjuncts(f.Cond) {
			conds = append(slices.Clip(conds), expr.Shift(c, first))
		}
		markNullable(nullable, f.Input, first, conds)
		return
	}
	if b, ok := n.(plan.Barrier); ok {
		markNullable(nullable, b.Input, first, conds)
		return
	}
	j, ok := n.(plan.Join)
	if !ok {
		return
	}
	behind := first + plan.Width(j.Left)
	end := first + plan.Width(j)
	kind := j.Kind.Strengthened(conds, func(i int) bool { return i >= first && i < behind },
		func(i int) bool { return i >= behind && i < end })
	var on []expr.Expr
	for _, c := range expr.Conjuncts(j.On) {
		on = append(on, expr.Shift(c, first))
	}
	left, right := slices.Concat(conds, on), slices.Concat(conds, on)
	if kind == plan.LeftJoin || kind == plan.FullJoin {
		mark(nullable, behind, end)
		left, right = conds, on
	}
	if kind == plan.RightJoin || kind == plan.FullJoin {
		mark(nullable, first, behind)
		left, right = on, conds
	}
	if kind == plan.FullJoin {
		left, right = nil, nil
	}
	markNullable(nullable, j.Left, first, left)
	markNullable(nullable, j.Right, behind, right)
}

func mark(columns map[int]bool, from, to int) {
	for i := from; i < to; i++ {
		columns[i] = true
	}
}
