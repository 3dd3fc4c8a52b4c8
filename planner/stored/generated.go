package stored

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Generated are the values of the generated columns of a table, over the other columns of the row.
func (x Expressions) Generated(t *catalog.Table) ([]plan.Check, error) {
	var out []plan.Check
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Generated == nil || c.Expression() {
			continue
		}
		tree, err := parser.Expression(c.Generated.Text)
		if err != nil {
			return nil, err
		}
		value, _, err := x.BindGenerated(t, c, tree)
		if err != nil {
			return nil, bind.InStored(err)
		}
		out = append(out, plan.Check{Cond: value, Of: plan.Generates, Column: i})
	}
	return out, nil
}

// BindGenerated is the value of a generated column, over the columns of its table, and which of them it names.
func (x Expressions) BindGenerated(t *catalog.Table, c *catalog.Column, tree ast.Expr) (
	e expr.Expr, named map[int]bool, err error) {
	return x.bindText(t, c.Generated, "column generation expressions", func(s *bind.Scalars) (expr.Expr, error) {
		e, err := s.Expr(tree)
		if err != nil {
			return nil, err
		}
		if err := ofOthers(t, e, tree); err != nil {
			return nil, err
		}
		value, ok, err := x.Coerce(e, c.Type, types.Assignment, analyze.Start(tree))
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, sqlerr.New(sqlerr.DatatypeMismatch, "column %q is of type %s but default expression is of type %s",
				c.Name, c.Type.Bare(), e.Type().Bare()).
				WithHint("You will need to rewrite or cast the expression.")
		case expr.Mutable(value):
			return nil, sqlerr.New(sqlerr.InvalidObjectDefinition, "generation expression is not immutable")
		}
		return value, nil
	})
}

// ofOthers refuses an expression that names a generated column, or a row as a whole.
func ofOthers(t *catalog.Table, e expr.Expr, tree ast.Expr) error {
	columns := map[int]bool{}
	expr.Columns(e, columns)
	for i := range t.Columns {
		if columns[i] && t.Columns[i].Generated != nil {
			return sqlerr.New(sqlerr.InvalidObjectDefinition,
				"cannot use generated column %q in column generation expression", t.Columns[i].Name).
				WithDetail("A generated column cannot reference another generated column.").
				At(int(analyze.Start(tree)))
		}
	}
	return nil
}
