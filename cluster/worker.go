package cluster

import (
	"context"
	"time"

	"zproxy/cluster/lock"
	"zproxy/store"
)

// Worker is the owner of transactions of the process itself, which no client waits for.
type Worker struct {
	locks *lock.Owner
	now   func() time.Time
	// Patience is how long it waits for a lock; 0: as long as it takes.
	Patience time.Duration
}

// NewWorker makes an owner, which must be ended.
func (n *Node) NewWorker(now func() time.Time) *Worker {
	w := &Worker{locks: n.Locks.NewOwner(0), now: now}
	w.locks.Database = n.database
	return w
}

// End gives back the locks.
func (w *Worker) End() { w.locks.RollbackTo(0) }

// Locks implements Owner.
func (w *Worker) Locks() *lock.Owner { return w.locks }

// Wait implements Owner.
func (w *Worker) Wait(ctx context.Context) lock.Wait { return lock.Wait{Ctx: ctx, Limit: w.Patience} }

// Mode implements Owner.
func (w *Worker) Mode(write bool) store.Mode { return store.Mode{ReadOnly: !write} }

// Order implements Owner: such work is guarded by the writes that it makes.
func (w *Worker) Order() Order { return Unordered }

// Charge implements Owner: such work bounds itself.
func (w *Worker) Charge(txn store.Txn) store.Txn { return txn }

// Now implements Owner.
func (w *Worker) Now() time.Time { return w.now() }
