package executor

import (
	"context"
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestStreamsFlat reads many rows through operators that keep none, and looks at what is
// held and at how far the source is ahead.
func TestStreamsFlat(t *testing.T) {
	env := newEnv()
	const rows = 200_000
	made := 0
	env.Stream = func(yield func(*types.Batch, error) bool) {
		batch := types.NewBatch(1)
		for made < rows {
			batch.Reset(1)
			for ; !batch.Full() && made < rows; made++ {
				batch.Add()[0] = types.NewInt(int64(made))
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
	keys := []plan.JoinKey{{Left: column(0), Right: column(0)}}
	var n plan.Node = plan.Stream{Cols: cols(1)}
	n = plan.Append{In: []plan.Node{n, listOf(1)}, Cols: cols(1)}
	n = plan.Join{Kind: plan.LeftJoin, Left: n, Right: listOf(1, row(5)),
		Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: keys}}
	n = plan.Join{Kind: plan.LeftJoin, Left: n, Right: listOf(1, row(5), row(6)),
		Method: &plan.JoinMethod{Strategy: plan.Merged, Keys: keys}}
	n = plan.Aggregate{Input: n, Groups: []expr.Expr{column(0), column(1)}, Cols: cols(2), Sorted: true}
	n = plan.Filter{Input: n, Cond: compare(expr.GE, column(0), constant(0))}
	n = plan.ProjectSet{Input: n, Calls: []expr.Call{call(upTo, constant(1))}, Cols: cols(3)}
	n = plan.Project{Input: n, Exprs: []expr.Expr{column(0)}, Cols: cols(1)}
	got := 0
	for batch, err := range Run(context.Background(), n, env) {
		if err != nil {
			t.Fatal(err)
		}
		got += batch.Len()
		if ahead := made - got; ahead > types.BatchRows || env.memory.used > 1000 {
			t.Fatalf("after %d rows the source is %d ahead, and %d bytes are held", got, ahead, env.memory.used)
		}
	}
	if got != rows || env.memory.used != 0 {
		t.Errorf("%d rows; %d bytes are still held", got, env.memory.used)
	}
}
