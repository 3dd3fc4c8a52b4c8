package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/clause"
	"zproxy/planner/collate"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Aggregates are the aggregate calls of one SELECT. While its expressions are bound, a
// call stands in them as a column behind all columns of FROM.
type Aggregates struct {
	Calls []plan.AggregateCall
	Pos   []ast.Pos // of each call, where it first stands
	// Groupings are the calls of GROUPING. They stand in expressions as columns from GroupingColumn on.
	Groupings []Grouping
	inside    bool // the arguments of an aggregate are being planned
}

// AggregateColumn is the first column number that stands for an aggregate.
const AggregateColumn = 1 << 20

// aggregateBinder binds calls of aggregates.
type aggregateBinder struct{ *Scalars }

// aggregate binds an aggregate call. One over nothing but columns of a query around
// belongs to that query, and here it is a value of its rows.
func (s aggregateBinder) aggregate(e *ast.Call) (expr.Expr, error) {
	if s.withoutQueries() != "" { // nor has it aggregates, which is found out before what else a call has
		bare := *e
		bare.Filter, bare.OrderBy = nil, nil
		e = &bare
	}
	before := s.Scope.mark()
	call, in, err := s.aggregateCall(e)
	if err != nil {
		return nil, err
	}
	if level := s.Scope.levelOf(call); level > 0 {
		s.Scope.reset(before)
		return s.aggregateAround(e, "aggregate functions", level)
	}
	switch {
	case s.Aggs == nil:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s",
			s.Where).At(int(e.Pos))
	case s.Aggs.inside:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot be nested").At(int(e.Pos))
	}
	return collate.OutputOf(s.Aggs.add(call, e.Pos), in), nil
}

// aggregateCall binds the parts of an aggregate call. It says which collation the arguments have.
func (s aggregateBinder) aggregateCall(e *ast.Call) (call plan.AggregateCall, of types.Collation, err error) {
	in := s.inAggregate()
	made, err := clause.NewAggregate(in.Analysis(), e, expr.Equal)
	if err == nil {
		err = userAggregates{s.Binder}.complete(&made.Aggregate)
	}
	if err != nil {
		return call, of, err
	}
	collate.Extremes(made.Fn, made.Args, made.Collation)
	call = plan.AggregateCall{Fn: made.Fn, Args: made.Args, Type: made.T, Distinct: e.Distinct}
	if call.Order, err = s.sortKeys(append(made.Order, made.Within...)); err != nil {
		return call, of, err
	}
	for i := 0; e.Distinct && i < len(made.Args); i++ {
		if err := collate.Sortable(s.Catalog, made.Args[i]); err != nil {
			return call, of, err
		}
	}
	if e.Filter != nil {
		call.Filter, err = s.In("FILTER").Condition(e.Filter, "FILTER")
	}
	return call, made.Collation, err
}

// inAggregate binds the arguments of an aggregate.
func (s aggregateBinder) inAggregate() *Scalars {
	in := s.In("aggregate function arguments")
	in.Aggs = &Aggregates{inside: true}
	in.Windows = &Windows{inside: sqlerr.New(sqlerr.GroupingError,
		"aggregate function calls cannot contain window function calls")}
	in.noSets = lateralInstead("aggregate function calls cannot contain set-returning function calls")
	return in
}

// add finds a call that is there already, or adds it.
func (a *Aggregates) add(call plan.AggregateCall, pos ast.Pos) expr.Expr {
	for i, c := range a.Calls {
		if sameFunction(c.Fn, call.Fn) && c.Distinct == call.Distinct && c.Type.Same(call.Type) &&
			equalLists(c.Args, call.Args) && sameKeys(c.Order, call.Order) && equalOrNil(c.Filter, call.Filter) {
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
