package storetest

import "zproxy/store"

// testBlind writes with the guard Blind, over what is there, also if that has changed since the transaction began: a
// put in any case, and a delete if there is an item.
func testBlind(e *env) {
	s := e.named()
	put := func(name, value string) func(store.Txn) {
		return func(tx store.Txn) { e.must(tx.Put(s, text(name, "k", value), store.Blind)) }
	}
	remove := func(name string) func(store.Txn) {
		return func(tx store.Txn) { e.must(tx.Delete(s, key(name, "k"), store.Blind)) }
	}
	e.do(put("p", "new"))
	e.holds("over nothing", s, "new")
	e.do(put("p", "newer"))
	e.holds("over an item", s, "newer")

	late := e.begin(store.Mode{})
	put("p", "late")(late)
	e.do(put("p", "meanwhile"))
	e.must(late.Commit(ctx))
	e.holds("over one of meanwhile", s, "late")

	seen := e.begin(store.Mode{})
	e.getting(seen, s, store.Get{Keys: []store.Key{key("p", "k")}, Columns: []int{0}, Remember: true})
	e.must(seen.Put(s, text("p", "k", "seen"), store.Unchanged))
	e.do(put("p", "blind"))
	e.wantErr("a write of what has changed blindly", seen.Commit(ctx), store.ErrConflict)
	e.holds("after the conflict", s, "blind")

	none := e.begin(store.Mode{})
	remove("none")(none)
	put("q", "with it")(none)
	e.wantErr("a delete of nothing", none.Commit(ctx), store.ErrConflict)
	e.do(remove("p"))
	e.holds("deleted", s)
	again := e.begin(store.Mode{})
	remove("p")(again)
	e.wantErr("a second delete", again.Commit(ctx), store.ErrConflict)

	e.do(func(tx store.Txn) {
		for _, name := range []string{"a", "b", "c"} {
			put(name, name)(tx)
		}
	})
	e.do(func(tx store.Txn) {
		put("a", "A")(tx)
		remove("b")(tx)
	})
	e.holds("several at once", s, "A", "c")
	e.manyBlind()
}

// manyBlind writes blindly more than any store writes by one request.
func (e *env) manyBlind() {
	const many = 300
	s := e.named()
	write := func(value string, change bool) {
		e.do(func(tx store.Txn) {
			for i := range many {
				if change && i%3 > 0 {
					e.must(tx.Delete(s, key("p", number(i)), store.Blind))
				} else {
					e.must(tx.Put(s, text("p", number(i), value), store.Blind))
				}
			}
		})
	}
	write("old", false)
	write("new", true)
	if n := len(e.now(s)); n != many/3 {
		e.Errorf("%d items, want %d", n, many/3)
	}
	none := e.begin(store.Mode{})
	for i := range many {
		e.must(none.Delete(s, key("p", number(i)), store.Blind))
	}
	e.wantErr("many deletes, some of nothing", none.Commit(ctx), store.ErrConflict)
	if n := len(e.now(s)); n != many/3 {
		e.Errorf("%d items after the conflict, want %d", n, many/3)
	}
}
