package planner

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// group puts the groups and aggregates of a SELECT between its input and its select
// list, when it has any, and makes the select list and the sort keys read them.
func (q *query) group(s *ast.Select, l *later) error {
	g, err := q.groupBy(s)
	if err != nil {
		return err
	}
	var having expr.Expr
	if s.Having != nil {
		sc := q.In("HAVING")
		sc.Aggs = q.Aggs
		if having, err = sc.Condition(s.Having, "HAVING"); err != nil {
			return err
		}
	}
	if err := g.ask(q.Aggs.Groupings); err != nil {
		return err
	}
	if s.GroupBy.Items == nil && having == nil && len(q.Aggs.Calls) == 0 {
		return nil
	}
	q.dependent(g)
	if len(q.Aggs.Calls) > 0 &&
		slices.ContainsFunc(q.Scope.Relations, func(r bind.Relation) bool { return r.Recursive }) {
		return sqlerr.New(sqlerr.InvalidRecursion,
			"aggregate functions are not allowed in a recursive query's recursive term").At(int(q.Aggs.Pos[0]))
	}
	if err := q.directArguments(g); err != nil {
		return err
	}
	q.overSets(l, q.setsOf(g.exprs), g.exprs)
	q.input = q.grouped(g)
	over := func(e expr.Expr) (expr.Expr, error) { return q.overGroups(e, g) }
	if err := q.rewrite(l, over); err != nil {
		return err
	}
	if having != nil {
		if having, err = over(having); err != nil {
			return err
		}
		q.input = plan.Filter{Input: q.input, Cond: having}
	}
	return nil
}

// directArguments wants the arguments of ordered-set aggregates that stand in the
// parentheses to be the same for a whole group.
func (q *query) directArguments(g *grouping) error {
	for _, call := range q.Aggs.Calls {
		if !call.Fn.Ordered {
			continue
		}
		for _, arg := range call.Args[:len(call.Args)-len(call.Order)] {
			if _, err := q.overGroups(arg, g); err != nil {
				return sqlerr.From(err).
					WithDetail("Direct arguments of an ordered-set aggregate must use only grouped columns.")
			}
		}
	}
	return nil
}

func columnOf(e expr.Expr) string {
	if c, ok := e.(expr.Column); ok {
		return c.Name
	}
	return "?column?"
}

// overGroups makes an expression over FROM one over the rows of the Aggregate.
func (q *query) overGroups(e expr.Expr, g *grouping) (expr.Expr, error) {
	if i := bind.IndexOf(g.exprs, e); i >= 0 {
		return expr.Column{Index: i, Name: columnOf(e), T: e.Type()}, nil
	}
	if c, ok := e.(expr.Column); ok {
		if c.Index >= bind.WindowColumn {
			return c, nil
		}
		if c.Index >= bind.GroupingColumn {
			return g.asked(c, len(q.Aggs.Calls)), nil
		}
		if c.Index >= bind.AggregateColumn {
			c.Index = len(g.exprs) + c.Index - bind.AggregateColumn
			return c, nil
		}
		return nil, sqlerr.New(sqlerr.GroupingError,
			"column %q must appear in the GROUP BY clause or be used in an aggregate function",
			q.qualified(c)).At(c.Pos - 1)
	}
	in := e.Inputs()
	if len(in) == 0 {
		return e, nil
	}
	out := make([]expr.Expr, len(in))
	for i, x := range in {
		if _, constant := x.(expr.Const); constant {
			out[i] = x // which is no value of a group, though it may be the same
			continue
		}
		var err error
		if out[i], err = q.overGroups(x, g); err != nil {
			if row, ok := e.(expr.Row); ok && row.Relation != "" {
				return nil, sqlerr.New(sqlerr.GroupingError,
					"column %q must appear in the GROUP BY clause or be used in an aggregate function",
					row.Relation+".*").At(row.Pos - 1)
			}
			return nil, fromSubquery(e, err)
		}
	}
	return e.WithInputs(out), nil
}

// fromSubquery says of a column that is not grouped that a subquery reads it.
func fromSubquery(e expr.Expr, err error) error {
	if _, ok := e.(expr.Subquery); !ok {
		return err
	}
	original, ok := err.(*sqlerr.Error)
	if !ok {
		return err
	}
	name, _, found := strings.Cut(original.Message, " must appear in the GROUP BY clause")
	if !found {
		return err
	}
	c := *original
	c.Message = "subquery uses ungrouped " + name + " from outer query"
	return &c
}

func (q *query) qualified(c expr.Column) string {
	for _, r := range q.Scope.Relations {
		if r.Exprs == nil && c.Index >= r.First && c.Index < r.First+len(r.Cols) {
			return r.Name + "." + c.Name
		}
	}
	return c.Name
}
