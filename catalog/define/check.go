package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
)

// newCheck adds a CHECK constraint to a table that is being made, and gives it a name if
// it has none. Rows that are there are not looked at.
func (b Builder) newCheck(t *catalog.Table, c ast.Check) error {
	out := catalog.Check{Name: c.Name, Text: c.Text, Read: b.Written()}
	var cond expr.Expr
	if err := b.Noted(out.Read, func() (err error) {
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
