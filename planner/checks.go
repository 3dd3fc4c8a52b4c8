package planner

import (
	"cmp"
	"slices"
	"zproxy/planner/bind"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
)

// Checks are the conditions that rows of a table must meet, in the order in which
// PostgreSQL looks at them.
func (p *Planner) Checks(t *catalog.Table) ([]plan.Check, error) {
	var out []plan.Check
	for _, c := range t.Checks {
		tree, err := p.ParseExpr(c.Text)
		if err != nil {
			return nil, err
		}
		cond, err := p.storedCheck(t, c, tree)
		if err != nil {
			return nil, bind.InStored(err)
		}
		out = append(out, plan.Check{Name: c.Name, Cond: cond})
	}
	slices.SortFunc(out, func(a, b plan.Check) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// conditions are those that rows of a table must meet, and those that partial indexes have.
func (p *Planner) conditions(t *catalog.Table) ([]plan.Check, []plan.Predicate, error) {
	checks, err := p.Checks(t)
	if err != nil {
		return nil, nil, err
	}
	held, err := p.holds(t)
	return checks, held, err
}

// storedCheck is the condition of a check that the catalog has.
func (p *Planner) storedCheck(t *catalog.Table, c catalog.Check, tree ast.Expr) (expr.Expr, error) {
	end, err := p.Reading(c.Read)
	defer end()
	if err != nil {
		return nil, err
	}
	return p.checkCondition(t.Named(c.Columns), tree)
}

func (p *Planner) checkCondition(t *catalog.Table, tree ast.Expr) (expr.Expr, error) {
	rel, _, err := p.scanTable(t, "", nil)
	if err != nil {
		return nil, err
	}
	sc := p.expressions(bind.NewScope(rel), "check constraints")
	return sc.Condition(tree, "CHECK")
}

// newCheck adds a CHECK constraint to a table that is being made, and gives it a name if
// it has none. Rows that are there are not looked at.
func (p *Planner) newCheck(t *catalog.Table, c ast.Check, next IDs) error {
	out := catalog.Check{Name: c.Name, Text: c.Text, Read: p.Written()}
	var cond expr.Expr
	if err := p.Noted(out.Read, func() (err error) {
		cond, err = p.checkCondition(t, c.Expr)
		return err
	}); err != nil {
		return err
	}
	expr.Any(cond, func(e expr.Expr) bool {
		if col, ok := e.(expr.Column); ok {
			b := catalog.Bound{ID: t.Columns[col.Index].ID, Name: t.Columns[col.Index].Name}
			if !slices.Contains(out.Columns, b) {
				out.Columns = append(out.Columns, b)
			}
		}
		return false
	})
	if out.Name == "" {
		column := ""
		if len(out.Columns) == 1 {
			column = out.Columns[0].Name
		}
		out.Name = freeName(t.Name, column, "check", t.HasConstraint)
	}
	id, err := next()
	if err != nil {
		return err
	}
	out.ID = uint32(id)
	t.Checks = append(slices.Clone(t.Checks), out)
	return nil
}
