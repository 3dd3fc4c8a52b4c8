package ddl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/internal/testseed"
)

// TestLabelKeys adds labels at random places, and wants the keys to stay in the order of the labels, and short.
func TestLabelKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for n := range 200 {
		keys := keysOf(n)
		if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != n {
			t.Fatalf("%d keys: %v", n, keys)
		}
	}
	for range 50 {
		var labels []catalog.Label
		for i := range 200 {
			labels = withLabel(labels, random.IntN(len(labels)+1), fmt.Sprint(i), 0)
		}
		checkLabels(t, labels)
	}
	for _, at := range []func(n int) int{func(int) int { return 0 }, func(n int) int { return n },
		func(n int) int { return min(n, 1) }, func(n int) int { return max(0, n-1) }} {
		labels := []catalog.Label{{Key: "V", At: 1}}
		for i := range 300 {
			labels = withLabel(labels, at(len(labels)), fmt.Sprint(i), 0)
		}
		checkLabels(t, labels)
	}
}

func checkLabels(t *testing.T, labels []catalog.Label) {
	t.Helper()
	for i, l := range labels {
		if i > 0 && (l.Key <= labels[i-1].Key || l.At <= labels[i-1].At) {
			t.Fatalf("label %d has %q and %g behind %q and %g", i, l.Key, l.At, labels[i-1].Key, labels[i-1].At)
		}
		if len(l.Key) > 64 || strings.HasSuffix(l.Key, keyDigits[:1]) {
			t.Fatalf("label %d has the key %q", i, l.Key)
		}
	}
}
