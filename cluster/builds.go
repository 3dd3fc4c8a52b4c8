package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/lock"
	"zproxy/sqlerr"
	"zproxy/store"
)

// claimBuilds goes on with the builds of indexes that processes have left which are no more.
func (h *shared) claimBuilds(ctx context.Context) error {
	var list []*catalog.Build
	err := h.node.InOwnTxn(ctx, func(txn store.Txn) (err error) {
		list, err = catalogstore.Builds(ctx, txn)
		return err
	})
	if err != nil {
		return err
	}
	living, err := h.member.Living(ctx) // behind the list: no member that has only just joined is taken for dead
	for _, b := range list {
		if err != nil {
			return err
		}
		if !b.Ended() && !isLiving(living, b.Owner) {
			err = h.claim(ctx, b.Index, b.Owner)
		}
	}
	return err
}

// claim takes a build from a process that is no more, unless another process is faster.
func (h *shared) claim(ctx context.Context, index uint32, from uint64) error {
	claimed := false
	err := h.node.InOwnTxn(ctx, func(txn store.Txn) error {
		b, err := catalogstore.ReadBuild(ctx, txn, index)
		if claimed = err == nil && b != nil && !b.Ended() && b.Owner == from; !claimed {
			return err
		}
		b.Owner = h.member.ID()
		return catalogstore.PutBuild(txn, b)
	})
	if err == nil && claimed {
		h.node.Log.Info("going on with the build of an index that another process has left", "index", index)
		h.node.hooks.Resume(index)
	}
	return err
}

// BuildElsewhere says when the build of an index in another process has ended, as long as the caller waits.
func (n *Node) BuildElsewhere(ctx context.Context, index uint32) <-chan struct{} {
	ended := make(chan struct{})
	if !n.Background.Run(func(background context.Context) {
		defer close(ended)
		ctx, stop := context.WithCancel(ctx)
		defer context.AfterFunc(background, stop)()
		defer stop()
		for {
			b, err := n.ReadBuild(ctx, index)
			if err == nil && (b == nil || b.Ended()) || store.Sleep(ctx, buildPoll) != nil {
				break
			}
		}
		n.shared.warn(ctx, "reading the catalog", n.shared.member.Renew(ctx)) // it has changed
	}) {
		close(ended)
	}
	return ended
}

// buildPoll is how often a process looks how far the build of another one is.
const buildPoll = 200 * time.Millisecond

// ReadBuild is the build of an index as it is in the catalog, nil if there is none.
func (n *Node) ReadBuild(ctx context.Context, index uint32) (b *catalog.Build, err error) {
	err = n.InOwnTxn(ctx, func(txn store.Txn) (err error) {
		b, err = catalogstore.ReadBuild(ctx, txn, index)
		return err
	})
	return b, err
}

// sharedDrainWait is how long a step waits for transactions of an older version, wherever they are.
const sharedDrainWait = 5 * time.Second

// drainWait is how long a step waits for transactions of this process that write by an older version.
const drainWait = 100 * time.Millisecond

// Drained waits until no process has a transaction open that began before a schema with a table in it, or that wrote to
// the table. It gives up soon, with a conflict.
func (n *Node) Drained(ctx context.Context, snap *catalog.Snapshot, t *catalog.Table) error {
	if n.shared != nil {
		over, err := n.shared.over(ctx, snap.Version())
		if err == nil && !over {
			err = fmt.Errorf("transactions that began before table %q was changed are open: %w", t.Name,
				store.ErrConflict)
		}
		return err
	}
	err := n.Locks.Drained(lock.Wait{Ctx: ctx, Limit: drainWait}, t)
	if sqlerr.Has(err, sqlerr.LockNotAvailable) {
		return fmt.Errorf("transactions that wrote to table %q are open: %w", t.Name, store.ErrConflict)
	}
	return err
}

// over waits a moment until no process has a transaction open that began before a version of the catalog,
// and says whether that is so.
func (h *shared) over(ctx context.Context, version uint64) (bool, error) {
	limited, stop := context.WithTimeout(ctx, sharedDrainWait)
	defer stop()
	err := h.member.AwaitOldest(limited, version)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return err == nil, err
}
