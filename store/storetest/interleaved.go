package storetest

import (
	"fmt"
	"slices"

	"zproxy/store"
	"zproxy/types"
)

// testInterleavedRanges reads ranges alternately, in any order and with any number of items as enough, while
// the transaction writes. Each range must come as one scan of it alone would have it at first.
func testInterleavedRanges(e *env) {
	s := e.named()
	var items []store.Item
	for i := range 900 {
		items = append(items, entry(string("abc"[i%3]), number(i)))
	}
	e.load(s, items)
	tx := e.begin(store.Mode{NonAtomic: true})
	for i := range 900 {
		switch k := key(string("abc"[i%3]), number(i)); {
		case i%7 == 0:
			e.must(tx.Delete(s, k, store.Always))
		case i%11 == 0:
			e.must(tx.Put(s, text(string(k.Partition), number(i), fmt.Sprint("own ", i)), store.Always))
		}
	}
	e.must(tx.Put(s, text("c", "99999", "own, the last"), store.Always))
	for round := range 20 {
		reverse := e.rng.IntN(2) == 0
		ranges := []store.Range{
			{Partition: []byte("a")}, {Partition: []byte("b"), From: []byte(number(100)), To: []byte(number(700))},
			{Partition: []byte("c")}, {Partition: []byte("none")},
		}
		want := make([][]string, len(ranges))
		for i, r := range ranges {
			want[i] = e.scan(tx, s, store.Scan{Range: r, Reverse: reverse})
		}
		got := e.interleaved(tx, s, ranges, reverse, func() {
			e.must(tx.Put(s, text("c", fmt.Sprintf("%s new %d", number(e.rng.IntN(900)), round), "not seen"),
				store.Always))
			e.must(tx.Delete(s, key("a", number(3*e.rng.IntN(300))), store.Always))
		})
		for i := range ranges {
			e.equal(fmt.Sprintf("range %d, reverse %v", i, reverse), got[i], want[i])
		}
	}
}

// interleaved reads ranges alternately, and writes between them.
func (e *env) interleaved(tx store.Txn, s *store.Space, ranges []store.Range, reverse bool, write func()) [][]string {
	e.Helper()
	got := make([][]string, len(ranges))
	open := []int{}
	for i := range ranges {
		got[i], open = []string{}, append(open, i)
	}
	now := 0
	r := store.Scan{Range: ranges[0], Columns: all(s), Reverse: reverse, Enough: 1 + e.rng.IntN(300),
		Stats: &store.Stats{}}
	r.Next = func(rest store.Range) (store.Range, int) {
		ranges[now] = rest
		now = open[e.rng.IntN(len(open))]
		return ranges[now], 1 + e.rng.IntN(300)
	}
	for batch, err := range tx.Scan(ctx, s, &r) {
		e.must(err)
		for i := range batch.Len() {
			got[now] = append(got[now], show(batch.Row(i)))
		}
		switch most := min(r.Enough, types.BatchRows); {
		case batch.Len() > most:
			e.Errorf("a turn of %d items where %d were asked for", batch.Len(), most)
		case batch.Len() < most:
			open = slices.DeleteFunc(open, func(i int) bool { return i == now })
		}
		if len(open) == 0 {
			break
		}
		write()
	}
	return got
}
