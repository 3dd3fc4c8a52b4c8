package executor

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/store"
)

// evenKeys wants the even keys of one byte.
type evenKeys struct{}

func (evenKeys) Wanted(key []byte) bool { return key[0]%2 == 0 }

func (evenKeys) Next(dst, key []byte) ([]byte, bool) { return append(dst, key...), true }

func (evenKeys) Even() bool { return true }

func (evenKeys) WantsAll(from, to []byte, _ int) bool { return to[0]-from[0] < 6 }

// TestRangeProfile examines keys as a store does, with and without asking about each, and seeks now and then. The
// ranges must hold all keys that were examined, apart from each other and in order, one for each run between seeks.
func TestRangeProfile(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 71))
	for range 200 {
		node := &plan.NodeProfile{}
		r := &reader{profile: node}
		r.env = &Env{Profile: plan.NewProfile(plan.Scan{})}
		partition := []byte{7}
		skip := r.profiled(evenKeys{}, store.Range{Partition: partition})
		runs, wanted := 0, int64(0)
		for key := 0; key < 250; key++ {
			sought := key == 0 || random.IntN(10) == 0
			if sought && key > 0 {
				node.Stats.Seeks++
				key += random.IntN(5)
			}
			node.Stats.Examined++
			if !sought && random.IntN(4) == 0 {
				continue // passed on the way to the next key that may be wanted
			}
			if sought {
				runs++
			}
			if !skip.Wanted([]byte{byte(key)}) {
				continue
			}
			wanted++
			n := 1 + random.IntN(5)
			to := key + 2*(n-1)
			if to < 250 && skip.(store.EvenSkipper).WantsAll([]byte{byte(key)}, []byte{byte(to)}, n) {
				key, wanted, node.Stats.Examined = to, wanted+int64(n-1), node.Stats.Examined+int64(n-1)
			}
		}
		skip.Wanted([]byte{255}) // as of a write of the transaction's own, which is not counted
		var examined, kept int64
		last := []byte{7}
		for _, read := range node.Reads {
			examined, kept = examined+read.Examined, kept+read.Wanted
			if bytes.Compare(read.From, last) <= 0 && len(last) > 1 || bytes.Compare(read.From, read.To) > 0 {
				t.Fatalf("range %x - %x follows %x", read.From, read.To, last)
			}
			last = read.To
		}
		if examined != node.Stats.Examined || kept != wanted {
			t.Fatalf("ranges have %d keys, %d wanted; want %d, %d", examined, kept, node.Stats.Examined, wanted)
		}
		if len(node.Reads) != runs {
			t.Fatalf("%d ranges of %d runs", len(node.Reads), runs)
		}
	}
}
