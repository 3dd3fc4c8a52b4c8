package system

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// AdvisoryKey is what an advisory lock is taken on: one number, or two small ones.
type AdvisoryKey struct {
	Pair bool
	Key  int64
}

// AdvisoryLock is an advisory lock.
type AdvisoryLock struct {
	AdvisoryKey
	Shared      bool
	Transaction bool // it ends with the transaction, and cannot be given back before
}

// AdvisoryLocks are the advisory locks of a session.
type AdvisoryLocks interface {
	// Lock takes a lock, and waits for it unless it is only a try.
	Lock(l AdvisoryLock, try bool) (bool, error)
	// Unlock gives back a lock of the session; false: it does not have it.
	Unlock(l AdvisoryLock) bool
	// UnlockAll gives back all locks that do not end with the transaction.
	UnlockAll()
	// Blocking are the numbers of the sessions that a session waits for.
	Blocking(pid uint32) []uint32
	// BlockingSnapshot are those whose transactions it waits for until its snapshot is safe.
	BlockingSnapshot(pid uint32) []uint32
}

// advisoryFunctions take locks that mean what applications want them to. They are kept by
// the process: another one on the same store does not see them.
var advisoryFunctions = func() []*expr.Function {
	all := []*expr.Function{
		{Name: "pg_advisory_unlock_all", Args: pg.Sig{}, Result: types.OIDVoid, Volatility: expr.Volatile, Doc: "Gives back all advisory locks of the session.", Fn0: unlockAll},
		{Name: "pg_blocking_pids", Args: pg.Sig{pg.Int4}, Result: pg.Int4Array, Volatility: expr.Volatile, Doc: "Numbers of the sessions for whose locks a session waits.", Fn1: blockingPIDs},
		{Name: "pg_isolation_test_session_is_blocked", Args: pg.Sig{pg.Int4, pg.Int4Array}, Result: pg.Boolean, Volatility: expr.Volatile, Doc: "Whether a session waits for locks, or the end of transactions, of any of others.", Fn2: isBlocked},
		{Name: "pg_safe_snapshot_blocking_pids", Args: pg.Sig{pg.Int4}, Result: pg.Int4Array, Volatility: expr.Volatile, Doc: "The sessions whose transactions a session waits for until it has a safe snapshot.", Fn1: snapshotPIDs},
	}
	const within = ", among the sessions of this process."
	for _, shared := range []bool{false, true} {
		mode, suffix := "exclusive", ""
		if shared {
			mode, suffix = "shared", "_shared"
		}
		session, transaction := AdvisoryLock{Shared: shared}, AdvisoryLock{Shared: shared, Transaction: true}
		all = append(all, advisory("pg_advisory_lock"+suffix, types.OIDVoid, "Takes an "+mode+" advisory lock"+within,
			locks(session, false))...)
		all = append(all, advisory("pg_try_advisory_lock"+suffix, pg.Boolean,
			"Takes an "+mode+" advisory lock if it can be had at once"+within, locks(session, true))...)
		all = append(all, advisory("pg_advisory_xact_lock"+suffix, types.OIDVoid,
			"Takes an "+mode+" advisory lock until the transaction ends"+within, locks(transaction, false))...)
		all = append(all, advisory("pg_try_advisory_xact_lock"+suffix, pg.Boolean,
			"Takes an "+mode+" advisory lock until the transaction ends, if it can be had at once"+within, locks(transaction, true))...)
		all = append(all, advisory("pg_advisory_unlock"+suffix, pg.Boolean,
			"Gives back an "+mode+" advisory lock; false if the session does not have it.", unlocks(session))...)
	}
	return all
}()

// advisory are the two overloads of a function, by key.
func advisory(name string, result types.OID, doc string,
	do func(c *expr.Context, k AdvisoryKey) (types.Value, error)) []*expr.Function {
	return []*expr.Function{
		{Name: name, Args: pg.Sig{pg.Int8}, Result: result, Volatility: expr.Volatile, Doc: doc, Fn1: func(c *expr.Context, a types.Value) (types.Value, error) {
			return do(c, AdvisoryKey{Key: a.Int()})
		}},
		{Name: name, Args: pg.Sig{pg.Int4, pg.Int4}, Result: result, Volatility: expr.Volatile, Doc: doc, Fn2: func(c *expr.Context, a, b types.Value) (types.Value, error) {
			return do(c, AdvisoryKey{Pair: true, Key: a.Int()<<32 | int64(uint32(b.Int()))})
		}},
	}
}

func advisoryLocks(c *expr.Context) (AdvisoryLocks, error) {
	if hostOf(c).Advisory == nil {
		return nil, sqlerr.Unsupported("an advisory lock here")
	}
	return hostOf(c).Advisory, nil
}

func locks(l AdvisoryLock, try bool) func(*expr.Context, AdvisoryKey) (types.Value, error) {
	return func(c *expr.Context, k AdvisoryKey) (types.Value, error) {
		all, err := advisoryLocks(c)
		if err != nil {
			return types.Null, err
		}
		lock := l
		lock.AdvisoryKey = k
		got, err := all.Lock(lock, try)
		if !try {
			return types.NewText(""), err
		}
		return types.NewBool(got), err
	}
}

func unlocks(l AdvisoryLock) func(*expr.Context, AdvisoryKey) (types.Value, error) {
	return func(c *expr.Context, k AdvisoryKey) (types.Value, error) {
		all, err := advisoryLocks(c)
		if err != nil {
			return types.Null, err
		}
		lock := l
		lock.AdvisoryKey = k
		return types.NewBool(all.Unlock(lock)), nil
	}
}

func unlockAll(c *expr.Context) (types.Value, error) {
	all, err := advisoryLocks(c)
	if err == nil {
		all.UnlockAll()
	}
	return types.NewText(""), err
}

func blockingPIDs(c *expr.Context, a types.Value) (types.Value, error) {
	all, err := advisoryLocks(c)
	if err != nil {
		return types.Null, err
	}
	return arrayOfPIDs(c, all.Blocking(uint32(a.Int())))
}

func snapshotPIDs(c *expr.Context, a types.Value) (types.Value, error) {
	all, err := advisoryLocks(c)
	if err != nil {
		return types.Null, err
	}
	return arrayOfPIDs(c, all.BlockingSnapshot(uint32(a.Int())))
}

func arrayOfPIDs(c *expr.Context, of []uint32) (types.Value, error) {
	var pids []types.Value
	for _, pid := range of {
		pids = append(pids, types.NewInt(int64(pid)))
	}
	return types.ArrayOfItems(pg.Int4, pids, c.Env)
}

func isBlocked(c *expr.Context, a, b types.Value) (types.Value, error) {
	var others []uint32
	for _, v := range b.Array().Items {
		if err := c.Tick(work.CompareUnits); err != nil {
			return types.Null, err
		}
		if !v.IsNull() {
			others = append(others, uint32(v.Int()))
		}
	}
	all, err := advisoryLocks(c)
	if err != nil {
		return types.Null, err
	}
	pid := uint32(a.Int())
	return types.NewBool(slices.ContainsFunc(append(all.Blocking(pid), all.BlockingSnapshot(pid)...),
		func(pid uint32) bool { return slices.Contains(others, pid) })), nil
}
