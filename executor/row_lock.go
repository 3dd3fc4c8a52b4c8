package executor

import (
	"context"
	"slices"

	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// RowLocks lock rows, and keys that only one row may have, for a run, until its transaction ends. A row and its key
// have two locks: who inserts a row waits for others that write a row with its key, but not for those that only lock
// one.
type RowLocks interface {
	// Lock locks the row at a key of a space. It waits for another transaction that has locked it, unless it is not
	// to wait.
	Lock(ctx context.Context, space store.SpaceID, key store.Key, l rowlock.Lock) (RowLocked, error)
	// LockKey locks a key of a row that the transaction writes.
	LockKey(ctx context.Context, space store.SpaceID, key store.Key) (RowLocked, error)
	// LockKeys is LockKey for many keys of spaces, one after the other. It tells of each whether it was locked anew.
	LockKeys(ctx context.Context, spaces []store.SpaceID, keys []store.Key, fresh []bool) error
	// UnlockKey gives back the lock of a key that was not Already there.
	UnlockKey(space store.SpaceID, key store.Key)
	// Shared says that other processes write to the store, too, which do not know the locks.
	Shared() bool
	// Fixed says that the transaction keeps to one state of the store: a row that others have written since is a
	// conflict. Otherwise a statement goes on with the row as it is now.
	Fixed() bool
}

// RowLocked is what came of a lock: without Granted another transaction has locked the key and is not waited for.
// Already says that the transaction had locked it.
type RowLocked struct{ Granted, Waited, Already bool }

// lockVerdict says what has become of a row since it was read.
type lockVerdict uint8

const (
	rowSame    lockVerdict = iota // it is as it was read
	rowChanged                    // it was read anew, may have other values by now, and is to be checked again
	rowGone                       // it was deleted
	rowSkipped                    // another transaction has locked it, and is not waited for
)

// rowLocker locks a row of a table, with the values that the statement has read.
type rowLocker func(t *table, target *plan.LockTarget, row types.Row) (newest types.Row, v lockVerdict, err error)

// lockTarget locks a row for a plan.LockRows. In a store that other processes share it is written back as it is, unless
// the transaction has written it: the commit fails if one of them has.
func (f frame) lockTarget(t *table, target *plan.LockTarget, row types.Row) (types.Row, lockVerdict, error) {
	switch {
	case f.env.Later != nil:
		return row, writtenLater(f, t, row), nil
	case (parts{f}).changed(t, row):
		return row, rowSkipped, nil
	}
	newest, v, err := f.lockRow(t, target.Lock, row)
	switch {
	case err == nil && (v == rowChanged || v == rowGone) && f.env.Locks.Fixed():
		return nil, v, concurrent("update")
	case err != nil || v > rowChanged || f.env.Locks == nil || !f.env.Locks.Shared():
		return newest, v, err
	}
	item := store.Item{Key: t.rows.codec.Key(newest), Values: t.rows.item(nil, newest)}
	if f.env.Txn.Wrote(t.rows.space, item.Key) {
		return newest, v, nil
	}
	if err := f.spend(t.rows, item.Key, change{old: newest, new: newest}, guardOf(v)); err != nil {
		return nil, rowSame, err
	}
	if err := f.putItem(t.rows, item, guardOf(v)); err != nil {
		return nil, rowSame, f.storeError(err, "put into", t.rows.space.Name)
	}
	return newest, v, nil
}

// lockRow locks a row of a table, which is given as the statement has read it, and says what has become of it. If that
// is not the same, it is a conflict in a transaction that keeps to one state of the store.
func (f frame) lockRow(t *table, l rowlock.Lock, row types.Row) (newest types.Row, v lockVerdict, err error) {
	if f.env.Locks == nil {
		return row, rowSame, nil
	}
	key := t.rows.codec.Key(row)
	got, err := f.env.Locks.Lock(f.ctx, t.rows.space.ID, key, l)
	switch {
	case err != nil:
		return nil, rowSame, err
	case !got.Granted && l.Wait == rowlock.NoWait:
		return nil, rowSame, sqlerr.New(sqlerr.LockNotAvailable,
			"could not obtain lock on row in relation \"%s\"", t.Name)
	case !got.Granted:
		return nil, rowSkipped, nil
	case !f.overtaken(t.rows, key, got.Waited):
		return row, rowSame, nil
	}
	newest, err = f.newest(t, key)
	switch {
	case err != nil:
		return nil, rowSame, err
	case newest == nil:
		return nil, rowGone, nil
	case !f.env.Store.Snapshots && f.env.Locks.Fixed() && slices.EqualFunc(newest, row, types.Identical):
		return row, rowSame, nil // what was waited for has written nothing
	case l.Strength == rowlock.KeyShare && !f.env.Locks.Shared() && t.sameKeys(row, newest):
		return row, rowSame, nil // it excludes no writes but of keys
	}
	return newest, rowChanged, nil
}

// guardOf is that of a write whose value was computed from a row with a verdict.
func guardOf(v lockVerdict) store.Guard {
	if v == rowChanged {
		return store.Renewed
	}
	return store.Unchanged
}

// sameKeys says whether two versions of a row have the same keys, of those that no other row may have.
func (t *table) sameKeys(a, b types.Row) bool {
	return !slices.ContainsFunc(t.layouts, func(l *layout) bool {
		return l.unique && slices.ContainsFunc(l.key, func(c int) bool { return !types.Identical(a[c], b[c]) })
	})
}

// overtaken says whether what the statement sees at a key that it has locked is not, or may not be, what is there.
// What the transaction has written itself is, whatever was there before.
func (f frame) overtaken(l *layout, key store.Key, waited bool) bool {
	return waited && !f.env.Store.Snapshots || f.env.Txn.Overtaken(l.space, key, nil) && !f.env.Txn.Wrote(l.space, key)
}

// newest is the row at a key as it is now; nil: there is none, or none that is not over.
func (f frame) newest(t *table, key store.Key) (types.Row, error) {
	get := &store.Get{Keys: []store.Key{key}, Columns: t.rows.stored, Remember: true, Latest: true,
		Stats: &f.profile().Stats}
	rows := types.NewBatch(len(get.Columns))
	found, err := f.env.Txn.Get(f.ctx, t.rows.space, get, rows)
	if err != nil {
		return nil, f.storeError(err, "get from", t.rows.space.Name)
	}
	if row := rows.Row(0); found[0] && !f.over(t, row) {
		return row, nil
	}
	return nil, nil
}

// over says whether a row that is stored counts as none, since it has expired, or its cells say that it was deleted.
func (f frame) over(t *table, row types.Row) bool {
	ttl := t.TTL
	return ttl != nil && ttl.Expired(row[t.Ordinal(ttl.Column)], f.env.Expr.Statement) ||
		t.cells != nil && t.cells.Gone(row)
}

// concurrent is the error of a transaction that keeps to one state of the store about a row that others have written.
func concurrent(what string) error {
	return sqlerr.Wrap(store.ErrConflict, sqlerr.SerializationFailure,
		"could not serialize access due to concurrent %s", what)
}

// unique locks the keys that rows must have alone.
type unique struct{ *writer }

// lock locks a key that a row takes or leaves, and says whether it was not locked already. Another row may have the
// key until then.
func (w unique) lock(l *layout, key store.Key) (fresh bool, err error) {
	if w.env.Locks == nil {
		return false, nil
	}
	got, err := w.env.Locks.LockKey(w.ctx, l.space.ID, key)
	return err == nil && !got.Already, err
}

// unlock gives back the keys of a row that is dropped.
func (w unique) unlock(c change, at []placement) {
	for j, l := range w.layouts {
		if at[j].fresh {
			w.env.Locks.UnlockKey(l.space.ID, l.standFor(at[j].key, c.new))
		}
	}
}

// lockAll locks the keys that changes are about.
func (w unique) lockAll(changes []change, placements []placement) error {
	if w.env.Locks == nil {
		return nil
	}
	many := len(changes) >= leastLocked
	var spaces []store.SpaceID
	var keys []store.Key
	var of []*placement
	for i, c := range changes {
		for j, l := range w.layouts {
			p := &placements[i*len(w.layouts)+j]
			if !p.alone || !w.promises(l) {
				continue
			}
			key := l.standFor(p.key, c.new)
			if many {
				spaces, keys, of = append(spaces, l.space.ID), append(keys, key), append(of, p)
				continue
			}
			var err error
			if p.fresh, err = w.lock(l, key); err != nil {
				return err
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	fresh := make([]bool, len(keys))
	if err := w.env.Locks.LockKeys(w.ctx, spaces, keys, fresh); err != nil {
		return err
	}
	for i, p := range of {
		p.fresh = fresh[i]
	}
	return nil
}

// leastLocked is from how many changes on their keys are locked together.
const leastLocked = 16

// late says which of some keys, which the transaction has locked, others have written later than what it sees: they are
// to be read as they are now. nil: none of them.
func (w unique) late(l *layout, keys []store.Key) (out []bool) {
	if w.env.Locks == nil || !w.env.Store.Snapshots {
		return nil
	}
	for i, k := range keys {
		if w.env.Txn.Overtaken(l.space, k, nil) {
			if out == nil {
				out = make([]bool, len(keys))
			}
			out[i] = true
		}
	}
	return out
}

// standing is a row that has a key of one that is to be inserted; nil: there is none.
type standing struct {
	row  types.Row
	anew bool // it was read anew when it was locked
}

// holder locks the row that has a key of a row which is to be inserted, and gives it as it is now. If there is none any
// more the key is locked. While a row is waited for its key is not locked: who writes a row locks first the
// row, and then its keys. A row that others have written since is a conflict in a transaction that keeps to one state.
func (w unique) holder(l *layout, row, there types.Row, fresh bool) (standing, error) {
	for there != nil {
		if fresh {
			w.env.Locks.UnlockKey(l.space.ID, l.codec.First(row))
		}
		newest, v, err := w.lockRow(w.table, rowlock.Lock{Strength: rowlock.Update}, there)
		if err == nil && newest != nil {
			err = w.compute(newest)
		}
		switch {
		case err != nil || v == rowSame:
			return standing{row: newest}, err
		case w.env.Locks.Fixed():
			return standing{}, concurrent("update")
		case newest != nil && sameKey(l.codec.First(newest), l.codec.First(row)):
			return standing{newest, true}, nil
		}
		if fresh, err = w.lock(l, l.codec.First(row)); err != nil {
			return standing{}, err
		}
		now, _, err := w.holders(l, []types.Row{row})
		if err != nil {
			return standing{}, err
		}
		there = now[0]
	}
	return standing{}, nil
}
