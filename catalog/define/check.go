package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// newCheck adds a CHECK constraint to a table that is being made, and gives it a name if
// it has none. Rows that are there are not looked at.
func (b Builder) newCheck(t *catalog.Table, c ast.Check) error {
	if c.NoInherit && t.Partitioning != nil {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot add NO INHERIT constraint to partitioned table %q",
			t.Name)
	}
	out := catalog.Check{Name: c.Name, Text: c.Text, Read: b.Written(), Validity: c.Validity, NoInherit: c.NoInherit}
	var cond expr.Expr
	if err := bind.Noted(&b.Binder, out.Read, func() (err error) {
		cond, err = b.Stored().BindCheck(t, c.Expr)
		return err
	}); err != nil {
		return err
	}
	expr.Any(cond, func(e expr.Expr) bool {
		if col, ok := e.(expr.Column); ok {
			column := catalog.Bound{ID: t.Columns[col.Index].ID, Name: t.Columns[col.Index].Name}
			if !slices.Contains(out.Columns, column) {
				out.Columns = append(out.Columns, column)
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
	id, err := b.Next()
	if err != nil {
		return err
	}
	out.ID = uint32(id)
	t.Checks = append(slices.Clone(t.Checks), out)
	return nil
}

// addCheck adds a CHECK constraint. It is valid, since there are no rows yet.
func (t *NewTable) addCheck(c ast.Check) error {
	if c.Name != "" && t.HasConstraint(c.Name) {
		return sqlerr.New(sqlerr.DuplicateObject, "check constraint %q already exists", c.Name)
	}
	c.NotValid = c.NotEnforced
	return t.by.newCheck(t.Table, c)
}

// AddCheck adds a CHECK constraint, which is the last one of the table.
func (a *Alter) AddCheck(c ast.Check) (*catalog.Table, error) {
	if c.Name != "" && a.Table.HasConstraint(c.Name) {
		return nil, a.taken(c.Name)
	}
	t := *a.Table
	t.Version++
	return &t, a.newCheck(&t, c)
}

func (a *Alter) taken(name string) error {
	return sqlerr.New(sqlerr.DuplicateObject, "constraint %q for relation %q already exists", name, a.Table.Name)
}

// Violated is the condition that rows which violate a check of the table meet.
func (a *Alter) Violated(t *catalog.Table, check int) (expr.Expr, error) {
	only := *t
	only.Checks = t.Checks[check : check+1]
	checks, err := a.Stored().Checks(&only)
	if err != nil {
		return nil, err
	}
	return expr.IsBool{Arg: checks[0].Cond, Want: false}, nil
}

// ValidCheck is the table where a check is one that all rows meet.
func (a *Alter) ValidCheck(name string) *catalog.Table {
	t := *a.Table
	t.Version++
	t.Checks = slices.Clone(t.Checks)
	t.Checks[t.Check(name)].NotValid = false
	return &t
}
