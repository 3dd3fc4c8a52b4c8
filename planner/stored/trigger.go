package stored

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/trigger"
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
		one.Set = updateOf(t, one.Columns)
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

// updateOf are the columns of which one must be set for an UPDATE to fire a trigger UPDATE OF some; nil: every UPDATE
// does. A generated column counts as set where a column is that it is computed from, and everywhere if triggers may
// change the row before it is computed.
func updateOf(t *catalog.Table, columns []uint32) (out []int) {
	changed := slices.ContainsFunc(t.Triggers.Triggers, func(x catalog.Trigger) bool {
		return x.Of(trigger.Before, trigger.Update, true)
	})
	for _, id := range columns {
		at := t.Ordinal(id)
		out = append(out, at)
		generated := t.Columns[at].Generated
		if generated == nil {
			continue
		}
		if changed {
			return nil
		}
		for i := range t.Columns {
			if generated.Names(t.Columns[i].ID) {
				out = append(out, i)
			}
		}
	}
	return out
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
