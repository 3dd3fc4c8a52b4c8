package storetest

import (
	"fmt"
	"slices"

	"zproxy/store"
)

// testEventual writes an item again and again. An eventual read may miss the last commits, but
// what it finds was there once, and some time it finds what is there now.
func testEventual(e *env) {
	s := e.named()
	once := []string{"none"}
	for i := range 20 {
		now := fmt.Sprint("version ", i)
		e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "a", now), store.Always)) })
		once = append(once, now)
		tx := e.begin(store.Mode{ReadOnly: true, Eventual: true})
		for range 3 {
			got := slices.Concat(e.get(tx, s, key("p", "a")), e.scan(tx, s, store.Scan{}),
				e.scan(tx, s, partitionOf("p")))
			for _, found := range got {
				if !slices.Contains(once, found) {
					e.Fatalf("an eventual read finds %q, which never was there", found)
				}
			}
		}
		tx.Rollback()
	}
	tx := e.begin(store.Mode{ReadOnly: true, Eventual: true})
	for tries := 0; e.get(tx, s, key("p", "a"))[0] != once[len(once)-1]; tries++ {
		if tries == 10_000 {
			e.Fatal("eventual reads never see the last commit")
		}
	}
}

func partitionOf(p string) store.Scan {
	return store.Scan{Range: store.Range{Partition: []byte(p)}}
}

// testEventualOwn reads what a transaction wrote itself, and what it read to be remembered:
// neither lags behind.
func testEventualOwn(e *env) {
	s := e.named()
	for i := range 10 {
		now := fmt.Sprint("version ", i)
		e.do(func(tx store.Txn) {
			e.must(tx.Put(s, text("p", "a", now), store.Always))
			e.must(tx.Put(s, text("p", "b", now), store.Always))
		})
		tx := e.begin(store.Mode{Eventual: true})
		e.must(tx.Put(s, text("p", "a", "own"), store.Always))
		e.equal("own write", e.get(tx, s, key("p", "a")), []string{"own"})
		e.equal("own write in a scan", e.scan(tx, s, partitionOf("p"))[:1], []string{"own"})
		e.equal("remembered", e.getting(tx, s,
			store.Get{Keys: []store.Key{key("p", "b")}, Columns: all(s), Remember: true}), []string{now})
		scan := partitionOf("p")
		scan.Remember = true
		e.equal("scan remembered", e.scan(tx, s, scan), []string{"own", now})
		e.must(tx.Delete(s, key("p", "b"), store.Unchanged))
		e.equal("own delete", e.get(tx, s, key("p", "b")), []string{"none"})
		e.equal("scan", e.scan(tx, s, partitionOf("p")), []string{"own"})
		e.must(tx.Commit(ctx))
		e.holds("committed", s, "own")
	}
}
