package nesting

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/encoding/ordered"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestNext wants the keys of each space of a family, and of two at once, to be told from all others, and a jump to pass
// over none of them.
func TestNext(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	mark := func(s string) Part { return Part{Marker: ordered.Append(nil, types.NewText(s), false)} }
	host := []Part{{}, {Desc: true}}
	child := slices.Concat(host, []Part{mark("1"), {}})
	family := [][]Part{host, child, slices.Concat(host, []Part{mark("10")}), slices.Concat(child, []Part{mark("3"), {}})}
	for range 200 {
		var all []string
		own := make([]map[string]bool, len(family))
		for i, parts := range family {
			own[i] = map[string]bool{}
			for range 6 {
				var key []byte
				for _, p := range parts {
					if key = append(key, p.Marker...); p.Marker == nil {
						key = ordered.Append(key, types.NewInt(int64(rng.IntN(3)+254)), p.Desc)
					}
				}
				own[i][string(key)] = true
				all = append(all, string(key))
			}
		}
		slices.Sort(all)
		for i, parts := range family {
			k, wanted := (&Host{Parts: parts}).Keys(true), own[i]
			if with := rng.IntN(len(family)); with != i {
				k = (&Host{Parts: parts, With: [][]Part{family[with]}}).Keys(true)
				wanted = maps.Clone(wanted)
				maps.Copy(wanted, own[with])
			}
			for _, key := range all {
				if k.Wanted([]byte(key)) != wanted[key] {
					t.Fatalf("space %d: wanted is %v of %x", i, !wanted[key], key)
				}
				from := []byte(key)[:rng.IntN(len(key)+1)]
				next, ok := k.Next(nil, from)
				if ok && bytes.Compare(next, from) < 0 {
					t.Fatalf("space %d: the next of %x is %x", i, from, next)
				}
				for other := range wanted {
					if other >= string(from) && (!ok || other < string(next)) {
						t.Fatalf("space %d: from %x to %x it passes over %x", i, from, next, other)
					}
				}
			}
		}
	}
}
