package stored

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// Indexed is a table with what its partial indexes hold, as who writes index entries needs it.
func (x Expressions) Indexed(t *catalog.Table) (plan.Indexed, error) {
	out := plan.Indexed{Table: t}
	var err error
	if out.Holds, err = x.Predicates(t); err == nil {
		out.Expressions, err = x.indexed(t)
	}
	return out, err
}

// Predicates are the conditions of the partial indexes of a table.
func (x Expressions) Predicates(t *catalog.Table) ([]plan.Predicate, error) {
	var out []plan.Predicate
	for i := range t.Indexes {
		index := &t.Indexes[i]
		if index.Where == nil {
			continue
		}
		cond, err := read(t, index.Where, x.BindPredicate)
		if err != nil {
			return nil, err
		}
		out = append(out, plan.Predicate{Index: index.ID, Cond: cond})
	}
	return out, nil
}

// read is a text that is stored with a table, bound by a function.
func read(t *catalog.Table, c *catalog.Condition,
	by func(*catalog.Table, *catalog.Condition, ast.Expr) (expr.Expr, map[int]bool, error)) (expr.Expr, error) {
	tree, err := parser.Expression(c.Text)
	if err != nil {
		return nil, err
	}
	e, _, err := by(t, c, tree)
	if err != nil {
		return nil, bind.InStored(err)
	}
	return e, nil
}

// BindPredicate is the condition of an index, over the columns of the table. It says which of them the text
// names: constants may decide about the rest.
func (x Expressions) BindPredicate(t *catalog.Table, c *catalog.Condition, tree ast.Expr) (
	cond expr.Expr, named map[int]bool, err error) {
	return x.bindText(t, c, bind.IndexPredicate, func(s *bind.Scalars) (expr.Expr, error) {
		cond, err := s.Condition(tree, "WHERE")
		if err == nil && expr.Mutable(cond) {
			err = sqlerr.New(sqlerr.InvalidObjectDefinition, "functions in index predicate must be marked IMMUTABLE")
		}
		return cond, err
	})
}

// bindText binds a stored text over a table as it was when that was stored, in the environment of then, and without
// parameters. It says which columns the text names: constants may decide about the rest.
func (x Expressions) bindText(t *catalog.Table, c *catalog.Condition, what string,
	by func(*bind.Scalars) (expr.Expr, error)) (e expr.Expr, named map[int]bool, err error) {
	return x.bindOver(c, func(x Expressions) (expr.Expr, error) { return by(x.over(t.As(c.Over), what)) })
}

// bindOver is bindText over anything.
func (x Expressions) bindOver(c *catalog.Condition, by func(Expressions) (expr.Expr, error)) (
	e expr.Expr, named map[int]bool, err error) {
	env, err := c.Env()
	if err != nil {
		return nil, nil, err
	}
	env = catalog.Over(env, x.Env.Names)
	b := *x.Binder
	b.Env, b.Literals, b.NoParams, b.Catalog, b.Variables = env, nil, true, b.Present(), nil
	if _, err := bind.AsStored(&b, &c.Literals); err != nil { // the binder is for this text alone
		return nil, nil, err
	}
	b.Literals = nil
	x.Binder = &b
	if e, err = by(x); err != nil {
		return nil, nil, err
	}
	named = map[int]bool{}
	expr.Columns(e, named)
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		folded, _ := expr.Fold(e, env)
		return folded
	}), named, nil
}
