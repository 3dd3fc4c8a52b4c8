package executor

import (
	"context"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/types"
)

// upTo is a function that returns the numbers from 1 to its argument.
var upTo = &expr.Function{Name: "up_to", Rows: func(_ *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		for i := range args[0].Int() {
			if !yield(types.Row{types.NewInt(i + 1)}, nil) {
				return
			}
		}
	}
}}

// halves is one that returns rows of two columns.
var halves = &expr.Function{
	Name: "halves", Out: []expr.OutColumn{{Name: "n", Type: types.OIDInt8}, {Name: "half", Type: types.OIDInt8}},
	Rows: func(c *expr.Context, args []types.Value) expr.Set {
		return func(yield func(types.Row, error) bool) {
			for row, err := range upTo.Rows(c, args) {
				if !yield(types.Row{row[0], types.NewInt(row[0].Int() / 2)}, err) {
					return
				}
			}
		}
	},
}

func cols(n int) []plan.Column { return make([]plan.Column, n) }

func call(f *expr.Function, args ...expr.Expr) expr.Call { return expr.Call{Fn: f, Args: args} }

// TestCombine runs nodes that combine rows of several sources.
func TestCombine(t *testing.T) {
	left := listOf(1, row(1), row(2), row(1), row(nil), row(3), row(1), row(nil))
	right := listOf(1, row(1), row(1), row(nil), row(5))
	twice := plan.Append{In: []plan.Node{refOf(1), refOf(1)}, Cols: cols(1)}
	countUp := func(distinct bool) plan.Recursion {
		return plan.Recursion{
			Number: 2, Base: listOf(1, row(1), row(1)), Distinct: distinct, Cols: cols(1),
			Step: plan.Project{Input: plan.Filter{Input: refOf(2), Cond: compare(expr.LT, column(0), constant(3))},
				Exprs: []expr.Expr{plus(column(0), 1)}, Cols: cols(1)},
		}
	}
	for _, c := range []struct {
		name string
		n    plan.Node
		want string
	}{
		{"append", plan.Append{In: []plan.Node{listOf(1, row(1)), listOf(1), listOf(1, row(nil), row(1))}, Cols: cols(1)}, "(1) (null) (1)"},
		{"intersect", plan.SetOp{Left: left, Right: right, Cols: cols(1)}, "(1) (null)"},
		{"intersect all", plan.SetOp{All: true, Left: left, Right: right, Cols: cols(1)}, "(1) (1) (null)"},
		{"except", plan.SetOp{Except: true, Left: left, Right: right, Cols: cols(1)}, "(2) (3)"},
		{"except all", plan.SetOp{Except: true, All: true, Left: left, Right: right, Cols: cols(1)}, "(2) (3) (1) (null)"},
		{"except nothing", plan.SetOp{Except: true, Left: left, Right: listOf(1), Cols: cols(1)}, "(1) (2) (null) (3)"},
		{"intersect nothing", plan.SetOp{Left: left, Right: listOf(1), Cols: cols(1)}, ""},
		{"with", plan.With{Number: 1, Query: listOf(1, row(1), row(2)), Input: twice}, "(1) (2) (1) (2)"},
		{"with unread", plan.With{Number: 1, Query: listOf(1, row(1)), Input: left}, "(1) (2) (1) (null) (3) (1) (null)"},
		{"recursion", countUp(false), "(1) (1) (2) (2) (3) (3)"},
		{"recursion with distinct", countUp(true), "(1) (2) (3)"},
		{"recursion in with", plan.With{Number: 1, Query: countUp(true), Input: twice}, "(1) (2) (3) (1) (2) (3)"},
		{"distinct on", plan.Distinct{Input: listOf(2, row(1, 1), row(1, 2), row(nil, 3), row(nil, 4), row(2, 5)), On: []expr.Expr{column(0)}}, "(1,1) (null,3) (2,5)"},
		{"function", plan.FunctionScan{Calls: []expr.Call{call(upTo, constant(2))}, Cols: cols(1)}, "(1) (2)"},
		{"functions", plan.FunctionScan{Calls: []expr.Call{call(upTo, constant(1)), call(halves, constant(3))}, Ordinality: true, Cols: cols(4)},
			"(1,1,0,1) (null,2,1,2) (null,3,1,3)"},
		{"function of null", plan.FunctionScan{Calls: []expr.Call{call(upTo, constant(nil))}, Cols: cols(1)}, ""},
		{"set", plan.ProjectSet{Input: left, Calls: []expr.Call{call(upTo, column(0))}, Cols: cols(2)},
			"(1,1) (2,1) (2,2) (1,1) (3,1) (3,2) (3,3) (1,1)"},
		{"sets", plan.ProjectSet{Input: listOf(1, row(0), row(2)), Calls: []expr.Call{call(upTo, column(0)), call(upTo, constant(1))}, Cols: cols(3)},
			"(0,null,1) (2,1,1) (2,2,null)"},
	} {
		if got := show(Run(context.Background(), c.n, newEnv())); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

// TestInfinite reads a few rows of what has no end.
func TestInfinite(t *testing.T) {
	forever := plan.Recursion{
		Number: 2, Base: listOf(1, row(1)), Cols: cols(1),
		Step: plan.Project{Input: refOf(2), Exprs: []expr.Expr{plus(column(0), 1)}, Cols: cols(1)},
	}
	n := plan.Limit{Count: constant(3), Input: plan.With{Number: 1, Query: forever, Input: refOf(1)}}
	if got := show(Run(context.Background(), n, newEnv())); got != "(1) (2) (3)" {
		t.Error(got)
	}
}

// TestSubquery runs subqueries in expressions.
func TestSubquery(t *testing.T) {
	list := listOf(1, row(1), row(2), row(2), row(nil))
	inner := plan.Filter{Input: list, Cond: compare(expr.EQ, column(0), expr.Outer{Slot: 0, T: types.Int8})}
	correlated := expr.Subquery{Kind: expr.ScalarSubquery, Plan: plan.Sub{Node: inner}, Slots: []int{0},
		Args: []expr.Expr{column(0)}, Depends: []int{0}, T: types.Int8, Number: 1}
	exists := correlated
	exists.Kind, exists.Number = expr.ExistsSubquery, 2
	n := func(e expr.Expr) plan.Node {
		return plan.Project{Input: listOf(1, row(1), row(3), row(2)), Exprs: []expr.Expr{column(0), e}, Cols: cols(2)}
	}
	for _, c := range []struct {
		name string
		e    expr.Expr
		want string
	}{
		{"exists", exists, "(1,t) (3,f) (2,t)"},
		{"scalar", correlated, "21000 more than one row returned by a subquery used as an expression"},
		{"in with", expr.Subquery{Kind: expr.ExistsSubquery, Plan: plan.Sub{Node: plan.With{Number: 4, Query: list, Input: refOf(4)}}, Number: 3}, "(1,t) (3,t) (2,t)"},
	} {
		if got := show(Run(context.Background(), n(c.e), newEnv())); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

// TestSubqueryGivesBack wants what a subquery that runs once has kept to be given back at the end of the run.
func TestSubqueryGivesBack(t *testing.T) {
	in := expr.Subquery{Kind: expr.AnySubquery, Plan: plan.Sub{Node: listOf(1, row(1), row(2))},
		Left: []expr.Expr{column(0)}, Test: compare(expr.EQ, column(0), column(1)), T: types.Bool, Number: 1}
	n := plan.Project{Input: listOf(1, row(1), row(3)), Exprs: []expr.Expr{in}, Cols: cols(1)}
	env := newEnv()
	if got := show(Run(context.Background(), n, env)); got != "(t) (f)" || env.memory.used != 0 {
		t.Errorf("%s; %d bytes are held behind the run", got, env.memory.used)
	}
}

// TestSubqueryReadsWith lets a subquery read a common table outside.
func TestSubqueryReadsWith(t *testing.T) {
	count := plan.Aggregate{Input: refOf(1),
		Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0], Type: types.Int8}}, Cols: cols(1)}
	e := expr.Subquery{Kind: expr.ScalarSubquery, Plan: plan.Sub{Node: count}, T: types.Int8, Number: 1}
	n := plan.With{Number: 1, Query: listOf(1, row(7), row(8)),
		Input: plan.Project{Input: refOf(1), Exprs: []expr.Expr{column(0), e}, Cols: cols(2)}}
	if got := show(Run(context.Background(), n, newEnv())); got != "(7,2) (8,2)" {
		t.Error(got)
	}
}

func refOf(number int) plan.Ref { return plan.Ref{Number: number, Name: "x", Cols: cols(1)} }

func plus(e expr.Expr, n int) expr.Expr {
	for _, f := range builtin.Operators("+", 2) {
		if f.Args[0] == types.OIDInt8 && f.Args[1] == types.OIDInt8 {
			return expr.Call{Fn: f, Args: []expr.Expr{e, constant(n)}, T: types.Int8}
		}
	}
	panic("no +")
}
