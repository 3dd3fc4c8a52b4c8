package bind

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Grouping is a call of GROUPING: the expressions of GROUP BY that it asks about, and where it and they stand.
type Grouping struct {
	Args []expr.Expr
	At   ast.Pos
	Pos  []ast.Pos
}

// GroupingColumn is the first column number that stands for a call of GROUPING.
const GroupingColumn = AggregateColumn + 1<<19

// Grouping implements analyze.Maker. Like an aggregate, a call over nothing but columns of a query around belongs to
// that query.
func (m maker) Grouping(e *ast.GroupingCall) (expr.Expr, error) {
	if err := clause.GroupingArguments(e); err != nil {
		return nil, err
	}
	before := m.Scope.mark()
	args, err := aggregateBinder(m).inAggregate().exprs(e.Args)
	if err != nil {
		return nil, err
	}
	if level := m.Scope.levelOf(plan.AggregateCall{Args: args}); level > 0 {
		m.Scope.reset(before)
		for i, arg := range args {
			if _, plain := arg.(expr.Outer); !plain {
				return nil, clause.NoGroup(analyze.Start(e.Args[i]))
			}
		}
		return aggregateBinder(m).aggregateAround(e, "grouping operations", level)
	}
	switch {
	case m.Aggs == nil:
		return nil, sqlerr.New(sqlerr.GroupingError, "grouping operations are not allowed in %s",
			m.Where).At(int(e.Pos))
	case m.Aggs.inside:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot be nested").At(int(e.Pos))
	}
	g := Grouping{Args: args, At: e.Pos}
	for _, arg := range e.Args {
		g.Pos = append(g.Pos, analyze.Start(arg))
	}
	return m.Aggs.grouping(g), nil
}

// grouping finds a call that is there already, or adds it.
func (a *Aggregates) grouping(g Grouping) expr.Expr {
	at := slices.IndexFunc(a.Groupings, func(other Grouping) bool { return equalLists(other.Args, g.Args) })
	if at < 0 {
		at, a.Groupings = len(a.Groupings), append(a.Groupings, g)
	}
	return expr.Column{Index: GroupingColumn + at, Name: g.String(), T: types.Int4}
}

// String is the call as EXPLAIN shows it.
func (g Grouping) String() string { return plan.GroupingText(g.Args) }
