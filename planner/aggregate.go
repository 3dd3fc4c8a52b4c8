package planner

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
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

// aggregate plans an aggregate call. One over nothing but columns of a query around
// belongs to that query, and here it is a value of its rows.
func (s *scalars) aggregate(e *ast.Call) (expr.Expr, error) {
	before := s.scope.mark()
	call, err := s.aggregateCall(e)
	if err != nil {
		return nil, err
	}
	if level := s.scope.levelOf(call); level > 0 {
		s.scope.reset(before)
		return s.aggregateAround(e, level)
	}
	switch {
	case s.aggs == nil:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s", s.where).At(int(e.Pos))
	case s.aggs.inside:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot be nested").At(int(e.Pos))
	}
	return s.aggs.add(call, e.Pos), nil
}

// aggregateCall plans the parts of an aggregate call.
func (s *scalars) aggregateCall(e *ast.Call) (call plan.AggregateCall, err error) {
	in := scalars{Planner: s.Planner, scope: s.scope, where: "aggregate function arguments", aggs: &aggregates{inside: true},
		windows: &windows{inside: sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot contain window function calls")},
		noSets:  lateralInstead("aggregate function calls cannot contain set-returning function calls")}
	args, err := in.exprs(e.Args)
	if err != nil {
		return call, err
	}
	if e.Name == "count" && len(args) == 0 && !e.Star {
		return call, sqlerr.New(sqlerr.WrongObjectType, "count(*) must be used to call a parameterless aggregate function").At(int(e.Pos))
	}
	sorts, err := in.sortKeys(append(e.OrderBy, e.Within...))
	if err != nil {
		return call, err
	}
	for i := range e.Within {
		args = append(args, sorts[i].Expr)
	}
	if call, err = s.chooseAggregate(e, args); err != nil {
		return call, err
	}
	if e.Distinct {
		if err := equatable(call.Args, func(i int) ast.Pos { return start(e.Args[min(i, len(e.Args)-1)]) }); err != nil {
			return call, err
		}
	}
	if call.Order, err = aggregateOrder(e, &call, args, sorts); err != nil {
		return call, err
	}
	if e.Filter != nil {
		filter := scalars{Planner: s.Planner, scope: s.scope, where: "FILTER"}
		call.Filter, err = filter.condition(e.Filter, "FILTER")
	}
	return call, err
}

// aggregateOrder is the order in which an aggregate takes its rows. Its arguments are
// compared as they were given, before they were coerced.
func aggregateOrder(e *ast.Call, call *plan.AggregateCall, given []expr.Expr, sorts []plan.SortKey) ([]plan.SortKey, error) {
	switch {
	case call.Fn.Ordered && e.Within == nil:
		return nil, withinGroup(call.Fn, e)
	case !call.Fn.Ordered && e.Within != nil:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", e.Name).At(int(e.Pos))
	case e.Within != nil: // they are arguments, too, and were coerced as such
		for i := range sorts {
			sorts[i].Expr = call.Args[len(call.Args)-len(sorts)+i]
		}
	}
	for i, k := range sorts {
		if !e.Distinct || e.Within != nil {
			continue
		}
		at := indexOf(given, k.Expr)
		if at < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference, "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list").At(int(start(e.OrderBy[i].Expr)))
		}
		sorts[i].Expr = call.Args[at]
	}
	return sorts, nil
}

func withinGroup(fn *expr.Aggregate, e *ast.Call) error {
	return sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", fn.Name).At(int(e.Pos))
}

// add finds a call that is there already, or adds it.
func (a *aggregates) add(call plan.AggregateCall, pos ast.Pos) expr.Expr {
	for i, c := range a.calls {
		if c.Fn == call.Fn && c.Distinct == call.Distinct && c.Type == call.Type && equalLists(c.Args, call.Args) && sameKeys(c.Order, call.Order) && equalOrNil(c.Filter, call.Filter) {
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
	if all[0].Hypothetical && e.Within != nil {
		return s.hypothetical(e, all[0], args)
	}
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
		return call, err
	}
	call.Type = s.typeOf(resolved.result)
	call.Args, err = s.coerceAll(args, resolved.args, e.Pos)
	return call, err
}

// hypothetical makes one type of each pair of a direct argument and what it is compared with.
func (s *scalars) hypothetical(e *ast.Call, fn *expr.Aggregate, args []expr.Expr) (plan.AggregateCall, error) {
	call := plan.AggregateCall{Fn: fn, Type: types.Of(fn.Result), Args: make([]expr.Expr, len(args))}
	direct, sorted := len(e.Args), len(e.Within)
	if direct != sorted {
		return call, sqlerr.From(noFunction(e.Name, arguments{list: args}, e.Pos)).
			WithHint("To use the hypothetical-set aggregate %s, the number of hypothetical direct arguments (here %d) must match the number of ordering columns (here %d).", e.Name, direct, sorted)
	}
	for i := range direct {
		pos := []ast.Pos{start(e.Within[i].Expr), start(e.Args[i])}
		pair, _, err := s.common([]expr.Expr{args[direct+i], args[i]}, "WITHIN GROUP", pos)
		if err != nil {
			return call, err
		}
		call.Args[direct+i], call.Args[i] = pair[0], pair[1]
	}
	return call, nil
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
func (q *query) group(s *ast.Select, l *later) error {
	groups, err := q.groupBy(s)
	if err != nil {
		return err
	}
	var having expr.Expr
	if s.Having != nil {
		sc := &scalars{Planner: q.Planner, scope: q.scope, aggs: q.aggs, where: "HAVING"}
		if having, err = sc.condition(s.Having, "HAVING"); err != nil {
			return err
		}
	}
	if groups == nil && having == nil && len(q.aggs.calls) == 0 {
		return nil
	}
	if len(q.aggs.calls) > 0 && slices.ContainsFunc(q.scope.relations, func(r relation) bool { return r.recursive }) {
		return sqlerr.New(sqlerr.InvalidRecursion, "aggregate functions are not allowed in a recursive query's recursive term").At(int(q.aggs.pos[0]))
	}
	if err := q.directArguments(groups); err != nil {
		return err
	}
	q.overSets(l, q.setsOf(groups), groups)
	agg := plan.Aggregate{Input: q.input, Groups: groups, Calls: q.aggs.calls}
	for _, g := range groups {
		agg.Cols = append(agg.Cols, q.scope.origin(g, columnOf(g)))
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
	for _, call := range q.aggs.calls {
		if !call.Fn.Ordered {
			continue
		}
		for _, arg := range call.Args[:len(call.Args)-len(call.Order)] {
			if _, err := q.overGroups(arg, groups); err != nil {
				return sqlerr.From(err).WithDetail("Direct arguments of an ordered-set aggregate must use only grouped columns.")
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
	plain := scalars{Planner: q.Planner, scope: q.scope, sets: q.sets, where: "GROUP BY"}
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
		if err := equatable([]expr.Expr{e}, func(int) ast.Pos { return start(g) }); err != nil {
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
		switch {
		case !ok || c.Index < aggregateColumn || c.Index >= setColumn:
			return false
		case c.Index >= windowColumn:
			err = sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in %s", clause).At(int(q.windows.pos[c.Index-windowColumn]))
			return true
		}
		err = sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s", clause).At(int(q.aggs.pos[c.Index-aggregateColumn]))
		return true
	})
	return err
}

// dependent adds the columns that a primary key among the groups decides.
func (q *query) dependent(groups []expr.Expr) []expr.Expr {
	if len(groups) == 0 {
		return groups
	}
	for k := range q.scope.relations {
		r := &q.scope.relations[k]
		if r.table == nil || r.exprs != nil || !keyGrouped(r, groups) {
			continue
		}
		for i := range r.cols {
			if !r.is(r.hidden, i) && indexOf(groups, r.at(i)) < 0 {
				groups = append(groups, r.at(i))
			}
		}
	}
	return groups
}

// keyGrouped says whether the whole primary key of a table is among the groups.
func keyGrouped(r *relation, groups []expr.Expr) bool {
	if r.table.PrimaryKey == "" {
		return false
	}
	for _, id := range r.table.Primary.Columns() {
		if indexOf(groups, r.at(r.table.Ordinal(id))) < 0 {
			return false
		}
	}
	return true
}

// overGroups makes an expression over FROM one over the rows of the Aggregate.
func (q *query) overGroups(e expr.Expr, groups []expr.Expr) (expr.Expr, error) {
	if i := indexOf(groups, e); i >= 0 {
		return expr.Column{Index: i, Name: columnOf(e), T: e.Type()}, nil
	}
	if c, ok := e.(expr.Column); ok {
		if c.Index >= windowColumn {
			return c, nil
		}
		if c.Index >= aggregateColumn {
			c.Index = len(groups) + c.Index - aggregateColumn
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
	said, ok := err.(*sqlerr.Error)
	if !ok {
		return err
	}
	name, _, found := strings.Cut(said.Message, " must appear in the GROUP BY clause")
	if !found {
		return err
	}
	c := *said
	c.Message = "subquery uses ungrouped " + name + " from outer query"
	return &c
}

func (q *query) qualified(c expr.Column) string {
	for _, r := range q.scope.relations {
		if r.exprs == nil && c.Index >= r.first && c.Index < r.first+len(r.cols) {
			return r.name + "." + c.Name
		}
	}
	return c.Name
}
