package stored

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// Checks are the conditions that rows of a table must meet, in the order in which
// PostgreSQL looks at them.
func (x Expressions) Checks(t *catalog.Table) ([]plan.Check, error) {
	var out []plan.Check
	for _, c := range t.Checks {
		tree, err := parser.Expression(c.Text)
		if err != nil {
			return nil, err
		}
		cond, err := x.storedCheck(t, c, tree)
		if err != nil {
			return nil, bind.InStored(err)
		}
		out = append(out, plan.Check{Name: c.Name, Cond: cond})
	}
	slices.SortFunc(out, func(a, b plan.Check) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Enforced are those that rows which are written must meet.
func (x Expressions) Enforced(t *catalog.Table) ([]plan.Check, error) {
	return x.Checks(without(t, func(k catalog.Check) bool { return k.NotEnforced }))
}

// Known are those that all rows of a table meet: but for checks that are not validated.
func (x Expressions) Known(t *catalog.Table) ([]plan.Check, error) { return x.Checks(valid(t)) }

// valid is a table without the checks that rows which were there before them may not meet.
func valid(t *catalog.Table) *catalog.Table {
	return without(t, func(k catalog.Check) bool { return k.NotValid })
}

// without is a table without some of its checks.
func without(t *catalog.Table, some func(catalog.Check) bool) *catalog.Table {
	if !slices.ContainsFunc(t.Checks, some) {
		return t
	}
	c := *t
	c.Checks = slices.DeleteFunc(slices.Clone(t.Checks), some)
	return &c
}

// Declared are the conditions that the checks of a table and the range of a partition set, of which no row makes one
// false.
func (x Expressions) Declared(t *catalog.Table) ([]expr.Expr, error) {
	checks, err := x.Known(t)
	var out []expr.Expr
	for _, c := range checks {
		out = append(out, expr.Conjuncts(c.Cond)...)
	}
	if err != nil {
		return nil, err
	}
	bound, err := x.Bound(t)
	return append(out, bound...), err
}

// storedCheck is the condition of a check that the catalog has.
func (x Expressions) storedCheck(t *catalog.Table, c catalog.Check, tree ast.Expr) (expr.Expr, error) {
	end, err := bind.AsStored(x.Binder, c.Read)
	defer end()
	if err != nil {
		return nil, err
	}
	return x.BindCheck(t.Named(c.Columns), tree)
}

// BindCheck is the condition of a check of a table, which may be a new one.
func (x Expressions) BindCheck(t *catalog.Table, tree ast.Expr) (expr.Expr, error) {
	return x.over(t, "check constraints").Condition(tree, "CHECK")
}
