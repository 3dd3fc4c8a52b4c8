package stored

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
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
			tree, err := parser.Expression(one.Trigger.When.Text)
			if err == nil {
				one.When, _, err = x.BindWhen(t, one.Trigger.When, tree)
			}
			if err != nil {
				return nil, bind.InStored(err)
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
		old := x.OfTable(t.As(present(t, c.Over)), "old")
		next := old
		next.Name, next.First = "new", len(old.Cols)
		return x.in(bind.NewScope(old, next), "trigger WHEN conditions").Condition(tree, "WHEN")
	})
}

// present is a use of a table with the names that it had, and with all columns of the table: a row as a whole has those
// that came later.
func present(t *catalog.Table, u catalog.Use) catalog.Use {
	had := u.Columns
	u.Columns = slices.Clone(had)
	for _, c := range t.Columns {
		taken := func(b catalog.Bound) bool { return b.ID == c.ID || b.Name == c.Name }
		if !c.Hidden && !slices.ContainsFunc(had, taken) {
			u.Columns = append(u.Columns, catalog.Bound{ID: c.ID, Name: c.Name})
		}
	}
	return u
}
