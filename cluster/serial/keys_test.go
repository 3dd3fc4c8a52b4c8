package serial

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/internal/testseed"
)

// TestSets adds random points and ranges, and asks for keys: what was added is there, and nothing else unless the sets
// have grown coarse.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	key := func() string { return fmt.Sprintf("%03d", r.IntN(200)) }
	for range 200 {
		var reads readSet
		var writes keySet
		read, written := map[string]bool{}, map[string]bool{}
		for range 1 + r.IntN(120) {
			from, to := key(), key()
			switch r.IntN(4) {
			case 0:
				if added := reads.add(interval{from: from}); added == read[from] {
					t.Fatalf("%s: added %v, and was there: %v", from, added, read[from])
				}
				read[from] = true
			case 1:
				if to = max(from, to); from < to {
					reads.add(interval{from, to})
				}
				for n := range 200 {
					if k := fmt.Sprintf("%03d", n); from <= k && k < to {
						read[k] = true
					}
				}
			case 2:
				if added := writes.add(from); added == written[from] {
					t.Fatalf("%s: added %v, and was there: %v", from, added, written[from])
				}
				written[from] = true
			case 3:
				want := written[from]
				if to = max(from, to); from < to {
					want = slices.ContainsFunc(writes.recent, func(k string) bool { return from <= k && k < to }) ||
						slices.ContainsFunc(writes.sorted, func(k string) bool { return from <= k && k < to })
				} else {
					to = ""
				}
				if got := writes.within(interval{from, to}); got != want {
					t.Fatalf("a key in [%s, %s): %v", from, to, got)
				}
			}
		}
		for n := range 200 {
			if k := fmt.Sprintf("%03d", n); reads.has(k) != read[k] {
				t.Fatalf("%s was read: %v", k, reads.has(k))
			}
		}
		if len(writes.sorted)+len(writes.recent) != len(written) {
			t.Fatalf("%d keys of %d", len(writes.sorted)+len(writes.recent), len(written))
		}
	}
}

// TestCoarse wants large sets to keep what they had, with less.
func TestCoarse(t *testing.T) {
	var points, ranges readSet
	name := func(n int) string { return fmt.Sprintf("%06d", n) }
	for n := range 2*mostPoints + 2 {
		points.add(interval{from: name(2 * n)})
		ranges.add(interval{name(4 * n), name(4*n + 1)})
	}
	if len(points.points) > mostPoints || len(ranges.ranges) > mostRanges {
		t.Errorf("%d points and %d ranges", len(points.points), len(ranges.ranges))
	}
	for n := range 2*mostPoints + 2 {
		if !points.has(name(2*n)) || !ranges.has(name(4*n)) {
			t.Fatalf("%d is lost", n)
		}
	}
}
