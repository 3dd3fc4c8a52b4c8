package serial

import (
	"context"
	"errors"
	"iter"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// Txn is a transaction of the store whose reads and writes are noted. What is read of the catalog is not: that has
// locks of its own.
type Txn struct {
	store.Txn
	order *Order
	of    *member
}

// Unwrap is the transaction whose reads and writes are noted.
func (t *Txn) Unwrap() store.Txn { return t.Txn }

// As makes the transaction, which has read nothing yet, one that began with the snapshot of another, which is open.
func (t *Txn) As(other *Txn) {
	t.order.mu.Lock()
	defer t.order.mu.Unlock()
	t.of.began, t.of.taken = other.of.began, other.of.taken
}

// Scan implements store.Txn. The whole range counts as read, also if the scan ends early.
func (t *Txn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	if s.Reserved {
		return t.Txn.Scan(ctx, s, r)
	}
	if err := t.order.noteRead(t.of, whole(s, r.Range)); err != nil {
		return func(yield func(*types.Batch, error) bool) { yield(nil, err) }
	}
	if r.Next == nil && r.Then == nil {
		return t.Txn.Scan(ctx, s, r)
	}
	return t.ranges(ctx, s, r)
}

// ranges is a scan of several ranges, each of which is noted when it is known.
func (t *Txn) ranges(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		var failed error
		note := func(then store.Range) {
			if failed == nil {
				failed = t.order.noteRead(t.of, whole(s, then))
			}
		}
		noted := *r
		if r.Next != nil {
			noted.Next = func(rest store.Range) (store.Range, int) {
				then, enough := r.Next(rest)
				note(then)
				return then, enough
			}
		}
		if r.Then != nil {
			noted.Then = func() (store.Range, bool) {
				then, more := r.Then()
				if more {
					note(then)
				}
				return then, more
			}
		}
		for batch, err := range t.Txn.Scan(ctx, s, &noted) {
			if failed != nil {
				break
			}
			if !yield(batch, err) {
				return
			}
		}
		if failed != nil { // perhaps of a range that had nothing
			yield(nil, failed)
		}
	}
}

func whole(s *store.Space, r store.Range) interval {
	from, to := overlay.AppendBounds(nil, s.Home(), r)
	return interval{string(from), string(to)}
}

// Get implements store.Txn. A key that is only asked for to see whether a row may take it counts as written already: a
// row that has it meanwhile may be a conflict of order, rather than one with a key that is known.
func (t *Txn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	for _, k := range g.Keys {
		var err error
		switch {
		case g.Remember && len(g.Columns) == 0 && !g.Hold:
			err = t.noteWrite(s, k)
		case !s.Reserved:
			err = t.order.noteRead(t.of, interval{from: t.key(s, k)})
		}
		if err != nil {
			return nil, err
		}
	}
	return t.Txn.Get(ctx, s, g, out)
}

func (t *Txn) key(s *store.Space, k store.Key) string {
	return string(overlay.AppendKey(nil, s.Home(), k))
}

// Put implements store.Txn.
func (t *Txn) Put(s *store.Space, it store.Item, g store.Guard) error {
	if err := t.noteWrite(s, it.Key); err != nil {
		return err
	}
	return t.Txn.Put(s, it, g)
}

// Delete implements store.Txn.
func (t *Txn) Delete(s *store.Space, k store.Key, g store.Guard) error {
	if g != store.Absent {
		if err := t.noteWrite(s, k); err != nil {
			return err
		}
	}
	return t.Txn.Delete(s, k, g)
}

func (t *Txn) noteWrite(s *store.Space, k store.Key) error {
	if s.Reserved {
		return nil
	}
	return t.order.noteWrite(t.of, t.key(s, k))
}

// Commit implements store.Txn. That of a transaction of which it is not known whether it was committed counts: others
// may see it.
func (t *Txn) Commit(ctx context.Context) error {
	if err := t.order.prepare(t.of); err != nil {
		return err
	}
	err := t.Txn.Commit(ctx)
	if err == nil || errors.Is(err, store.ErrUnknown) {
		t.order.committed(t.of)
	}
	return err
}

// Rollback implements store.Txn.
func (t *Txn) Rollback() {
	t.Txn.Rollback()
	t.order.end(t.of)
}
