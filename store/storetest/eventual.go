package storetest

import (
	"fmt"
	"slices"

	"zproxy/store"
	"zproxy/store/eventual"
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
		tx := e.begin(store.Mode{ReadOnly: true, Eventual: eventual.Always})
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
	tx := e.begin(store.Mode{ReadOnly: true, Eventual: eventual.Always})
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
		tx := e.begin(store.Mode{Eventual: eventual.Always})
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

// testEventualSpaces reads a space that is Eventual and one that is not. Only of the one, and only by a transaction
// that leaves it to the spaces, may the last commits be missed.
func testEventualSpaces(e *env) {
	strong, lagging := e.named(), e.named()
	lagging.Eventual = true
	once := []string{"none"}
	for i := range 20 {
		now := fmt.Sprint("version ", i)
		e.do(func(tx store.Txn) {
			e.must(tx.Put(strong, text("p", "a", now), store.Always))
			e.must(tx.Put(lagging, text("p", "a", now), store.Always))
		})
		once = append(once, now)
		read := func(tx store.Txn, s *store.Space) []string {
			remembered := partitionOf("p")
			remembered.Remember = true
			e.equal("remembered", e.scan(tx, s, remembered), []string{now})
			return slices.Concat(e.get(tx, s, key("p", "a")), e.scan(tx, s, store.Scan{}),
				e.scan(tx, s, partitionOf("p")))
		}
		all := []string{now, now, now}
		never := e.begin(store.Mode{ReadOnly: true})
		e.equal("of a space that may lag, by a transaction that may not", read(never, lagging), all)
		never.Rollback()
		spaces := e.begin(store.Mode{ReadOnly: true, Eventual: eventual.Spaces})
		e.equal("of a space that may not lag", read(spaces, strong), all)
		for _, found := range read(spaces, lagging) {
			if !slices.Contains(once, found) {
				e.Fatalf("an eventual read finds %q, which never was there", found)
			}
		}
		spaces.Rollback()
	}
}
