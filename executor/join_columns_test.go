package executor

import (
	"context"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestJoinLargeTexts joins rows that have large texts with many others: a batch must not have as many copies of these
// as it has rows.
func TestJoinLargeTexts(t *testing.T) {
	const large, many = 4 << 20, 200
	var one, others [][]types.Value
	for i := range 3 {
		one = append(one, []types.Value{types.NewInt(7), types.NewText(strings.Repeat("x", large+i))})
	}
	for i := range many {
		others = append(others, []types.Value{types.NewInt(7), types.NewInt(int64(i))})
	}
	for _, buildLeft := range []bool{false, true} {
		n := plan.Join{Left: listOf(2, others...), Right: listOf(2, one...)}
		n.Method = &plan.JoinMethod{Strategy: plan.Hash, BuildLeft: buildLeft,
			Keys:     []plan.JoinKey{{Left: column(0), Right: column(0)}},
			Residual: compare(expr.GE, column(1), constant(0))}
		rows := 0
		for batch, err := range Run(context.Background(), n, newEnv()) {
			if err != nil {
				t.Fatal(err)
			}
			rows += batch.Len()
			if bytes := batchBytes(batch); batch.Columnar() && bytes > 2*mostPickedBytes {
				t.Errorf("a batch of %d rows takes %d bytes", batch.Len(), bytes)
			}
		}
		if rows != 3*many {
			t.Errorf("%d rows, want %d", rows, 3*many)
		}
	}
}
