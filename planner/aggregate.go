package planner

import (
	"zproxy/parser/ast"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// aggregates are the aggregate calls of one SELECT. While its expressions are planned, a
// call stands in them as a column behind all columns of FROM.
type aggregates struct {
	calls  []plan.AggregateCall
	pos    []ast.Pos // of each call, where it first stands
	inside bool      // the arguments of an aggregate are being planned
}

// aggregateColumn is the first place that stands for an aggregate.
const aggregateColumn = 1 << 20

// aggregate plans an aggregate call.
func (s *scalars) aggregate(e *ast.Call) (expr.Expr, error) {
	if s.aggs == nil {
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s", s.where).At(int(e.Pos))
	}
	if s.aggs.inside {
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot be nested").At(int(e.Pos))
	}
	if e.OrderBy != nil {
		return nil, sqlerr.Unsupported("ORDER BY in an aggregate").At(int(e.Pos))
	}
	s.aggs.inside = true
	defer func() { s.aggs.inside = false }()
	args := make([]expr.Expr, len(e.Args))
	for i, a := range e.Args {
		var err error
		if args[i], err = s.expr(a); err != nil {
			return nil, err
		}
	}
	if e.Name == "count" && len(args) == 0 && !e.Star {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "count(*) must be used to call a parameterless aggregate function").At(int(e.Pos))
	}
	call, err := s.chooseAggregate(e, args)
	if err != nil {
		return nil, err
	}
	if e.Filter != nil {
		filter := scalars{Planner: s.Planner, scope: s.scope, where: "FILTER"}
		if call.Filter, err = filter.condition(e.Filter, "FILTER"); err != nil {
			return nil, err
		}
	}
	return s.aggs.add(call, e.Pos), nil
}

// add finds a call that is there already, or adds it.
func (a *aggregates) add(call plan.AggregateCall, pos ast.Pos) expr.Expr {
	for i, c := range a.calls {
		if c.Fn == call.Fn && c.Distinct == call.Distinct && equalLists(c.Args, call.Args) && equalOrNil(c.Filter, call.Filter) {
			return expr.Column{Index: aggregateColumn + i, Name: call.String(), T: call.Type}
		}
	}
	a.calls, a.pos = append(a.calls, call), append(a.pos, pos)
	return expr.Column{Index: aggregateColumn + len(a.calls) - 1, Name: call.String(), T: call.Type}
}

func equalLists(a, b []expr.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !expr.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalOrNil(a, b expr.Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return expr.Equal(a, b)
}

// chooseAggregate picks the overload and coerces the arguments.
func (s *scalars) chooseAggregate(e *ast.Call, args []expr.Expr) (plan.AggregateCall, error) {
	call := plan.AggregateCall{Distinct: e.Distinct}
	all := expr.Aggregates(e.Name)
	lists := make([][]types.OID, len(all))
	for i, a := range all {
		lists[i] = a.Args
	}
	i, _ := overload(typesOf(args), lists)
	if i < 0 {
		return call, noFunction(e.Name, arguments{list: args}, e.Pos)
	}
	call.Fn = all[i]
	resolved, err := signature{call.Fn.Args, call.Fn.Result}.resolve(typesOf(args))
	if err != nil {
		return call, at(err, e.Pos)
	}
	call.Type = types.Of(resolved.result)
	call.Args, err = s.coerceAll(args, resolved.args, e.Pos)
	return call, err
}

func (s *scalars) knownType(e expr.Expr, pos ast.Pos) (expr.Expr, error) {
	if e.Type().OID != types.OIDUnknown {
		return e, nil
	}
	out, _, err := s.coerce(e, types.Text, types.Implicit, pos)
	return out, err
}

// group puts the groups and aggregates of a SELECT between its input and its select
// list, when it has any, and makes the select list and the sort keys read them.
func (q *query) group(s *ast.Select, keys []sortKey) error {
	groups, err := q.groupBy(s)
	if err != nil {
		return err
	}
	var having expr.Expr
	if s.Having != nil {
		if having, err = q.condition(s.Having, "HAVING"); err != nil {
			return err
		}
	}
	if groups == nil && having == nil && len(q.aggs.calls) == 0 {
		return nil
	}
	agg := plan.Aggregate{Input: q.input, Groups: groups, Calls: q.aggs.calls}
	for _, g := range groups {
		agg.Cols = append(agg.Cols, q.scope.origin(g, columnOf(g)))
	}
	for _, c := range agg.Calls {
		agg.Cols = append(agg.Cols, plan.Column{Name: c.Fn.Name, Type: c.Type})
	}
	q.input = agg
	over := func(e expr.Expr) (expr.Expr, error) { return q.overGroups(e, groups) }
	for i := range q.list {
		if q.list[i], err = over(q.list[i]); err != nil {
			return err
		}
	}
	for i := range keys {
		if keys[i].Expr, err = over(keys[i].Expr); err != nil {
			return err
		}
	}
	if having != nil {
		if having, err = over(having); err != nil {
			return err
		}
		q.input = plan.Filter{Input: q.input, Cond: having}
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
	plain := scalars{Planner: q.Planner, scope: q.scope, where: "GROUP BY"}
	for _, g := range s.GroupBy {
		item, err := q.listItem(g, "GROUP BY")
		if err != nil {
			return nil, err
		}
		var e expr.Expr
		if item >= 0 {
			e = q.list[item]
			if err := q.noAggregate(e, "GROUP BY"); err != nil {
				return nil, err
			}
		} else if e, err = plain.expr(g); err != nil {
			return nil, err
		}
		if e, err = q.knownType(e, g.Position()); err != nil {
			return nil, err
		}
		if indexOf(groups, e) < 0 {
			groups = append(groups, e)
		}
	}
	return q.dependent(groups), nil
}

// noAggregate refuses an item of the select list that has an aggregate in it.
func (q *query) noAggregate(e expr.Expr, clause string) error {
	var err error
	expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Column)
		if !ok || c.Index < aggregateColumn {
			return false
		}
		err = sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s", clause).At(int(q.aggs.pos[c.Index-aggregateColumn]))
		return true
	})
	return err
}

// dependent adds the columns that the primary key among the groups decides.
func (q *query) dependent(groups []expr.Expr) []expr.Expr {
	scan, ok := baseScan(q.input)
	if !ok || len(groups) == 0 {
		return groups
	}
	for _, k := range scan.Table.KeyOrdinals() {
		c := scan.Table.Columns[k]
		if indexOf(groups, expr.Column{Index: k, Name: c.Name, T: c.Type}) < 0 {
			return groups
		}
	}
	for i, c := range scan.Table.Columns {
		col := expr.Column{Index: i, Name: c.Name, T: c.Type}
		if !c.Hidden && indexOf(groups, col) < 0 {
			groups = append(groups, col)
		}
	}
	return groups
}

func baseScan(n plan.Node) (plan.Scan, bool) {
	if f, ok := n.(plan.Filter); ok {
		n = f.Input
	}
	s, ok := n.(plan.Scan)
	return s, ok
}

// overGroups makes an expression over FROM one over the rows of the Aggregate.
func (q *query) overGroups(e expr.Expr, groups []expr.Expr) (expr.Expr, error) {
	if i := indexOf(groups, e); i >= 0 {
		return expr.Column{Index: i, Name: columnOf(e), T: e.Type()}, nil
	}
	if c, ok := e.(expr.Column); ok {
		if c.Index >= aggregateColumn {
			c.Index = len(groups) + c.Index - aggregateColumn
			return c, nil
		}
		pos, said := q.scope.said[c.Index]
		if !said {
			pos = -1
		}
		return nil, sqlerr.New(sqlerr.GroupingError, "column %q must appear in the GROUP BY clause or be used in an aggregate function", q.qualified(c)).At(int(pos))
	}
	in := e.Inputs()
	if len(in) == 0 {
		return e, nil
	}
	out := make([]expr.Expr, len(in))
	for i, x := range in {
		var err error
		if out[i], err = q.overGroups(x, groups); err != nil {
			return nil, err
		}
	}
	return e.WithInputs(out), nil
}

func (q *query) qualified(c expr.Column) string {
	for _, r := range q.scope.relations {
		if c.Index >= r.first && c.Index < r.first+len(r.cols) {
			return r.name + "." + c.Name
		}
	}
	return c.Name
}
