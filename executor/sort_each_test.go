package executor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestSortEach sorts random rows of a few groups, and wants the first rows of each group in order, and, when not all
// fit in memory, perhaps more.
func TestSortEach(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 7))
	for range 200 {
		var rows [][]types.Value
		for i := range random.IntN(200) {
			key := any(random.IntN(4))
			if random.IntN(5) == 0 {
				key = nil
			}
			rows = append(rows, row(key, random.IntN(20), i))
		}
		n := plan.Sort{Input: listOf(3, rows...), Of: 1, Each: 1 + random.Int64N(8), Keys: []plan.SortKey{
			{Expr: column(0), NullsFirst: random.IntN(2) == 0}, {Expr: column(1), Desc: random.IntN(2) == 0}}}
		env := newEnv()
		few := random.IntN(4) == 0
		if few {
			env.WorkMemory = 2 << 10
		}
		sorted := runAll(t, n, env)
		each := n.Each
		n.Each = 0
		want := firstOfEach(runAll(t, n, newEnv()), each)
		if got := firstOfEach(sorted, each); !slices.Equal(got, want) {
			t.Fatalf("%v: %q, not %q", n.Keys, got, want)
		}
		if !few && len(sorted) != len(want) {
			t.Fatalf("%d rows were kept, %d are wanted", len(sorted), len(want))
		}
	}
}

// firstOfEach are the first rows of each group among sorted rows.
func firstOfEach(rows []types.Row, most int64) (out []string) {
	counts := map[string]int64{}
	for _, r := range rows {
		group := valueText(r[0])
		if counts[group]++; counts[group] <= most {
			out = append(out, fmt.Sprint(group, " ", valueText(r[1]), " ", valueText(r[2])))
		}
	}
	return out
}
