package executor

import (
	"fmt"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/types"
)

// BenchmarkGroupingSets makes the groups of a cube of two columns, one of which has few or many values.
func BenchmarkGroupingSets(b *testing.B) {
	const rows = 200_000
	for _, different := range []int{100, 100_000} {
		b.Run(fmt.Sprint(different), func(b *testing.B) {
			n := plan.GroupingSets{Input: plan.Stream{Cols: cols(2)}, Groups: []expr.Expr{column(0), column(1)},
				Sets: [][]int{{0, 1}, {0}, {1}, {}}, Cols: cols(4), Calls: []plan.AggregateCall{
					{Fn: builtin.Aggregates("count")[0]},
					{Fn: builtin.Aggregates("max")[0], Args: []expr.Expr{column(1)}},
				}}
			benchGroups(b, n, numberedRows(rows, func(i int) int { return i % different }))
		})
	}
}

// BenchmarkWindow computes functions over windows of 200,000 rows, in partitions of 10 or in one.
func BenchmarkWindow(b *testing.B) {
	const rows = 200_000
	growing := plan.Frame{End: plan.FrameBound{Kind: plan.CurrentRow}}
	moving := plan.Frame{Mode: plan.RowsFrame, Start: plan.FrameBound{Kind: plan.Preceding, Offset: constant(5)},
		End: plan.FrameBound{Kind: plan.CurrentRow}}
	near := plan.Frame{Start: plan.FrameBound{Kind: plan.Preceding, Offset: constant(5), Value: plus(column(1), -5)},
		End: plan.FrameBound{Kind: plan.CurrentRow}}
	sum := builtin.Aggregates("sum")[0]
	for _, c := range []struct {
		name string
		call plan.WindowCall
	}{
		{"lag", windowCall("lag", column(1))},
		{"sum", plan.WindowCall{Aggregate: sum, Args: []expr.Expr{column(1)}, Frame: growing}},
		{"moving", plan.WindowCall{Aggregate: sum, Args: []expr.Expr{column(1)}, Frame: moving}},
		{"range", plan.WindowCall{Aggregate: sum, Args: []expr.Expr{column(1)}, Frame: near}},
	} {
		for _, of := range []int{10, rows} {
			b.Run(fmt.Sprint(c.name, "/", of), func(b *testing.B) {
				n := plan.Window{Input: plan.Stream{Cols: cols(2)}, Partition: []expr.Expr{column(0)},
					Order: []plan.SortKey{{Expr: column(1)}}, Calls: []plan.WindowCall{c.call}, Cols: cols(3)}
				benchGroups(b, n, numberedRows(rows, func(i int) int { return i / of }))
			})
		}
	}
}

// benchGroups runs a plan over a stream, in memory and in files.
func benchGroups(b *testing.B, n plan.Node, in Rows) {
	for name, memory := range map[string]int64{"memory": DefaultMaxMemory, "files": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			env := newEnv()
			env.Stream, env.WorkMemory = in, memory
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := drain(b.Context(), n, env, 0); err != nil || rows < types.BatchRows {
					b.Fatal(rows, err)
				}
			}
		})
	}
}
