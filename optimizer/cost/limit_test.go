package cost_test

import (
	"testing"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestLimited holds what a path under a limit is thought to read.
func TestLimited(t *testing.T) {
	number := func(n int64) expr.Expr { return expr.Const{Value: types.NewInt(n), T: types.Int8} }
	all := plan.Estimate{Requests: 204, Spans: 4, Ranges: 4, Rows: 20000, Matches: 10000, Lookups: 20000, Units: 20586,
		Width: 120, Each: 1}
	guessed := all
	guessed.Guessed = true
	merged := plan.Access{Estimate: plan.Estimate{Requests: 4, Spans: 4, Ranges: 4, Rows: 400, Matches: 400},
		Delivery: plan.Delivery{Merge: &plan.Merge{}}}
	tests := []struct {
		name  string
		path  plan.Access
		limit plan.Limit
		want  plan.Estimate
	}{
		{"one row, of which each second passes", plan.Access{Estimate: all}, plan.Limit{Count: number(1)},
			plan.Estimate{Requests: 2, Spans: 4, Ranges: 1, Rows: 2, Matches: 1, Lookups: 2, Units: 3, Width: 120,
				Each: 1}},
		{"and conditions of which nothing is known", plan.Access{Estimate: guessed}, plan.Limit{Count: number(1)},
			plan.Estimate{Requests: 2, Spans: 4, Ranges: 1, Rows: 6, Matches: 1, Lookups: 6, Units: 7, Width: 120,
				Each: 1}},
		{"more than pass these conditions", plan.Access{Estimate: guessed}, plan.Limit{Count: number(5000)}, guessed},
		{"with rows that are skipped", plan.Access{Estimate: all}, plan.Limit{Count: number(100), Offset: number(100)},
			plan.Estimate{Requests: 5, Spans: 4, Ranges: 1, Rows: 400, Matches: 200, Lookups: 400, Units: 412,
				Width: 120, Each: 1}},
		{"none", plan.Access{Estimate: all}, plan.Limit{Count: number(0)}, plan.Estimate{Requests: 1, Spans: 4, Ranges: 1, Units: 1, Width: 120, Each: 1}},
		{"more than there are", plan.Access{Estimate: all}, plan.Limit{Count: number(10000)}, all},
		{"a parameter", plan.Access{Estimate: all}, plan.Limit{Count: expr.Param{T: types.Int8}}, all},
		{"no limit", plan.Access{Estimate: all}, plan.Limit{Count: expr.Const{T: types.Int8}}, all},
		{"a merge of keys, which are all read", plan.Access{Estimate: all, Path: plan.Keys{}}, plan.Limit{Count: number(1)}, all},
		{"a row of each stream that is merged", merged, plan.Limit{Count: number(1)},
			plan.Estimate{Requests: 4, Spans: 4, Ranges: 4, Rows: 4, Matches: 1}},
	}
	for _, test := range tests {
		got := cost.Limited(test.path, &test.limit)
		if got.Estimate != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got.Estimate, test.want)
		}
		if got.Most != &test.limit {
			t.Errorf("%s: the limit is not kept", test.name)
		}
	}
}
