package storetest

import (
	"fmt"

	"zproxy/store"
	"zproxy/types"
)

// testKeysReported wants the key of each item, stored or the transaction's own, from every kind of
// scan, and that the store finds items again by the keys it told.
func testKeysReported(e *env) {
	s := e.named()
	var items []store.Item
	for i := range 600 {
		items = append(items, entry(string("abc"[i%3]), number(i)))
	}
	e.load(s, items)
	tx := e.begin(store.Mode{NonAtomic: true})
	defer tx.Rollback()
	e.must(tx.Put(s, entry("b", number(1)), store.Always))
	e.must(tx.Put(s, entry("b", number(9000)), store.Always))
	e.must(tx.Put(s, entry("d", number(1)), store.Always))
	e.must(tx.Delete(s, key("b", number(4)), store.Always))
	e.must(tx.Delete(s, key("c", number(2)), store.Always))
	for _, r := range []store.Scan{
		{},
		{Reverse: true},
		{Range: store.Range{Partition: []byte("b")}, Enough: 7},
		{Range: store.Range{Partition: []byte("b"), From: []byte(number(50))}, Reverse: true},
	} {
		e.keysReportedBy(tx, s, r)
	}
	for _, k := range e.keysReportedBy(tx, s, store.Scan{}) {
		e.must(tx.Delete(s, k, store.Always))
	}
	e.equal("behind the deletes", e.scan(tx, s, store.Scan{}), []string{})
}

// keysReportedBy are the keys that a scan reports. By them a Get finds the rows of the scan.
func (e *env) keysReportedBy(tx store.Txn, s *store.Space, r store.Scan) []store.Key {
	e.Helper()
	var keys []store.Key
	var rows, sample, wanted []string
	r.Columns, r.Stats = all(s), &store.Stats{}
	r.Keys = func(k store.Key) { keys = append(keys, k) }
	r.Unsampled, r.Sample = 2, func(k store.Key) int {
		sample = append(sample, fmt.Sprintf("%q", k))
		return len(sample) % 5
	}
	for batch, err := range tx.Scan(ctx, s, &r) {
		e.must(err)
		if len(keys) < len(rows)+batch.Len() {
			e.Fatalf("a batch of %d rows came behind %d, and %d keys", batch.Len(), len(rows), len(keys))
		}
		for i := range batch.Len() {
			rows = append(rows, show(batch.Row(i)))
		}
	}
	if len(rows) == 0 || len(keys) != len(rows) {
		e.Fatalf("%d keys of %d rows", len(keys), len(rows))
	}
	for at := 2; at < len(keys); at += 1 + len(wanted)%5 {
		wanted = append(wanted, fmt.Sprintf("%q", keys[at]))
	}
	e.equal("keys of the sample", sample, wanted)
	out := types.NewBatch(len(s.Columns))
	found, err := tx.Get(ctx, s, &store.Get{Keys: keys, Columns: all(s), Stats: &store.Stats{}}, out)
	e.must(err)
	got := make([]string, len(keys))
	for i := range keys {
		if got[i] = show(out.Row(i)); !found[i] {
			got[i] = fmt.Sprintf("nothing at %q", keys[i])
		}
	}
	e.equal("rows got by the keys that were told", got, rows)
	return keys
}
