package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/types"
)

var writeTests = []test{
	{name: "own writes", run: testOwnWrites},
	{name: "writes during a scan", run: testWritesDuringScan},
	{name: "memory of an item", run: testMemory},
	{name: "snapshot", needs: NoSnapshot, run: testSnapshot},
	{name: "guards", run: testGuards},
	{name: "guards on own writes", run: testGuardsOnOwn},
	{name: "absence", run: testAbsence},
	{name: "absence at once", run: testAbsenceAtOnce},
	{name: "blind", run: testBlind},
	{name: "unchanged", run: testUnchanged},
	{name: "unchanged from nothing", run: testUnchangedNothing},
	{name: "first committer wins", run: testFirstCommitter},
	{name: "rollback", run: testRollback},
	{name: "rollback to a mark", run: testMarks},
	{name: "use after the end", run: testEnded},
	{name: "use after close", run: testClosed},
	{name: "bulk", run: testBulk},
	{name: "loose writes", run: testLoose},
	{name: "loose writes of a conflict", run: testLooseConflict},
	{name: "non-atomic writes", run: testNonAtomic},
	{name: "a conflict of non-atomic writes", run: testNonAtomicConflict},
	{name: "cost of writes", run: testWriteCost},
	{name: "concurrent committers", run: testConcurrent},
	{name: "transfers", needs: NoSnapshot, run: testTransfers},
}

// text is an item with its own text.
func text(partition, sort, value string) store.Item {
	return item(partition, sort, types.NewText(value))
}

// testOwnWrites lays puts, overwrites and deletes over stored items.
func testOwnWrites(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) {
		for _, sort := range []string{"b", "d", "f", "h"} {
			e.must(tx.Put(s, text("p", sort, sort), store.Always))
		}
	})
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "a", "new a"), store.Absent))
	e.must(tx.Put(s, text("p", "d", "over d"), store.Always))
	e.must(tx.Delete(s, key("p", "f"), store.Always))
	e.must(tx.Delete(s, key("p", "none"), store.Always))
	e.must(tx.Put(s, text("p", "i", "new i"), store.Absent))
	e.must(tx.Put(s, text("p", "j", "gone"), store.Absent))
	e.must(tx.Delete(s, key("p", "j"), store.Always))
	e.must(tx.Put(s, text("q", "a", "q"), store.Absent))
	p := store.Range{Partition: []byte("p")}
	want := []string{"new a", "b", "over d", "h", "new i"}
	e.equal("scan", e.scan(tx, s, store.Scan{Range: p}), want)
	e.equal("whole space", e.sorted(e.scan(tx, s, store.Scan{})), e.sorted(append(slices.Clone(want), "q")))
	e.equal("limit", e.scan(tx, s, store.Scan{Range: p, Enough: 3}), want[:3])
	part := store.Range{Partition: p.Partition, From: []byte("d"), To: []byte("i")}
	e.equal("part", e.scan(tx, s, store.Scan{Range: part}), []string{"over d", "h"})
	slices.Reverse(want)
	e.equal("reverse", e.scan(tx, s, store.Scan{Range: p, Reverse: true}), want)
	e.equal("reverse limit", e.scan(tx, s, store.Scan{Range: p, Reverse: true, Enough: 2}), want[:2])
	keys := []store.Key{key("p", "j"), key("p", "d"), key("p", "f"), key("p", "b"), key("p", "i"), key("p", "d")}
	e.equal("get", e.get(tx, s, keys...), []string{"none", "over d", "none", "b", "new i", "over d"})
	e.holds("others see", s, "b", "d", "f", "h")
	e.must(tx.Commit(ctx))
	slices.Reverse(want)
	e.holds("after commit", s, append(want, "q")...)
}

func testWritesDuringScan(e *env) {
	for _, reverse := range []bool{false, true} {
		s := e.named()
		e.load(s, numbered(700))
		tx := e.begin(store.Mode{})
		e.must(tx.Put(s, text("p", number(350)+"x", "own"), store.Always))
		r := store.Scan{Range: store.Range{Partition: []byte("p")}, Columns: all(s), Reverse: reverse,
			Stats: &store.Stats{}}
		var rows []string
		for batch, err := range tx.Scan(ctx, s, &r) {
			e.must(err)
			for i := range batch.Len() {
				rows = append(rows, show(batch.Row(i)))
			}
			at := e.rng.IntN(690)
			e.must(tx.Put(s, text("p", number(350)+"x", "changed"), store.Always))
			e.must(tx.Put(s, text("p", number(at)+"y", "unseen"), store.Always))
			e.must(tx.Delete(s, key("p", number(at)), store.Always))
		}
		want := names(700)
		want = slices.Insert(want, 351, "own")
		if reverse {
			slices.Reverse(want)
		}
		e.equal("scan with writes", rows, want)
		tx.Rollback()
	}
}

// number is a sort key in the order of numbers.
func number(i int) string { return fmt.Sprintf("%06d", i) }

func numbered(n int) (items []store.Item) {
	for i := range n {
		items = append(items, text("p", number(i), number(i)))
	}
	return items
}

func names(n int) (list []string) {
	for i := range n {
		list = append(list, number(i))
	}
	return list
}

// testMemory reuses the memory of items and keys after Put and Delete.
func testMemory(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) {
		k := key("p", "a")
		values := []types.Value{types.Null}
		for _, sort := range []byte("abc") {
			k.Sort[0], values[0] = sort, types.NewText(string(sort))
			e.must(tx.Put(s, store.Item{Key: k, Values: values}, store.Absent))
		}
		k.Sort[0] = 'b'
		e.must(tx.Delete(s, k, store.Always))
		k.Partition[0], values[0] = 'q', types.Null
	})
	e.holds("items", s, "a", "c")
}

func testSnapshot(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) {
		e.must(tx.Put(s, text("p", "a", "a1"), store.Always))
		e.must(tx.Put(s, text("p", "b", "b1"), store.Always))
	})
	readers := []store.Txn{e.begin(store.Mode{ReadOnly: true}), e.begin(store.Mode{})}
	e.do(func(tx store.Txn) {
		e.must(tx.Put(s, text("p", "a", "a2"), store.Always))
		e.must(tx.Delete(s, key("p", "b"), store.Always))
		e.must(tx.Put(s, text("p", "c", "c2"), store.Always))
	})
	for _, tx := range readers {
		e.equal("old scan", e.scan(tx, s, store.Scan{}), []string{"a1", "b1"})
		e.equal("old get", e.get(tx, s, key("p", "a"), key("p", "b"), key("p", "c")), []string{"a1", "b1", "none"})
		tx.Rollback()
	}
	e.holds("new scan", s, "a2", "c2")
}

// testGuards commits a write that is guarded wrongly together with one that is not.
func testGuards(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "there", "old"), store.Absent)) })
	e.do(func(tx store.Txn) {
		e.must(tx.Put(s, text("p", "there", "new"), store.Always))
		e.must(tx.Delete(s, key("p", "none"), store.Absent))
	})
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "beside", "never"), store.Absent))
	err := tx.Put(s, text("p", "there", "never"), store.Absent)
	if err == nil {
		err = tx.Commit(ctx)
	}
	e.wantErr("put over an item with guard Absent", err, store.ErrConflict)
	tx.Rollback()
	e.holds("after the conflict", s, "new")
}

// testGuardsOnOwn writes keys twice: the first guard is about the store, the second
// about the transaction's own write.
func testGuardsOnOwn(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "a", "old"), store.Absent)) })
	e.do(func(tx store.Txn) {
		e.must(tx.Delete(s, key("p", "a"), store.Always))
		e.must(tx.Put(s, text("p", "a", "new"), store.Absent))
		e.must(tx.Put(s, text("p", "b", "1"), store.Absent))
		e.must(tx.Put(s, text("p", "b", "2"), store.Always))
	})
	e.holds("written twice", s, "new", "2")
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "b", "3"), store.Absent))
	e.must(tx.Put(s, text("p", "b", "4"), store.Always))
	e.wantErr("commit with a first guard that fails", tx.Commit(ctx), store.ErrConflict)
	tx = e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "c", "1"), store.Absent))
	e.wantErr("own item", tx.Put(s, text("p", "c", "2"), store.Absent), store.ErrConflict)
	tx.Rollback()
	e.holds("after the conflicts", s, "new", "2")
}

// testUnchanged remembers items by get and by scan, with and without a change by
// another transaction in between.
func testUnchanged(e *env) {
	change := map[string]func(tx store.Txn, s *store.Space) error{
		"nothing": nil,
		"put":     func(tx store.Txn, s *store.Space) error { return tx.Put(s, text("p", "k", "theirs"), store.Always) },
		"delete":  func(tx store.Txn, s *store.Space) error { return tx.Delete(s, key("p", "k"), store.Always) },
	}
	for what, theirs := range change {
		for _, read := range []func(*env, store.Txn, *store.Space){rememberByGet, rememberByScan} {
			for _, remove := range []bool{false, true} {
				s := e.named()
				e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "k", "old"), store.Absent)) })
				tx := e.begin(store.Mode{})
				read(e, tx, s)
				if theirs != nil {
					e.do(func(tx store.Txn) { e.must(theirs(tx, s)) })
				}
				if remove {
					e.must(tx.Delete(s, key("p", "k"), store.Unchanged))
				} else {
					e.must(tx.Put(s, text("p", "k", "ours"), store.Unchanged))
				}
				err := tx.Commit(ctx)
				if theirs == nil {
					e.must(err)
				} else {
					e.wantErr("commit after their "+what, err, store.ErrConflict)
				}
			}
		}
	}
}

// testUnchangedNothing puts where a read found nothing, with and without another transaction in
// between.
func testUnchangedNothing(e *env) {
	for _, theirs := range []bool{false, true} {
		s := e.named()
		tx := e.begin(store.Mode{})
		found, err := tx.Get(ctx, s, &store.Get{Keys: []store.Key{key("p", "k")}, Remember: true,
			Stats: &store.Stats{}}, types.NewBatch(0))
		if e.must(err); found[0] {
			e.Error("there is an item in a new space")
		}
		if theirs {
			e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "k", "theirs"), store.Absent)) })
		}
		e.must(tx.Put(s, text("p", "k", "ours"), store.Unchanged))
		if err := tx.Commit(ctx); theirs {
			e.wantErr("commit after their put", err, store.ErrConflict)
			e.holds("after the conflict", s, "theirs")
		} else {
			e.must(err)
			e.holds("after the commit", s, "ours")
		}
	}
}

func rememberByGet(e *env, tx store.Txn, s *store.Space) {
	g := store.Get{Keys: []store.Key{key("p", "k")}, Columns: []int{}, Remember: true}
	e.equal("get", e.getting(tx, s, g), []string{""})
}

func rememberByScan(e *env, tx store.Txn, s *store.Space) {
	r := store.Scan{Range: store.Range{Partition: []byte("p")}, Columns: []int{}, Remember: true}
	e.equal("scan", e.scan(tx, s, r), []string{""})
}

// testFirstCommitter lets two transactions write one key, the second to commit last.
func testFirstCommitter(e *env) {
	s := e.named()
	put := func(tx store.Txn) error { return tx.Put(s, text("p", "k", "x"), store.Unchanged) }
	remove := func(tx store.Txn) error { return tx.Delete(s, key("p", "k"), store.Unchanged) }
	for _, pair := range [][2]func(store.Txn) error{{put, put}, {put, remove}, {remove, put}} {
		e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "k", "start"), store.Always)) })
		first, second := e.begin(store.Mode{}), e.begin(store.Mode{})
		for _, tx := range []store.Txn{first, second} {
			e.getting(tx, s, store.Get{Keys: []store.Key{key("p", "k")}, Columns: []int{0}, Remember: true})
		}
		e.must(pair[1](second))
		e.must(second.Put(s, text("p", "second", "never"), store.Always))
		e.must(pair[0](first))
		e.must(first.Commit(ctx))
		after := e.now(s)
		e.wantErr("second commit", second.Commit(ctx), store.ErrConflict)
		e.holds("after the conflict", s, after...)
	}
	disjoint := []store.Txn{e.begin(store.Mode{}), e.begin(store.Mode{})}
	for i, tx := range disjoint {
		e.must(tx.Put(s, text("q", fmt.Sprint(i), "x"), store.Always))
	}
	for _, tx := range disjoint {
		e.must(tx.Commit(ctx))
	}
}

func testRollback(e *env) {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", "a", "kept"), store.Always)) })
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "b", "never"), store.Always))
	e.must(tx.Delete(s, key("p", "a"), store.Always))
	tx.Rollback()
	tx.Rollback()
	e.holds("after rollback", s, "kept")
	tx = e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "c", "kept too"), store.Always))
	e.must(tx.Commit(ctx))
	tx.Rollback()
	e.holds("after commit and rollback", s, "kept", "kept too")
}

// ended checks that a transaction answers ErrClosed to all.
func (e *env) ended(tx store.Txn, s *store.Space) {
	e.Helper()
	var err error
	n := 0
	for _, err = range tx.Scan(ctx, s, &store.Scan{Columns: all(s), Stats: &store.Stats{}}) {
		n++
	}
	if n != 1 {
		e.Errorf("a scan after the end yields %d times", n)
	}
	e.wantErr("scan", err, store.ErrClosed)
	g := store.Get{Keys: []store.Key{key("p", "a")}, Columns: all(s), Stats: &store.Stats{}}
	_, err = tx.Get(ctx, s, &g, types.NewBatch(1))
	e.wantErr("get", err, store.ErrClosed)
	e.wantErr("put", tx.Put(s, text("p", "a", "x"), store.Always), store.ErrClosed)
	e.wantErr("delete", tx.Delete(s, key("p", "a"), store.Always), store.ErrClosed)
	e.wantErr("commit", tx.Commit(ctx), store.ErrClosed)
}

func testEnded(e *env) {
	s := e.named()
	tx := e.begin(store.Mode{})
	e.must(tx.Commit(ctx))
	e.ended(tx, s)
	tx = e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "a", "x"), store.Always))
	tx.Rollback()
	e.ended(tx, s)
	e.holds("space", s)
}

func testClosed(e *env) {
	s := e.named()
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("p", "b", "x"), store.Always))
	e.must(e.Drop(ctx, s))
	e.must(e.Close())
	e.ended(tx, s)
	tx.Rollback()
	_, err := e.Begin(ctx, store.Mode{})
	e.wantErr("begin", err, store.ErrClosed)
	e.wantErr("create", e.Create(ctx, s), store.ErrClosed)
	e.wantErr("drop", e.Drop(ctx, s), store.ErrClosed)
	_, err = e.Spaces(ctx)
	e.wantErr("spaces", err, store.ErrClosed)
}

// testBulk loads over some items that are there.
func testBulk(e *env) {
	s := e.named()
	e.load(s, numbered(10))
	reader := e.begin(store.Mode{})
	e.must(reader.Put(s, text("q", "a", "q"), store.Always))
	e.load(s, numbered(1200))
	e.must(reader.Commit(ctx))
	e.holds("after the load", s, append(names(1200), "q")...)
	tx := e.begin(store.Mode{Bulk: true})
	e.must(tx.Delete(s, key("q", "a"), store.Always))
	e.must(tx.Delete(s, key("q", "none"), store.Always))
	e.must(tx.Commit(ctx))
	e.holds("after a bulk delete", s, names(1200)...)
}

// testConcurrent counts up two items at once in many transactions and loses none.
func testConcurrent(e *env) {
	s := e.space(true, types.Int8)
	e.do(func(tx store.Txn) {
		e.must(tx.Put(s, item("p", "a", types.NewInt(0)), store.Absent))
		e.must(tx.Put(s, item("q", "b", types.NewInt(0)), store.Absent))
	})
	const workers, rounds = 4, 10
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for done := 0; done < rounds; {
				err := increment(e.Store, s)
				if err != nil && !errors.Is(err, store.ErrConflict) {
					e.Error(err)
					return
				}
				if err == nil {
					done++
				}
			}
		})
	}
	group.Wait()
	row := show(types.Row{types.NewInt(workers * rounds)})
	e.holds("counters", s, row, row)
}

// increment adds one to both counters.
func increment(st store.Store, s *store.Space) error {
	tx, err := st.Begin(context.Background(), store.Mode{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	g := store.Get{Keys: []store.Key{key("p", "a"), key("q", "b")}, Columns: all(s), Remember: true,
		Stats: &store.Stats{}}
	batch := types.NewBatch(1)
	if _, err := tx.Get(ctx, s, &g, batch); err != nil {
		return err
	}
	for i, k := range g.Keys {
		next := types.NewInt(batch.Row(i)[0].Int() + 1)
		if err := tx.Put(s, store.Item{Key: k, Values: []types.Value{next}}, store.Unchanged); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

// testTransfers moves amounts between accounts while readers add them all up.
func testTransfers(e *env) {
	const accounts, total = 8, 800
	s := e.space(true, types.Int8)
	e.do(func(tx store.Txn) {
		for i := range accounts {
			e.must(tx.Put(s, item("p", number(i), types.NewInt(total/accounts)), store.Absent))
		}
	})
	var group sync.WaitGroup
	for worker := range 3 {
		moves := rand.New(rand.NewPCG(testseed.Of(e), uint64(worker)))
		group.Go(func() {
			for range 40 {
				k := []store.Key{key("p", number(moves.IntN(accounts))), key("p", number(moves.IntN(accounts)))}
				if err := move(e.Store, s, k, 1+moves.Int64N(9)); err != nil && !errors.Is(err, store.ErrConflict) {
					e.Error(err)
				}
				if sum, err := sum(e.Store, s); err != nil || sum != total {
					e.Errorf("the accounts hold %d, want %d (%v)", sum, total, err)
				}
			}
		})
	}
	group.Wait()
}

// move takes an amount from the first of two accounts and adds it to the second.
func move(st store.Store, s *store.Space, keys []store.Key, amount int64) error {
	tx, err := st.Begin(ctx, store.Mode{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, k := range keys {
		batch := types.NewBatch(1)
		g := store.Get{Keys: []store.Key{k}, Columns: all(s), Remember: true, Stats: &store.Stats{}}
		if _, err := tx.Get(ctx, s, &g, batch); err != nil {
			return err
		}
		next := types.NewInt(batch.Row(0)[0].Int() + []int64{-amount, amount}[i])
		if err := tx.Put(s, store.Item{Key: k, Values: []types.Value{next}}, store.Unchanged); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

func sum(st store.Store, s *store.Space) (total int64, err error) {
	tx, err := st.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	for batch, err := range tx.Scan(ctx, s, &store.Scan{Columns: all(s), Stats: &store.Stats{}}) {
		if err != nil {
			return 0, err
		}
		for i := range batch.Len() {
			total += batch.Row(i)[0].Int()
		}
	}
	return total, nil
}
