package cluster

import (
	"context"
	"errors"

	"zproxy/store"
)

// nested says whether the items of a space lie in the space of another.
func nested(s *store.Space) bool { return s.Home() != s.ID }

// removedAtOnce is how many items are removed together.
const removedAtOnce = 1000

// drop drops a space. Of one whose items lie in the space of another the items are removed, which may be repeated.
func (n *Node) drop(ctx context.Context, s *store.Space) error {
	if !nested(s) {
		return n.Store.Drop(ctx, s)
	}
	for more := true; more; {
		var err error
		if more, err = n.removeItems(ctx, s); errors.Is(err, store.ErrGone) {
			return nil // the host was dropped
		} else if err != nil && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown) {
			return err
		}
	}
	return nil
}

// removeItems removes some items of a space, and says whether there may be others.
func (n *Node) removeItems(ctx context.Context, s *store.Space) (more bool, err error) {
	txn, err := n.Store.Begin(ctx, store.Mode{NonAtomic: true})
	if err != nil {
		return true, err
	}
	defer txn.Rollback()
	var keys []store.Key
	scan := &store.Scan{Enough: removedAtOnce, Stats: &store.Stats{},
		Keys: func(k store.Key) { keys = append(keys, k) }}
	for _, err := range txn.Scan(ctx, s, scan) {
		if err != nil {
			return true, err
		}
		if len(keys) >= removedAtOnce {
			break
		}
	}
	for _, k := range keys {
		if err := txn.Delete(s, k, store.Always); err != nil {
			return true, err
		}
	}
	return len(keys) >= removedAtOnce, txn.Commit(ctx)
}

// sweepNested removes the items that a process which died has left.
func (n *Node) sweepNested(ctx context.Context) error {
	drops, err := n.pendingDrops(ctx)
	for _, d := range drops {
		if err == nil {
			err = n.drop(ctx, spaceOf(d))
		}
		if err == nil {
			err = n.forgetDrop(ctx, d)
		}
	}
	return err
}
