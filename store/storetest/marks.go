package storetest

import (
	"slices"

	"zproxy/store"
)

// testMarks goes back to marks, also twice to one, and writes keys again whose writes
// were forgotten.
func testMarks(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "a", "stored"), store.Always)) })
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "b", "b1"), store.Absent))
	first := tx.Mark()
	e.must(tx.Put(s, text("p", "b", "b2"), store.Always))
	e.must(tx.Delete(s, key("p", "a"), store.Always))
	e.must(tx.Put(s, text("p", "c", "c1"), store.Absent))
	second := tx.Mark()
	e.must(tx.Put(s, text("p", "c", "c2"), store.Always))
	e.must(tx.Put(s, text("p", "d", "d1"), store.Absent))
	r := store.Scan{Range: store.Range{Partition: []byte("p")}}
	e.equal("before", e.scan(tx, s, r), []string{"b2", "c2", "d1"})
	past, release := store.Past(tx)
	e.equal("past", e.scan(past, s, r), []string{"b2", "c2", "d1"})
	release()
	e.looksBack(tx, s, first, "stored", "b1", "none")
	e.looksBack(tx, s, second, "none", "b2", "c1")
	tx.RollbackTo(second)
	e.equal("second mark", e.scan(tx, s, r), []string{"b2", "c1"})
	e.must(tx.Put(s, text("p", "d", "d2"), store.Absent))
	e.equal("written again", e.scan(tx, s, r), []string{"b2", "c1", "d2"})
	for range 2 {
		tx.RollbackTo(first)
		e.equal("first mark", e.scan(tx, s, r), []string{"stored", "b1"})
		e.equal("get", e.get(tx, s, key("p", "a"), key("p", "b"), key("p", "c")), []string{"stored", "b1", "none"})
		e.must(tx.Put(s, text("p", "c", "c3"), store.Absent))
	}
	e.must(tx.Commit(ctx))
	e.holds("after commit", s, "stored", "b1", "c3")
	tx = e.begin(store.Mode{})
	e.must(tx.Delete(s, key("p", "a"), store.Always))
	tx.RollbackTo(store.Mark{})
	e.must(tx.Commit(ctx))
	e.holds("after nothing was left", s, "stored", "b1", "c3")
}

// looksBack reads three keys at a mark.
func (e *env) looksBack(tx store.Txn, s *store.Space, m store.Mark, want ...string) {
	e.Helper()
	g := store.Get{Keys: []store.Key{key("p", "a"), key("p", "b"), key("p", "c")}, Columns: all(s), At: &m}
	e.equal("get at a mark", e.getting(tx, s, g), want)
	want = slices.DeleteFunc(want, func(row string) bool { return row == "none" })
	e.equal("scan at a mark", e.scan(tx, s, store.Scan{Range: store.Range{Partition: []byte("p")}, At: &m}), want)
	slices.Reverse(want)
	e.equal("back at a mark", e.scan(tx, s,
		store.Scan{Range: store.Range{Partition: []byte("p")}, Reverse: true, At: &m}), want)
}
