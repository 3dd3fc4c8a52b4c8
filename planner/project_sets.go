package planner

import (
	"zproxy/expr"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// overSets puts set-returning functions above the input: those that are wanted, first those whose
// arguments are no sets, then those of what these return. The expressions below read them, too.
func (q *query) overSets(l *later, wanted func(i int) bool, below []expr.Expr) {
	for {
		var now []int
		for i, c := range q.Sets.Calls {
			if !q.Sets.Projected[i] && wanted(i) && !holds(expr.Row{Args: c.Args}, bind.SetColumn) {
				now = append(now, i)
			}
		}
		if len(now) == 0 {
			return
		}
		move := q.projectSets(now)
		for i, e := range below {
			below[i] = move(e)
		}
		_ = q.rewrite(l, func(e expr.Expr) (expr.Expr, error) { return move(e), nil })
	}
}

func allSets(int) bool { return true }

// setsOf wants the set-returning functions in some expressions, and those in their arguments.
func (q *query) setsOf(list []expr.Expr) func(i int) bool {
	found := map[int]bool{}
	var look func(e expr.Expr)
	look = func(e expr.Expr) {
		expr.Any(e, func(x expr.Expr) bool {
			if c, ok := x.(expr.Column); ok && c.Index >= bind.SetColumn && !found[c.Index-bind.SetColumn] {
				found[c.Index-bind.SetColumn] = true
				look(q.Sets.Calls[c.Index-bind.SetColumn])
			}
			return false
		})
	}
	for _, e := range list {
		look(e)
	}
	return func(i int) bool { return found[i] }
}

// windowSets places the set-returning functions that windows are made by below them.
func (q *query) windowSets(l *later) {
	var list []expr.Expr
	for _, d := range q.Windows.Defs {
		list = append(list, d.Partition...)
		for _, k := range d.Order {
			list = append(list, k.Expr)
		}
	}
	q.overSets(l, q.setsOf(list), nil)
}

// projectSets puts some calls above the input. What is returned makes expressions read
// their columns.
func (q *query) projectSets(now []int) func(expr.Expr) expr.Expr {
	n := plan.ProjectSet{Input: q.input, Cols: append([]plan.Column(nil), q.input.Columns()...)}
	ordinals := map[int]int{}
	for _, i := range now {
		c := q.Sets.Calls[i]
		q.Sets.Projected[i], ordinals[bind.SetColumn+i] = true, len(n.Cols)
		n.Calls, n.Cols = append(n.Calls, c), append(n.Cols, plan.Column{Name: c.Fn.Name, Type: bind.SetType(c)})
	}
	q.input = n
	return func(e expr.Expr) expr.Expr {
		return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			if c, ok := x.(expr.Column); ok {
				if at, ok := ordinals[c.Index]; ok {
					c.Index = at
				}
				return c
			}
			return x
		})
	}
}

// holds says whether an expression has a column at a place or behind it.
func holds(e expr.Expr, first int) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Column)
		return ok && c.Index >= first
	})
}
