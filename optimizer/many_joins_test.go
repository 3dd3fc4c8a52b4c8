package optimizer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/types"
)

// manyJoins is the plan of a query that joins n tables, t0 and so on: each but the first by a condition. One table,
// joined with itself, would be read once for all whose keys are equal.
func manyJoins(t testing.TB, n int, first string, condition func(i int) string) plan.Node {
	var s plantest.Schema
	from, where := make([]string, n), []string{first}
	for i := range n {
		from[i] = fmt.Sprintf("t%d", i)
		for _, sql := range []string{"CREATE TABLE t%d (a int PRIMARY KEY, b int, c int)", "CREATE INDEX ON t%d (b)"} {
			if err := s.Define(fmt.Sprintf(sql, i)); err != nil {
				t.Fatal(err)
			}
		}
		if i > 0 {
			where = append(where, condition(i))
		}
	}
	out, err := s.Plan("SELECT count(*) FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(where, " AND "))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestManyInputs orders joins of more inputs than one search takes.
func TestManyInputs(t *testing.T) {
	n := manyJoins(t, 70, "t40.a = 7", func(i int) string { return fmt.Sprintf("t%d.c = t%d.c", i-1, i) })
	r := recorder{t: t}
	o := optimizer.Options{Store: access.Store{OrderedPartitions: true}, Env: &types.Env{}, Observe: r.observe}
	if _, err := optimizer.Optimize(n, &o); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.rules, "OrderJoins") {
		t.Error("the inputs are not ordered")
	}
}

// BenchmarkJoinOrder is how long it takes to optimize joins of many tables.
func BenchmarkJoinOrder(b *testing.B) {
	shapes := map[string]func(i int) string{
		"chain": func(i int) string { return fmt.Sprintf("t%d.%c = t%d.a", i-1, "bc"[i%2], i) },
		"star":  func(i int) string { return fmt.Sprintf("t0.%c = t%d.a", "bc"[i%2], i) },
	}
	for _, n := range []int{2, 4, 8, 12, 20, 64} {
		for _, shape := range []string{"chain", "star"} {
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				in := manyJoins(b, n, "t0.c < 5", shapes[shape])
				for b.Loop() {
					o := optimizer.Options{Store: access.Store{OrderedPartitions: true}, Env: &types.Env{}}
					if _, err := optimizer.Optimize(in, &o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
