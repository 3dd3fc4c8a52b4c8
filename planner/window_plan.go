package planner

import (
	"zproxy/expr"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// overWindows puts a Sort and a Window above the input for each window that is used.
func (q *query) overWindows(l *later) error {
	q.windowSets(l)
	windowsOnce(q, l)
	ordinals := make([]int, len(q.Windows.Calls))
	for d, def := range q.Windows.Defs {
		cols := append([]plan.Column(nil), q.input.Columns()...)
		for i, c := range q.Windows.Calls {
			if c.Def != d {
				continue
			}
			ordinals[i] = len(cols)
			def.Calls, cols = append(def.Calls, c.WindowCall), append(cols, plan.Column{Name: "?column?", Type: c.Type})
		}
		var keys []plan.SortKey
		for _, p := range def.Partition {
			keys = append(keys, plan.SortKey{Expr: p})
		}
		if keys = append(keys, def.Order...); len(keys) > 0 {
			q.input = plan.Sort{Input: q.input, Keys: keys}
		}
		def.Input, def.Cols = q.input, cols
		q.input = def
	}
	if len(ordinals) == 0 {
		return nil
	}
	return q.rewrite(l, func(e expr.Expr) (expr.Expr, error) {
		return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			if c, ok := x.(expr.Column); ok && c.Index >= bind.WindowColumn && c.Index < bind.SetColumn {
				c.Index = ordinals[c.Index-bind.WindowColumn]
				return c
			}
			return x
		}), nil
	})
}
