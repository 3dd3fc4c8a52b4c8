package stored

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// Computed are the expressions over a table of whose values statistics tell, by their numbers: those that its indexes
// are over, and those of statistics objects.
func (x Expressions) Computed(t *catalog.Table) ([]plan.Predicate, error) {
	out, err := x.indexed(t)
	if err != nil {
		return nil, err
	}
	of, err := x.ComputedOver(t, x.Catalog.Statistics(t.ID))
	return append(out, of...), err
}

// ComputedOver are the expressions of statistics objects over a table, or over one of its partitions.
func (x Expressions) ComputedOver(t *catalog.Table, list []*catalog.Statistics) ([]plan.Predicate, error) {
	var out []plan.Predicate
	for _, s := range list {
		for i := range s.Expressions {
			e, err := read(t, &s.Expressions[i], x.BindComputed)
			if err != nil {
				return nil, err
			}
			out = append(out, plan.Predicate{Index: s.Computed[i], Cond: e})
		}
	}
	return out, nil
}

// BindComputed is an expression of a statistics object, over the columns of the table, and which of them it names.
func (x Expressions) BindComputed(t *catalog.Table, c *catalog.Condition, tree ast.Expr) (
	e expr.Expr, named map[int]bool, err error) {
	return x.bindText(t, c, "statistics expressions", func(s *bind.Scalars) (expr.Expr, error) {
		e, err := s.Expr(tree)
		if _, isRow := e.(expr.Row); isRow {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported,
				"statistics creation on system columns is not supported")
		}
		return e, err
	})
}
