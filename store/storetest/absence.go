package storetest

import (
	"errors"
	"sync"
	"sync/atomic"

	"zproxy/store"
)

// putAlone puts an item in one of some partitions, and says that it is in no other.
func putAlone(tx store.Txn, s *store.Space, at int, partitions ...string) error {
	for i, p := range partitions {
		err := tx.Delete(s, key(p, "k"), store.Absent)
		if i == at {
			err = tx.Put(s, text(p, "k", p), store.Absent)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// testAbsence deletes with the guard Absent, which changes nothing and makes sure of it.
func testAbsence(e *env) {
	s := e.named()
	first, second := e.begin(store.Mode{}), e.begin(store.Mode{})
	e.must(putAlone(first, s, 0, "p", "q"))
	e.must(putAlone(second, s, 1, "p", "q"))
	e.must(first.Commit(ctx))
	e.wantErr("the same in another partition, begun before", second.Commit(ctx), store.ErrConflict)
	e.holds("one of two", s, "p")

	second = e.begin(store.Mode{})
	e.must(putAlone(second, s, 1, "p", "q"))
	e.wantErr("the same in another partition", second.Commit(ctx), store.ErrConflict)
	e.holds("the first of two", s, "p")

	only := e.begin(store.Mode{})
	e.must(only.Delete(s, key("r", "k"), store.Absent))
	e.do(func(tx store.Txn) { e.must(putAlone(tx, s, 0, "r")) })
	e.wantErr("nothing but an absence", only.Commit(ctx), store.ErrConflict)
	e.do(func(tx store.Txn) { e.must(tx.Delete(s, key("none", "k"), store.Absent)) })
	e.holds("nothing deleted", s, "p", "r")
	e.absenceOfOwn()
}

// absenceOfOwn deletes with the guard Absent what the transaction has written.
func (e *env) absenceOfOwn() {
	s := e.named()
	e.do(func(tx store.Txn) { e.must(putAlone(tx, s, 0, "p", "q")) })
	e.do(func(tx store.Txn) { // the item moves to another partition, and back, and away again
		e.must(tx.Delete(s, key("p", "k"), store.Always))
		e.must(putAlone(tx, s, 1, "p", "q"))
		e.must(tx.Delete(s, key("q", "k"), store.Always))
		e.must(putAlone(tx, s, 0, "p", "q"))
		e.must(tx.Delete(s, key("p", "k"), store.Always))
		e.must(putAlone(tx, s, 1, "p", "q"))
	})
	e.holds("moved", s, "q")
	tx := e.begin(store.Mode{})
	e.must(tx.Put(s, text("r", "k", "r"), store.Absent))
	e.wantErr("absence of an own item", tx.Delete(s, key("r", "k"), store.Absent), store.ErrConflict)
	tx.Rollback()
	e.holds("after the conflict", s, "q")
}

// testAbsenceAtOnce lets transactions put one item each in the partition of its own, of
// which there may be one in all.
func testAbsenceAtOnce(e *env) {
	const rounds = 10
	partitions := []string{"p", "q", "r", "s"}
	for range rounds {
		s := e.named()
		var group sync.WaitGroup
		var done atomic.Int64
		for at := range partitions {
			group.Go(func() {
				tx, err := e.Begin(ctx, store.Mode{})
				if err == nil {
					defer tx.Rollback()
					if err = putAlone(tx, s, at, partitions...); err == nil {
						err = tx.Commit(ctx)
					}
				}
				switch {
				case err == nil:
					done.Add(1)
				case !errors.Is(err, store.ErrConflict):
					e.Error(err)
				}
			})
		}
		group.Wait()
		if n := len(e.now(s)); n > 1 || int64(n) != done.Load() {
			e.Fatalf("%d items of %d commits", n, done.Load())
		}
	}
}
