package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"zproxy/store"
	"zproxy/types"
)

var streamTests = []test{
	{name: "big scans", run: testBigScans},
	{name: "scan stopped early", run: testEarlyStop},
	{name: "more than enough", run: testMoreThanEnough},
	{name: "turns", run: testInterleavedRanges},
	{name: "ranges as one", run: testRangesAsOne},
	{name: "context cancelled", run: testCancelled},
	{name: "skipper", run: testSkipper},
}

// wide is items of about a kilobyte, in two partitions.
func wide(n int) (items []store.Item, names []string) {
	for i := range n {
		value := number(i) + strings.Repeat("x", 1000)
		partition := string("pq"[i*2/n])
		items = append(items, text(partition, number(i), value))
		names = append(names, value)
	}
	return items, names
}

func testBigScans(e *env) {
	const n = 3000
	s := e.named()
	items, want := wide(n)
	e.load(s, items)
	tx := e.begin(store.Mode{})
	e.equal("whole space", e.sorted(e.scan(tx, s, store.Scan{})), want)
	p := store.Range{Partition: []byte("p")}
	backward := slices.Clone(want[:n/2])
	slices.Reverse(backward)
	for _, limit := range []int{0, 1, types.BatchRows, types.BatchRows + 1, 1400, 5000} {
		end := n / 2
		if limit > 0 {
			end = min(limit, end)
		}
		e.equal(fmt.Sprint("limit ", limit), e.scan(tx, s, store.Scan{Range: p, Enough: limit}), want[:end])
		e.equal(fmt.Sprint("reverse, limit ", limit), e.scan(tx, s, store.Scan{Range: p, Enough: limit, Reverse: true}),
			backward[:end])
	}
	var keys []store.Key
	for _, it := range items[:250] {
		keys = append(keys, it.Key)
	}
	e.equal("get", e.get(tx, s, keys...), want[:250])
	e.kept(tx, s, want)
}

// kept checks that values outlive their batch.
func (e *env) kept(tx store.Txn, s *store.Space, want []string) {
	e.Helper()
	var values []types.Value
	for batch, err := range tx.Scan(ctx, s, &store.Scan{Columns: all(s), Stats: &store.Stats{}}) {
		e.must(err)
		if batch.Len() == 0 || batch.Width() != 1 {
			e.Errorf("a batch of %d rows of width %d", batch.Len(), batch.Width())
		}
		for i := range batch.Len() {
			values = append(values, batch.Row(i)[0])
		}
	}
	got := []string{}
	for _, v := range values {
		got = append(got, v.Text())
	}
	e.equal("values kept", e.sorted(got), want)
}

// testEarlyStop stops scans and goes on using the transaction.
func testEarlyStop(e *env) {
	s := e.named()
	items, want := wide(1000)
	e.load(s, items)
	tx := e.begin(store.Mode{})
	for range 3 {
		for batch, err := range tx.Scan(ctx, s, &store.Scan{Columns: all(s), Stats: &store.Stats{}}) {
			e.must(err)
			for range tx.Scan(ctx, s, &store.Scan{Columns: all(s), Stats: &store.Stats{}}) {
				break // one inside the other
			}
			if batch.Len() == 0 {
				e.Error("an empty batch")
			}
			break
		}
	}
	e.must(tx.Put(s, text("r", "r", "new"), store.Absent))
	e.equal("scan after stopping", e.sorted(e.scan(tx, s, store.Scan{})), e.sorted(append(slices.Clone(want), "new")))
	e.must(tx.Commit(ctx))
}

// testMoreThanEnough goes on behind what was to be enough: no row is lost, and batches end
// where they should.
func testMoreThanEnough(e *env) {
	s := e.named()
	items, want := wide(1000)
	e.load(s, items)
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "0", "first"), store.Absent))
	want = append([]string{"first"}, want[:500]...)
	for _, reverse := range []bool{false, true} {
		for _, enough := range []int{1, 7, types.BatchRows, 300, 500, 501, 600} {
			r := store.Scan{Range: store.Range{Partition: []byte("p")}, Columns: all(s), Reverse: reverse,
				Enough: enough, Stats: &store.Stats{}}
			got, ends := []string{}, map[int]bool{}
			for batch, err := range tx.Scan(ctx, s, &r) {
				e.must(err)
				for i := range batch.Len() {
					got = append(got, show(batch.Row(i)))
				}
				ends[len(got)] = true
			}
			for n := enough; n < len(want); n += max(n/4, 1) {
				if !ends[n] {
					e.Errorf("with %d as enough no batch ends at %d: %v", enough, n, ends)
				}
			}
			e.equal(fmt.Sprint("behind ", enough), got, want)
		}
		slices.Reverse(want)
	}
}

func testCancelled(e *env) {
	s := e.named()
	items, _ := wide(3000)
	e.load(s, items)
	tx := e.begin(store.Mode{})
	part, cancel := context.WithCancel(ctx)
	defer cancel()
	var last error
	for _, last = range tx.Scan(part, s, &store.Scan{Columns: all(s), Stats: &store.Stats{}}) {
		cancel()
	}
	e.wantErr("scan", last, context.Canceled)
	g := store.Get{Keys: []store.Key{items[0].Key}, Columns: all(s), Stats: &store.Stats{}}
	_, err := tx.Get(part, s, &g, types.NewBatch(1))
	e.wantErr("get", err, context.Canceled)
	e.equal("the same transaction", e.get(tx, s, key("p", "none")), []string{"none"})
}

// box wants keys of a prefix and two bytes that lie between the bytes of low and high.
type box struct {
	prefix    []byte
	low, high [2]byte
	even      bool
}

func (b box) Even() bool { return b.even }

func (b box) WantsAll(_, _ []byte, _ int) bool { return false }

func (b box) Wanted(key []byte) bool {
	rest, ok := bytes.CutPrefix(key, b.prefix)
	return ok && len(rest) == 2 && b.low[0] <= rest[0] && rest[0] <= b.high[0] && b.low[1] <= rest[1] &&
		rest[1] <= b.high[1]
}

// Next tries all keys that there may be.
func (b box) Next(dst, key []byte) ([]byte, bool) {
	for x := int(b.low[0]); x <= int(b.high[0]); x++ {
		for y := int(b.low[1]); y <= int(b.high[1]); y++ {
			at := append(slices.Clone(b.prefix), byte(x), byte(y))
			if bytes.Compare(at, key) >= 0 {
				return append(dst, at...), true
			}
		}
	}
	return dst, false
}

// testSkipper compares boxes with a filter, with own writes in between.
func testSkipper(e *env) {
	s := e.named()
	var items []store.Item
	for x := range byte(30) {
		for y := range byte(30) {
			items = append(items, entry("p", string([]byte{x, y})), entry("q", string([]byte{x, y})))
		}
	}
	e.load(s, items)
	tx := e.begin(store.Mode{})
	gone := map[string]bool{}
	for range 40 {
		x, y := byte(e.rng.IntN(30)), byte(e.rng.IntN(35))
		sort := string([]byte{x, y})
		if e.rng.IntN(2) == 0 {
			e.must(tx.Delete(s, key("p", sort), store.Always))
			gone[sort] = true
			continue
		}
		e.must(tx.Put(s, entry("p", sort), store.Always))
		delete(gone, sort)
		if y >= 30 {
			items = append(items, entry("p", sort))
		}
	}
	items = slices.DeleteFunc(items, func(it store.Item) bool {
		return it.Key.Partition[0] == 'q' || gone[string(it.Key.Sort)]
	})
	slices.SortFunc(items, func(a, b store.Item) int { return bytes.Compare(a.Key.Sort, b.Key.Sort) })
	items = slices.CompactFunc(items, func(a, b store.Item) bool { return bytes.Equal(a.Key.Sort, b.Key.Sort) })
	for range 40 {
		b := box{even: e.rng.IntN(2) == 0}
		for i := range 2 {
			b.low[i] = byte(e.rng.IntN(30))
			b.high[i] = b.low[i] + byte(e.rng.IntN(12))
		}
		e.inBox(tx, s, b, items)
	}
}

// inBox reads one box in one partition and, where that is possible, over partitions.
func (e *env) inBox(tx store.Txn, s *store.Space, b box, items []store.Item) {
	e.Helper()
	r := store.Scan{Range: store.Range{Partition: []byte("p")}, Skip: b, Enough: e.rng.IntN(3) * 20}
	if e.rng.IntN(2) == 0 {
		r.Range.From, r.Range.To = b.low[:], []byte{b.high[0], b.high[1], 0}
	}
	want := []string{}
	for _, it := range items {
		if b.Wanted(it.Key.Sort) && (r.Enough == 0 || len(want) < r.Enough) {
			want = append(want, show(it.Values))
		}
	}
	e.equal(fmt.Sprintf("box %v", b), e.scan(tx, s, r), want)
	if e.Capabilities().OrderedPartitions {
		over := r
		over.Range, b.prefix = store.Range{}, []byte("p")
		over.Skip = b
		e.equal(fmt.Sprintf("box %v over partitions", b), e.scan(tx, s, over), want)
	}
	if r.Enough == 0 {
		r.Reverse = true
		slices.Reverse(want)
		e.equal(fmt.Sprintf("box %v, reverse", b), e.scan(tx, s, r), want)
	}
}
