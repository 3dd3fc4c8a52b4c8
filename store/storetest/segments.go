package storetest

import (
	"fmt"
	"slices"

	"zproxy/store"
)

// testSegments reads the segments of a space in parts, each part in a transaction of its own: together they have each
// item once.
func testSegments(e *env) {
	of := e.segments()
	s := e.named()
	var want []string
	e.do(func(tx store.Txn) {
		for p := range 40 {
			it := entry(fmt.Sprint("p", p), "s")
			e.must(tx.Put(s, it, store.Always))
			want = append(want, string(it.Key.Partition))
		}
	})
	var got []string
	for _, r := range (store.Range{}).Segmented(of) {
		var after *store.Key
		for {
			tx := e.begin(store.Mode{ReadOnly: true})
			var last []store.Key
			e.scan(tx, s, store.Scan{Range: r, After: after, Enough: 3, Keys: func(k store.Key) {
				last = append(last, k)
			}})
			tx.Rollback()
			if len(last) == 0 {
				break
			}
			last = last[:min(3, len(last))]
			for _, k := range last {
				got = append(got, string(k.Partition))
			}
			after = &last[len(last)-1]
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	e.equal("all segments", got, want)
}

// testOwnSegments reads the segments of a space in a transaction that has written in it.
func testOwnSegments(e *env) {
	of := e.segments()
	s := e.named()
	e.do(func(tx store.Txn) {
		for p := range 20 {
			e.must(tx.Put(s, entry(fmt.Sprint("p", p), "s"), store.Always))
		}
	})
	tx := e.begin(store.Mode{})
	var want []string
	for p := range 30 {
		partition := fmt.Sprint("p", p)
		switch {
		case p%3 == 0:
			e.must(tx.Delete(s, key(partition, "s"), store.Always))
			continue
		case p%3 == 1:
			e.must(tx.Put(s, text(partition, "s", "mine"), store.Always))
			want = append(want, "mine")
		case p < 20:
			want = append(want, name(partition, "s"))
		}
	}
	var got []string
	for _, r := range (store.Range{}).Segmented(of) {
		got = append(got, e.scan(tx, s, store.Scan{Range: r})...)
	}
	slices.Sort(got)
	slices.Sort(want)
	e.equal("all segments", got, want)
}

// segments is in how many parts the store reads a space; the test ends if it has none.
func (e *env) segments() int {
	of := e.Capabilities().Segments
	if of == 0 {
		e.Skip("this store has no segments")
	}
	return of
}
