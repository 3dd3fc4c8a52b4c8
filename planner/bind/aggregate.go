package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// Aggregates are the aggregate calls of one SELECT. While its expressions are bound, a
// call stands in them as a column behind all columns of FROM.
type Aggregates struct {
	Calls  []plan.AggregateCall
	Pos    []ast.Pos // of each call, where it first stands
	inside bool      // the arguments of an aggregate are being planned
}

// AggregateColumn is the first column number that stands for an aggregate.
const AggregateColumn = 1 << 20

// aggregateBinder binds calls of aggregates.
type aggregateBinder struct{ *Scalars }

// aggregate binds an aggregate call. One over nothing but columns of a query around
// belongs to that query, and here it is a value of its rows.
func (s aggregateBinder) aggregate(e *ast.Call) (expr.Expr, error) {
	before := s.Scope.mark()
	call, err := s.aggregateCall(e)
	if err != nil {
		return nil, err
	}
	if level := s.Scope.levelOf(call); level > 0 {
		s.Scope.reset(before)
		return s.aggregateAround(e, level)
	}
	switch {
	case s.Aggs == nil:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s",
			s.Where).At(int(e.Pos))
	case s.Aggs.inside:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot be nested").At(int(e.Pos))
	}
	return s.Aggs.add(call, e.Pos), nil
}

// aggregateCall binds the parts of an aggregate call.
func (s aggregateBinder) aggregateCall(e *ast.Call) (call plan.AggregateCall, err error) {
	in := s.In("aggregate function arguments")
	in.Aggs = &Aggregates{inside: true}
	in.Windows = &Windows{inside: sqlerr.New(sqlerr.GroupingError,
		"aggregate function calls cannot contain window function calls")}
	in.noSets = lateralInstead("aggregate function calls cannot contain set-returning function calls")
	args, err := in.exprs(e.Args)
	if err != nil {
		return call, err
	}
	if e.Name == "count" && len(args) == 0 && !e.Star {
		return call, sqlerr.New(sqlerr.WrongObjectType,
			"count(*) must be used to call a parameterless aggregate function").At(int(e.Pos))
	}
	sorted, err := clause.Sorted(in.Analysis(), append(e.OrderBy, e.Within...))
	if err != nil {
		return call, err
	}
	sorts := sortKeys(sorted)
	for i := range e.Within {
		args = append(args, sorts[i].Expr)
	}
	chosen, err := s.coercion().Aggregate(e, args)
	if err != nil {
		return call, err
	}
	call = plan.AggregateCall{Fn: chosen.Fn, Args: chosen.Args, Type: chosen.T, Distinct: e.Distinct}
	if e.Distinct {
		for i, arg := range call.Args {
			if err := clause.Equatable(arg.Type(), analyze.Start(e.Args[min(i, len(e.Args)-1)])); err != nil {
				return call, err
			}
		}
	}
	if call.Order, err = aggregateOrder(e, &call, args, sorts); err != nil {
		return call, err
	}
	if e.Filter != nil {
		call.Filter, err = s.In("FILTER").Condition(e.Filter, "FILTER")
	}
	return call, err
}

// aggregateOrder is the order in which an aggregate takes its rows. Its arguments are
// compared as they were given, before they were coerced.
func aggregateOrder(
	e *ast.Call, call *plan.AggregateCall, given []expr.Expr, sorts []plan.SortKey,
) ([]plan.SortKey, error) {
	switch {
	case call.Fn.Ordered && e.Within == nil:
		return nil, withinGroup(call.Fn, e)
	case !call.Fn.Ordered && e.Within != nil:
		return nil, sqlerr.New(sqlerr.WrongObjectType,
			"%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", e.Name).At(int(e.Pos))
	case e.Within != nil: // they are arguments, too, and were coerced as such
		for i := range sorts {
			sorts[i].Expr = call.Args[len(call.Args)-len(sorts)+i]
		}
	}
	for i, k := range sorts {
		if !e.Distinct || e.Within != nil {
			continue
		}
		at := IndexOf(given, k.Expr)
		if at < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference,
				"in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list").At(int(analyze.Start(e.OrderBy[i].Expr)))
		}
		sorts[i].Expr = call.Args[at]
	}
	return sorts, nil
}

func withinGroup(fn *expr.Aggregate, e *ast.Call) error {
	return sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s",
		fn.Name).At(int(e.Pos))
}

// add finds a call that is there already, or adds it.
func (a *Aggregates) add(call plan.AggregateCall, pos ast.Pos) expr.Expr {
	for i, c := range a.Calls {
		if c.Fn == call.Fn && c.Distinct == call.Distinct && c.Type == call.Type && equalLists(c.Args, call.Args) &&
			sameKeys(c.Order, call.Order) && equalOrNil(c.Filter, call.Filter) {
			return expr.Column{Index: AggregateColumn + i, Name: call.String(), T: call.Type}
		}
	}
	a.Calls, a.Pos = append(a.Calls, call), append(a.Pos, pos)
	return expr.Column{Index: AggregateColumn + len(a.Calls) - 1, Name: call.String(), T: call.Type}
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

// IndexOf is the index of an expression in a list, or -1.
func IndexOf(list []expr.Expr, e expr.Expr) int {
	for i, x := range list {
		if expr.Equal(x, e) {
			return i
		}
	}
	return -1
}
