package executor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestWindowAggregatesAreCharged gives windows what their rows take and no more. Aggregates that keep
// what they are given must end with an error, unless their frames are small; others must not.
func TestWindowAggregatesAreCharged(t *testing.T) {
	const rows = 32 * types.BatchRows
	most := int64(rows) * (rowBytes(make(types.Row, 1)) + valueBytes)
	growing := plan.Frame{Mode: plan.RowsFrame, Start: plan.FrameBound{Kind: plan.UnboundedPreceding},
		End: plan.FrameBound{Kind: plan.CurrentRow}}
	whole := growing
	whole.End.Kind = plan.UnboundedFollowing
	moving := growing
	moving.Start = plan.FrameBound{Kind: plan.Preceding, Offset: constant(3)}
	text := expr.Const{Value: types.NewText("k"), T: types.Text}
	for name, args := range map[string][]expr.Expr{
		"count": {column(0)}, "sum": {column(0)}, "max": {column(0)}, "stddev": {column(0)}, "bool_and": {constant(true)},
		"array_agg": {column(0)}, "string_agg": {text, text}, "json_agg": {column(0)}, "jsonb_agg": {column(0)},
		"json_object_agg": {text, column(0)}, "jsonb_object_agg": {text, column(0)},
	} {
		fn := builtin.Aggregates(name)[0]
		for _, frame := range []plan.Frame{growing, whole, moving} {
			want := fmt.Sprint(rows)
			if fn.Keeps && frame.Start.Kind == plan.UnboundedPreceding {
				want = "53200"
			}
			n := plan.Window{Input: plan.Stream{Cols: cols(1)}, Cols: cols(2),
				Calls: []plan.WindowCall{{Aggregate: fn, Args: args, Frame: frame}}}
			if got := countedRows(n, most, rows); !strings.HasPrefix(got, want) {
				t.Errorf("%s over %+v: %s, want %s", name, frame, got, want)
			}
		}
	}
}

// TestGivesBackByBatches wants what expressions make of the rows of an operator to be given back batch by
// batch, also where the operator reads none meanwhile, and what reads it gives out none.
func TestGivesBackByBatches(t *testing.T) {
	const rows = 8 * types.BatchRows
	in := plan.Stream{Cols: cols(1)}
	keys := []plan.SortKey{{Expr: column(0), Desc: true}}
	large := &expr.Function{Name: "large", Fn0: func(c *expr.Context) (types.Value, error) {
		return types.NewInt(1), c.Make(8 << 10)
	}}
	sum := []plan.AggregateCall{{Fn: builtin.Aggregates("sum")[0],
		Args: []expr.Expr{expr.Call{Fn: large, T: types.Int4}}}}
	for name, below := range map[string]plan.Node{
		"stream":    in,
		"window":    plan.Window{Input: in, Calls: []plan.WindowCall{windowCall("row_number")}, Cols: cols(2)},
		"sort":      plan.Sort{Input: in, Keys: keys},
		"aggregate": plan.Aggregate{Input: in, Groups: []expr.Expr{column(0)}, Cols: cols(1)},
	} {
		n := plan.Aggregate{Input: below, Calls: sum, Cols: cols(1)}
		if got := countedRows(n, 3*types.BatchRows*(8<<10), rows); got != "1" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// countedRows runs a plan over a stream, and says how many rows there were, or the error.
func countedRows(n plan.Node, most int64, rows int) string {
	env, read := newEnv(), 0
	env.MaxMemory = most
	values := make([]any, rows)
	for i := range values {
		values[i] = i
	}
	env.Stream = offer(values, nil, &read)
	count := 0
	for batch, err := range Run(context.Background(), n, env) {
		if err != nil {
			return shown(err)
		}
		count += batch.Len()
	}
	return fmt.Sprint(count)
}
