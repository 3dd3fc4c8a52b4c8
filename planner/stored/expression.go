package stored

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// IndexExpressions is what errors call expressions in the keys of indexes.
const IndexExpressions = "index expressions"

// indexed are the values of the columns of expressions that indexes of a table are over.
func (x Expressions) indexed(t *catalog.Table) ([]plan.Predicate, error) {
	var out []plan.Predicate
	for i := range t.Columns {
		c := &t.Columns[i]
		if !c.Expression() || !slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool { return x.KeyHas(c.ID) }) {
			continue
		}
		e, err := read(t, c.Generated, x.BindIndexed)
		if err != nil {
			return nil, err
		}
		out = append(out, plan.Predicate{Index: c.ID, Cond: e})
	}
	return out, nil
}

// BindIndexed is an expression that an index is over, over the columns of the table, and which of them it names.
func (x Expressions) BindIndexed(t *catalog.Table, c *catalog.Condition, tree ast.Expr) (
	e expr.Expr, named map[int]bool, err error) {
	return x.bindText(t, c, IndexExpressions, func(s *bind.Scalars) (expr.Expr, error) {
		e, err := s.Expr(tree)
		if err == nil && expr.Mutable(e) {
			err = sqlerr.New(sqlerr.InvalidObjectDefinition, "functions in index expression must be marked IMMUTABLE")
		}
		return e, err
	})
}
