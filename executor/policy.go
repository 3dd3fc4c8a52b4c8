package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// secured is a writer to a table with row security.
type secured struct{ *writer }

// allow finds the policy of some kinds that forbids what is done with a row.
func (w secured) allow(row types.Row, kinds ...plan.CheckKind) error {
	for i := range w.checks {
		c := &w.checks[i]
		if !c.Policy() || !slices.Contains(kinds, c.Of) {
			continue
		}
		if v, err := c.Cond.Eval(w.env.Expr, row); err != nil {
			return err
		} else if !v.IsTrue() {
			return forbidden(c)
		}
	}
	return nil
}

// forbidden says that a policy, or all together, forbid what is done with a row.
func forbidden(c *plan.Check) error {
	row, expression := "new", ""
	switch c.Of {
	case plan.MergeUpdateCheck, plan.MergeDeleteCheck:
		row, expression = "target", " (USING expression)"
	case plan.ConflictCheck:
		expression = " (USING expression)"
	}
	if c.Name == "" {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "%s row violates row-level security policy%s for table %q", row,
			expression, c.Table)
	}
	return sqlerr.New(sqlerr.InsufficientPrivilege, "%s row violates row-level security policy %q%s for table %q", row,
		c.Name, expression, c.Table)
}
