package overlay

import (
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
)

// TestNodeList adds nodes and cuts them off at random, around the bounds of pages, and compares with a slice.
func TestNodeList(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	var list nodeList[int]
	var want []int
	for range 200 {
		if n := rng.IntN(3); n > 0 {
			for range rng.IntN(pageNodes) {
				if at := list.add(node[int]{payload: len(want)}); int(at) != len(want) {
					t.Fatalf("node %d has the offset %d", len(want), at)
				}
				want = append(want, len(want))
			}
		} else {
			to := rng.IntN(len(want) + 1)
			if rng.IntN(2) == 0 {
				to -= to % pageNodes
			}
			list.cut(to)
			want = want[:to]
		}
		if list.count != len(want) {
			t.Fatalf("%d nodes, want %d", list.count, len(want))
		}
		for i := range want {
			if got := list.at(uint32(i)).payload; got != i {
				t.Fatalf("node %d of %d is %d", i, len(want), got)
			}
		}
	}
}
