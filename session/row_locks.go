package session

import (
	"context"
	"hash/maphash"

	"zproxy/cluster/lock"
	"zproxy/executor"
	"zproxy/internal/memory"
	"zproxy/planner/rowlock"
	"zproxy/session/transaction"
	"zproxy/store"
)

// rowLocks are those of the transaction of a session, for one run.
type rowLocks struct{ txn *transaction.Current }

// lockShare is the part of the memory of all sessions that the locks of one may take before it locks whole tables.
const lockShare = 16

// boundLocks lets sessions have fewer locks where there is little memory for them.
func boundLocks(locks *lock.Manager, pool *memory.Pool) {
	if limit := pool.Counts().Limit; limit > 0 {
		locks.Most = max(int(limit/lockShare/lock.Bytes), 1)
	}
}

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
	mode := rowModes[l.Strength]
	if r.Shared() {
		mode = max(mode, lock.NoKeyUpdate) // each lock counts as a write of the row, of which the second would fail
	}
	tag := lockTag(space, key, false)
	got, err := r.acquire(ctx, tag, mode, rowPolicies[l.Wait])
	if l.Writes && got.Granted {
		r.txn.Locks.Write(tag)
	}
	return got, err
}

// LockKey implements executor.RowLocks.
func (r rowLocks) LockKey(ctx context.Context, space store.SpaceID, key store.Key) (executor.RowLocked, error) {
	tag := lockTag(space, key, true)
	got, err := r.acquire(ctx, tag, lock.Update, lock.Block)
	if got.Granted {
		r.txn.Locks.Write(tag)
	}
	return got, err
}

// LockKeys implements executor.RowLocks.
func (r rowLocks) LockKeys(
	ctx context.Context, spaces []store.SpaceID, keys []store.Key, fresh []bool,
) error {
	tags, already := make([]lock.Tag, len(keys)), make([]bool, len(keys))
	for i, k := range keys {
		tags[i] = lockTag(spaces[i], k, true)
	}
	n, err := r.txn.Locks.TakeRows(tags, lock.Update, already)
	if err != nil {
		return err
	}
	for i := range n {
		fresh[i] = !already[i]
	}
	for i := n; i < len(keys); i++ {
		got, err := r.LockKey(ctx, spaces[i], keys[i])
		if err != nil {
			return err
		}
		fresh[i] = !got.Already
	}
	return nil
}

// UnlockKey implements executor.RowLocks.
func (r rowLocks) UnlockKey(space store.SpaceID, key store.Key) {
	r.txn.Locks.Forgo(lockTag(space, key, true), lock.Update)
}

func (r rowLocks) acquire(ctx context.Context, t lock.Tag, m lock.Mode, p lock.Policy) (executor.RowLocked, error) {
	g, err := r.txn.Locks.Acquire(r.txn.LockWait(ctx), t, m, p)
	return executor.RowLocked{Granted: g.Granted, Waited: g.Waited, Already: g.Already}, err
}

// ofKeys is added to the number of a space for the locks of its keys, which are others than those of its rows.
const ofKeys = 1 << 63

// lockTag names the lock of a row, or of a key that only one row may have.
func lockTag(space store.SpaceID, key store.Key, unique bool) lock.Tag {
	var h maphash.Hash
	h.SetSeed(keySeed)
	h.Write(key.Partition)
	h.Write(key.Sort)
	tag := lock.Tag{Class: lock.Row, Space: uint64(space), Key: h.Sum64()}
	if unique {
		tag.Space |= ofKeys
	}
	return tag
}

// Shared implements executor.RowLocks.
func (r rowLocks) Shared() bool { return r.txn.Shared() }

// Fixed implements executor.RowLocks.
func (r rowLocks) Fixed() bool { return r.txn.Fixed() }
