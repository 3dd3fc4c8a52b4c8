package stored

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// Triggers are the triggers of a table, with what writes must know of them.
func (x Expressions) Triggers(t *catalog.Table) ([]plan.Trigger, error) {
	var out []plan.Trigger
	for i := range t.Triggers.Triggers {
		one := plan.Trigger{Trigger: &t.Triggers.Triggers[i], Table: t}
		for _, id := range one.Columns {
			one.Set = append(one.Set, t.Ordinal(id))
		}
		if one.Trigger.When != nil {
			var err error
			if one.When, err = read(t, one.Trigger.When, x.BindWhen); err != nil {
				return nil, err
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// BindWhen is the condition of a trigger, over the old row of a table and behind it the new one, and which columns of
// both it names.
func (x Expressions) BindWhen(t *catalog.Table, c *catalog.Condition, tree ast.Expr) (
	cond expr.Expr, named map[int]bool, err error) {
	return x.bindOver(c, func(x Expressions) (expr.Expr, error) {
		old := x.OfTable(c.Whole(t), "old")
		next := old
		next.Name, next.First = "new", len(old.Cols)
		return x.in(bind.NewScope(old, next), "trigger WHEN conditions").Condition(tree, "WHEN")
	})
}
