package storetest

import (
	"context"
	"errors"
	"fmt"

	"zproxy/store"
	"zproxy/types"
)

// testRangesAsOne reads several ranges by one scan, some of which have writes of the transaction, and wants what scans
// of each of them have.
func testRangesAsOne(e *env) {
	if !e.Capabilities().OrderedPartitions {
		return
	}
	s := e.named()
	var items []store.Item
	for i := range 3000 {
		items = append(items, entry(string("abc"[i%3]), number(i)))
	}
	e.load(s, items)
	tx := e.begin(store.Mode{NonAtomic: true})
	for range 200 {
		switch k := key("b", number(e.rng.IntN(3000))); {
		case e.rng.IntN(2) == 0:
			e.must(tx.Delete(s, k, store.Always))
		default:
			e.must(tx.Put(s, text("b", string(k.Sort), fmt.Sprint("own ", string(k.Sort))), store.Always))
		}
	}
	for range 50 {
		ranges := e.someRanges()
		var want []string
		for _, r := range ranges {
			want = append(want, e.scan(tx, s, store.Scan{Range: r})...)
		}
		got := []string{}
		e.must(e.asOne(ctx, tx, s, ranges, func(batch *types.Batch) {
			for i := range batch.Len() {
				got = append(got, show(batch.Row(i)))
			}
		}))
		e.equal(fmt.Sprint(len(ranges), " ranges"), got, want)
	}
	canceled, cancel := context.WithCancel(ctx)
	all := make([]store.Range, 10)
	for i := range all {
		all[i].Partition = []byte("a")
	}
	if err := e.asOne(canceled, tx, s, all, func(*types.Batch) { cancel() }); !errors.Is(err, context.Canceled) {
		e.Errorf("a scan that was cancelled ended with %v", err)
	}
}

// someRanges are up to 200 ranges, most of them short.
func (e *env) someRanges() []store.Range {
	out := make([]store.Range, 1+e.rng.IntN(200))
	for i := range out {
		from := e.rng.IntN(3000)
		to := from + e.rng.IntN(30)
		out[i] = store.Range{Partition: []byte{"abcd"[e.rng.IntN(4)]}, From: []byte(number(from))}
		if e.rng.IntN(40) > 0 {
			out[i].To = []byte(number(to))
		}
	}
	return out
}

// asOne reads ranges by one scan.
func (e *env) asOne(ctx context.Context, tx store.Txn, s *store.Space, ranges []store.Range,
	took func(*types.Batch)) error {
	r := store.Scan{Range: ranges[0], Columns: all(s), Stats: &store.Stats{}}
	r.Then = func() (then store.Range, more bool) {
		if ranges = ranges[1:]; len(ranges) == 0 {
			return then, false
		}
		return ranges[0], true
	}
	for batch, err := range tx.Scan(ctx, s, &r) {
		if err != nil {
			return err
		}
		took(batch)
	}
	return nil
}
