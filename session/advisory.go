package session

import (
	"zproxy/cluster/lock"
	"zproxy/expr/builtin/system"
)

// advisoryLocks are those of a session, for one statement.
type advisoryLocks struct{ *within }

// Lock implements system.AdvisoryLocks.
func (l advisoryLocks) Lock(of system.AdvisoryLock, try bool) (bool, error) {
	return l.r.txn.Locks.Take(l.r.txn.LockWait(l.Ctx), advisoryLock(of), of.Transaction, try)
}

func advisoryLock(l system.AdvisoryLock) lock.Advisory {
	return lock.Advisory{Key: lock.Key{Pair: l.Pair, Number: l.Key}, Shared: l.Shared}
}

// Unlock implements system.AdvisoryLocks.
func (l advisoryLocks) Unlock(of system.AdvisoryLock) bool {
	return l.r.txn.Locks.Release(advisoryLock(of))
}

// UnlockAll implements system.AdvisoryLocks.
func (l advisoryLocks) UnlockAll() { l.r.txn.Locks.ReleaseAll() }

// Blocking implements system.AdvisoryLocks.
func (l advisoryLocks) Blocking(pid uint32) []uint32 { return l.r.db.Locks.Blocking(pid) }

// BlockingSnapshot implements system.AdvisoryLocks.
func (l advisoryLocks) BlockingSnapshot(pid uint32) []uint32 { return l.r.db.Serial.Blocking(pid) }
