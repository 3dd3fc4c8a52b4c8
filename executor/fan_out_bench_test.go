package executor

import (
	"context"
	"fmt"
	"testing"

	"zproxy/planner/plan"
	"zproxy/types"
)

// BenchmarkMerge is ORDER BY o LIMIT 1000 of 100,000 rows, in one partition of an index and
// spread over 16 of them as a hash does it.
func BenchmarkMerge(b *testing.B) {
	const n = 100_000
	for _, kind := range []string{"memory", "pebble"} {
		for _, partitions := range []int{1, 16} {
			b.Run(fmt.Sprint(kind, "/", partitions), func(b *testing.B) {
				var rows [][]types.Value
				hash := uint32(1)
				for i := range n {
					hash = hash*1664525 + 1013904223
					rows = append(rows, row(int(hash>>16)%partitions, i, i, "some text"))
				}
				w, _ := mergeWorld(b, kind, false, rows)
				w.env.Txn = w.env.Txn.(*counting).Txn
				var in []any
				for p := range partitions {
					in = append(in, p)
				}
				s := mergeScan(w, 1, plan.Order{Column: 2}, in...)
				s.Reads = []int{1, 2, 3}
				s.Access.Most = &plan.Limit{Count: constant(1000)}
				top := plan.Limit{Input: s, Count: constant(1000)}
				b.ReportAllocs()
				for b.Loop() {
					if got, err := drain(context.Background(), top, w.env, 0); err != nil || got != 1000 {
						b.Fatal(got, err)
					}
				}
			})
		}
	}
}
