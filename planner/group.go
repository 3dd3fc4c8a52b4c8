package planner

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// group puts the groups and aggregates of a SELECT between its input and its select
// list, when it has any, and makes the select list and the sort keys read them.
func (q *query) group(s *ast.Select, l *later) error {
	groups, err := q.groupBy(s)
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
	if groups == nil && having == nil && len(q.Aggs.Calls) == 0 {
		return nil
	}
	if len(q.Aggs.Calls) > 0 &&
		slices.ContainsFunc(q.Scope.Relations, func(r bind.Relation) bool { return r.Recursive }) {
		return sqlerr.New(sqlerr.InvalidRecursion,
			"aggregate functions are not allowed in a recursive query's recursive term").At(int(q.Aggs.Pos[0]))
	}
	if err := q.directArguments(groups); err != nil {
		return err
	}
	q.overSets(l, q.setsOf(groups), groups)
	agg := plan.Aggregate{Input: q.input, Groups: groups, Calls: q.Aggs.Calls}
	for _, g := range groups {
		agg.Cols = append(agg.Cols, q.Scope.Origin(g, columnOf(g)))
	}
	for _, c := range agg.Calls {
		agg.Cols = append(agg.Cols, plan.Column{Name: c.Fn.Name, Type: c.Type})
	}
	q.input = agg
	over := func(e expr.Expr) (expr.Expr, error) { return q.overGroups(e, groups) }
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
func (q *query) directArguments(groups []expr.Expr) error {
	for _, call := range q.Aggs.Calls {
		if !call.Fn.Ordered {
			continue
		}
		for _, arg := range call.Args[:len(call.Args)-len(call.Order)] {
			if _, err := q.overGroups(arg, groups); err != nil {
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

// groupBy plans GROUP BY. When it names the whole primary key, every other column of
// the table has one value in a group and is made a group too.
func (q *query) groupBy(s *ast.Select) ([]expr.Expr, error) {
	var groups []expr.Expr
	plain := q.In("GROUP BY")
	plain.Sets = q.Sets
	for _, g := range s.GroupBy {
		e, item, err := clause.Listed(plain.Analysis(), g, clause.GroupBy, q.selected())
		if err == nil && item >= 0 {
			err = q.noAggregate(e)
		}
		if err == nil {
			err = clause.Equatable(e.Type(), analyze.Start(g))
		}
		if err != nil {
			return nil, err
		}
		if bind.IndexOf(groups, e) < 0 {
			groups = append(groups, e)
		}
	}
	return q.dependent(groups), nil
}

// noAggregate refuses an item of the select list that has an aggregate in it.
func (q *query) noAggregate(e expr.Expr) error {
	var err error
	expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Column)
		switch {
		case !ok || c.Index < bind.AggregateColumn || c.Index >= bind.SetColumn:
			return false
		case c.Index >= bind.WindowColumn:
			err = sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in GROUP BY").
				At(int(q.Windows.Pos[c.Index-bind.WindowColumn]))
			return true
		}
		err = sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in GROUP BY").
			At(int(q.Aggs.Pos[c.Index-bind.AggregateColumn]))
		return true
	})
	return err
}

// dependent adds the columns that a primary key among the groups decides.
func (q *query) dependent(groups []expr.Expr) []expr.Expr {
	if len(groups) == 0 {
		return groups
	}
	for k := range q.Scope.Relations {
		r := &q.Scope.Relations[k]
		if r.Table == nil || r.Exprs != nil || !keyGrouped(r, groups) {
			continue
		}
		for i := range r.Cols {
			if !r.Is(bind.Hidden, i) && bind.IndexOf(groups, r.At(i)) < 0 {
				groups = append(groups, r.At(i))
			}
		}
	}
	return groups
}

// keyGrouped says whether the whole primary key of a table is among the groups.
func keyGrouped(r *bind.Relation, groups []expr.Expr) bool {
	if r.Table.PrimaryKey == "" {
		return false
	}
	for _, id := range r.Table.Primary.Columns() {
		if bind.IndexOf(groups, r.At(r.Table.Ordinal(id))) < 0 {
			return false
		}
	}
	return true
}

// overGroups makes an expression over FROM one over the rows of the Aggregate.
func (q *query) overGroups(e expr.Expr, groups []expr.Expr) (expr.Expr, error) {
	if i := bind.IndexOf(groups, e); i >= 0 {
		return expr.Column{Index: i, Name: columnOf(e), T: e.Type()}, nil
	}
	if c, ok := e.(expr.Column); ok {
		if c.Index >= bind.WindowColumn {
			return c, nil
		}
		if c.Index >= bind.AggregateColumn {
			c.Index = len(groups) + c.Index - bind.AggregateColumn
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
		var err error
		if out[i], err = q.overGroups(x, groups); err != nil {
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
