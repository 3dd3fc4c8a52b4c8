package optimizer_test

import (
	"fmt"
	"strings"
	"testing"

	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/types"
)

// BenchmarkJoinOrder is how long it takes to optimize joins of many tables.
func BenchmarkJoinOrder(b *testing.B) {
	for _, n := range []int{2, 4, 8, 12, 20, 64} {
		for _, shape := range []string{"chain", "star"} {
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				var s plantest.Schema
				if err := s.Define("CREATE TABLE t (a int PRIMARY KEY, b int, c int); CREATE INDEX ON t (b)"); err != nil {
					b.Fatal(err)
				}
				from, where := make([]string, n), []string{"t0.c < 5"}
				for i := range n {
					from[i] = fmt.Sprintf("t AS t%d", i)
					with := 0
					if shape == "chain" {
						with = i - 1
					}
					if i > 0 {
						where = append(where, fmt.Sprintf("t%d.%c = t%d.a", with, "bc"[i%2], i))
					}
				}
				sql := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", strings.Join(from, ", "), strings.Join(where, " AND "))
				plan, err := s.Plan(sql)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					o := optimizer.Options{Store: access.Store{OrderedPartitions: true}, Env: &types.Env{}}
					if _, err := optimizer.Optimize(plan, &o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
