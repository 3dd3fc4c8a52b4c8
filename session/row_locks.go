package session

import (
	"context"
	"hash/maphash"

	"zproxy/cluster/lock"
	"zproxy/executor"
	"zproxy/planner/rowlock"
	"zproxy/session/transaction"
	"zproxy/store"
)

// rowLocks are those of the transaction of a session, for one run.
type rowLocks struct{ txn *transaction.Current }

// keySeed makes the hashes by which the keys of rows are locked.
var keySeed = maphash.MakeSeed()

// rowModes and rowPolicies are what the executor asks for in the words of the lock manager.
var (
	rowModes = [...]lock.Mode{rowlock.KeyShare: lock.KeyShare, rowlock.Share: lock.Share,
		rowlock.NoKeyUpdate: lock.NoKeyUpdate, rowlock.Update: lock.Update}
	rowPolicies = [...]lock.Policy{rowlock.Block: lock.Block, rowlock.Skip: lock.Skip, rowlock.NoWait: lock.NoWait}
)

// Lock implements executor.RowLocks.
func (r rowLocks) Lock(ctx context.Context, space store.SpaceID, key store.Key, l rowlock.Lock) (
	executor.RowLocked, error) {
	return r.acquire(ctx, lockTag(space, key, false), rowModes[l.Strength], rowPolicies[l.Wait])
}

// LockKey implements executor.RowLocks.
func (r rowLocks) LockKey(ctx context.Context, space store.SpaceID, key store.Key) (executor.RowLocked, error) {
	return r.acquire(ctx, lockTag(space, key, true), lock.Update, lock.Block)
}

// UnlockKey implements executor.RowLocks.
func (r rowLocks) UnlockKey(space store.SpaceID, key store.Key) {
	r.txn.Locks.Forgo(lockTag(space, key, true), lock.Update)
}

func (r rowLocks) acquire(ctx context.Context, t lock.Tag, m lock.Mode, p lock.Policy) (executor.RowLocked, error) {
	g, err := r.txn.Locks.Acquire(r.txn.LockWait(ctx), t, m, p)
	return executor.RowLocked{Granted: g.Granted, Waited: g.Waited, Already: g.Already}, err
}

// lockTag names the lock of a row, or of a key that only one row may have.
func lockTag(space store.SpaceID, key store.Key, unique bool) lock.Tag {
	var h maphash.Hash
	h.SetSeed(keySeed)
	if unique {
		h.WriteByte(0)
	}
	h.Write(key.Partition)
	h.Write(key.Sort)
	return lock.Tag{Class: lock.Row, Space: uint64(space), Key: h.Sum64()}
}

// Shared implements executor.RowLocks.
func (r rowLocks) Shared() bool { return r.txn.Shared() }

// Fixed implements executor.RowLocks.
func (r rowLocks) Fixed() bool { return r.txn.Fixed() }
