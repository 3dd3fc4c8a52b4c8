package executor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/types"
)

// keyTrial is streams of random keys, in batches of random sizes.
type keyTrial struct {
	*rand.Rand
	reverse bool
	open    int // streams that are being read
	broken  int // the stream that ends with an error, -1: none
}

var errBroken = errors.New("broken")

func (kt *keyTrial) keys() []string {
	set := map[string]bool{}
	for range kt.IntN(200) {
		set[fmt.Sprintf("%c%d", 'a'+kt.IntN(3), kt.IntN(150))] = true
	}
	var out []string
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	if kt.reverse {
		slices.Reverse(out)
	}
	return out
}

// rows delivers keys, whose first letter is the partition. The batch is used again.
func (kt *keyTrial) rows(number int, keys []string) Rows {
	return func(yield func(*types.Batch, error) bool) {
		kt.open++
		defer func() { kt.open-- }()
		batch := types.NewBatch(2)
		for len(keys) > 0 {
			n := min(kt.IntN(5), len(keys))
			batch.Reset(2)
			for _, k := range keys[:n] {
				batch.Append(types.Row{types.NewBytes([]byte(k[:1])), types.NewBytes([]byte(k[1:]))})
			}
			if keys = keys[n:]; !yield(batch, nil) {
				return
			}
		}
		if number == kt.broken {
			yield(nil, errBroken)
		}
	}
}

// merge delivers what the streams have together, up to a number of keys.
func (kt *keyTrial) merge(any bool, streams [][]string, most int) (out []string, err error) {
	f := frame{ctx: context.Background(), env: newEnv()}
	merged := produce(f, 2, func(o *output) error {
		m := &keyMerger{out: o, least: len(streams), reverse: kt.reverse}
		if any {
			m.least = 1
		}
		defer m.close()
		for i, keys := range streams {
			m.begin(kt.rows(i, keys))
		}
		return m.run()
	})
	for batch, err := range merged {
		if err != nil {
			return out, err
		}
		for i := range batch.Len() {
			out = append(out, string(batch.Row(i)[0].Bytes())+string(batch.Row(i)[1].Bytes()))
		}
		if len(out) >= most {
			return out[:most], nil
		}
	}
	return out, nil
}

// expected are the keys that enough of the streams have.
func (kt *keyTrial) expected(any bool, streams [][]string) []string {
	times := map[string]int{}
	for _, keys := range streams {
		for _, k := range keys {
			times[k]++
		}
	}
	var out []string
	for k, n := range times {
		if any || n == len(streams) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	if kt.reverse {
		slices.Reverse(out)
	}
	return out
}

// TestMergedKeys holds merges of random streams against sets. Whatever ends them, no stream is
// left open; an error of one is that of all; and keys that are out of order are a bug that shows.
func TestMergedKeys(t *testing.T) {
	kt := &keyTrial{Rand: rand.New(rand.NewPCG(testseed.Of(t), 7))}
	for range 500 {
		any := kt.IntN(2) == 0
		kt.reverse, kt.broken = kt.IntN(2) == 0, -1
		streams := make([][]string, 1+kt.IntN(4))
		for i := range streams {
			streams[i] = kt.keys()
		}
		want := kt.expected(any, streams)
		most := 1 + kt.IntN(300)
		got, err := kt.merge(any, streams, most)
		if err != nil || !slices.Equal(got, want[:min(most, len(want))]) || kt.open != 0 {
			t.Fatalf("any %t, reverse %t, %v: got %v of %v, %v; %d streams are open", any, kt.reverse, streams, got,
				want, err, kt.open)
		}
		kt.broken = kt.IntN(len(streams))
		if _, err := kt.merge(true, streams, len(want)+1000); !errors.Is(err, errBroken) || kt.open != 0 {
			t.Fatalf("%v: %v of a broken stream; %d streams are open", streams, err, kt.open)
		}
		kt.broken = -1
		if keys := streams[0]; len(keys) > 1 {
			slices.Reverse(keys)
			if _, err := kt.merge(true, streams, 1000); !errors.Is(err, errKeyOrder) || kt.open != 0 {
				t.Fatalf("%v: %v of keys out of order; %d streams are open", streams, err, kt.open)
			}
		}
	}
}
