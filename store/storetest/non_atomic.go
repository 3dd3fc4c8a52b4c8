package storetest

import (
	"errors"
	"slices"

	"zproxy/store"
)

// many is more than a transaction may write on some stores.
const many = 130

// testLoose puts a row with many loose entries. They are seen at once, and each entry is there
// when the row is.
func testLoose(e *env) {
	rows, entries := e.named(), e.named()
	tx := e.begin(store.Mode{})
	e.must(tx.Put(rows, text("p", "row", "row"), store.Absent))
	for _, it := range numbered(many) {
		e.must(tx.Put(entries, it, store.Loose))
	}
	e.must(tx.Delete(entries, key("p", number(0)), store.Loose))
	e.must(tx.Put(entries, text("p", number(1), "over"), store.Loose))
	want := append([]string{"over"}, names(many)[2:]...)
	e.equal("own loose writes", e.scan(tx, entries, store.Scan{Range: store.Range{Partition: []byte("p")}}), want)
	e.must(tx.Commit(ctx))
	e.holds("rows", rows, "row")
	e.equal("entries", slices.DeleteFunc(e.now(entries), func(s string) bool { return s == number(0) }),
		e.sorted(slices.Clone(want)))

	tx = e.begin(store.Mode{})
	e.getting(tx, rows, store.Get{Keys: []store.Key{key("p", "row")}, Remember: true})
	e.must(tx.Delete(rows, key("p", "row"), store.Unchanged))
	e.must(tx.Delete(entries, key("p", number(1)), store.Loose))
	e.must(tx.Commit(ctx))
	e.holds("rows", rows)
	e.equal("entries", slices.DeleteFunc(e.now(entries), func(s string) bool { return s == number(0) || s == "over" }),
		e.sorted(want[1:]))
}

// testLooseConflict wants nothing of a commit that fails but perhaps its loose puts.
func testLooseConflict(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "row", "old"), store.Absent)) })
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "extra", "extra"), store.Loose))
	e.must(tx.Delete(s, key("p", "gone"), store.Loose))
	e.must(tx.Put(s, text("p", "beside", "never"), store.Absent))
	err := tx.Put(s, text("p", "row", "never"), store.Absent)
	if err == nil {
		err = tx.Commit(ctx)
	}
	e.wantErr("put over an item with guard Absent", err, store.ErrConflict)
	tx.Rollback()
	e.equal("after the conflict", slices.DeleteFunc(e.now(s), func(s string) bool { return s == "extra" }),
		[]string{"old"})
}

// testNonAtomic makes many writes of all kinds that stand for themselves.
func testNonAtomic(e *env) {
	s := e.named()
	e.load(s, numbered(20))
	tx := e.begin(store.Mode{NonAtomic: true})
	var keys []store.Key
	for i := range 20 {
		keys = append(keys, key("p", number(i)))
	}
	e.getting(tx, s, store.Get{Keys: keys, Remember: true})
	var want []string
	for i, k := range keys {
		switch {
		case i%2 == 0:
			e.must(tx.Put(s, store.Item{Key: k, Values: text("", "", "new").Values}, store.Unchanged))
			want = append(want, "new")
		case i%4 == 1:
			e.must(tx.Delete(s, k, store.Unchanged))
		default:
			e.must(tx.Delete(s, k, store.Always))
		}
	}
	for i, it := range numbered(many) {
		it.Key = key("q", number(i))
		e.must(tx.Put(s, it, []store.Guard{store.Absent, store.Always, store.Loose}[i%3]))
	}
	e.must(tx.Commit(ctx))
	e.holds("after commit", s, append(want, names(many)...)...)
}

// testNonAtomicConflict has one write among many whose guard fails. Each of the others is made or not.
func testNonAtomicConflict(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", number(7), "old"), store.Absent)) })
	tx := e.begin(store.Mode{NonAtomic: true})
	var err error
	for _, it := range numbered(many) {
		if err = errors.Join(err, tx.Put(s, it, store.Absent)); err != nil {
			break
		}
	}
	if err == nil {
		err = tx.Commit(ctx)
	}
	e.wantErr("one of many puts over an item", err, store.ErrConflict)
	tx.Rollback()
	for _, row := range e.now(s) {
		if row != "old" && !slices.Contains(names(many), row) || row == number(7) {
			e.Errorf("there is %q", row)
		}
	}
}

// testWriteCost wants to be told of write units by stores that are charged for them.
func testWriteCost(e *env) {
	s := e.named()
	for _, m := range []store.Mode{{}, {Bulk: true}, {NonAtomic: true}} {
		for _, n := range []int{1, 3, 30} {
			cost := store.Stats{}
			m.Stats = &cost
			tx := e.begin(m)
			for _, it := range numbered(n) {
				e.must(tx.Put(s, it, store.Always))
			}
			e.must(tx.Commit(ctx))
			if !e.Capabilities().Units {
				continue
			}
			if cost.WriteUnits <= 0 || cost.Requests < 1 || cost.ReadUnits != 0 || cost.Items != 0 {
				e.Errorf("%d writes cost %+v", n, cost)
			}
		}
	}
}
